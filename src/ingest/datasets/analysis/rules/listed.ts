import { daysBetween, toIsoDate } from '../../../../core/time.js'
import {
  AAOIFI_BOUNDS,
  type AnalysisType,
  RATIO_NAMES,
  type Signal,
} from '../../../../domains/analysis/model.js'
import type { Close, ListedInputs } from '../facts/listed-inputs.js'
import type { AnalysisInput } from '../generator.js'
import { computeScore, type Findings, fraction, quotient, truth } from './findings.js'
import { realisedVolatility, roundDigits } from './statistics.js'
import { formatAssetTitle, listText, percentText, sentence, signedPercentText } from './summary.js'

/** An older price does not describe the market. */
const MAX_CLOSE_AGE_DAYS = 45

/** A price is used for days up to this many days later: a week and a holiday. */
const MAX_GAP_DAYS = 10

/** The kinds of analysis for which the facts suffice. */
export function listedTypes({ closes, report }: ListedInputs, asOf: Date): readonly AnalysisType[] {
  const newest = closes.at(-1)
  const isPriced = newest !== undefined && daysBetween(newest.date, toIsoDate(asOf)) <= MAX_CLOSE_AGE_DAYS
  return [
    ...(report === null ? [] : (['halal_analysis'] as const)),
    ...(isPriced ? (['market_context'] as const) : []),
  ]
}

/** The figures and sentences of one kind of analysis of a stock or a fund. */
export function listedFindings(input: AnalysisInput, listed: ListedInputs): Findings {
  return input.analysisType === 'halal_analysis' ? ratioFindings(input, listed) : priceFindings(input, listed)
}

/**
 * The three AAOIFI ratios of the latest annual report beside their published bounds, without a ruling. A ratio
 * without all its inputs is null, and the block says why. No score.
 */
function ratioFindings(input: AnalysisInput, { report }: ListedInputs): Findings {
  const title = formatAssetTitle(input.asset)
  const bounds = `published bounds ${Object.values(AAOIFI_BOUNDS).join(', ')}`
  if (report === null)
    return {
      signals: [],
      sentimentScore: null,
      sentences: [`No annual report of ${title} is known.`],
      window: null,
    }
  const { aaoifi, form, periodEnd, filed } = report
  const [known, missing] = [true, false].map((isKnown) =>
    RATIO_NAMES.filter((name) => (aaoifi[name] !== null) === isKnown),
  )
  const values = (known ?? []).map((name) => `${name.replaceAll('_', ' ')} ${aaoifi[name]?.toFixed(4)}`)
  const gaps = (missing ?? []).map((name) => name.replaceAll('_', ' '))
  return {
    signals: [
      truth('has_balance_sheet', true),
      ...RATIO_NAMES.map((name) => fraction(name, aaoifi[name], AAOIFI_BOUNDS[name])),
      truth('below_thresholds', aaoifi.below_thresholds ?? null),
    ],
    sentimentScore: null,
    sentences: [
      `The latest annual report of ${title} is a ${form} for the fiscal year to ${periodEnd}, filed on ${filed}.`,
      values.length === 0
        ? `None of the three AAOIFI ratios (${bounds}) can be computed from it.`
        : sentence(`AAOIFI ratios from it: ${listText(values)} (${bounds})`),
      ...(gaps.length === 0 || values.length === 0
        ? []
        : [sentence(`Not computed because figures are missing: ${listText(gaps)}`)]),
    ],
    aaoifi,
    window: { from: new Date(periodEnd), to: new Date(filed) },
  }
}

const CHANGES = [7, 30, 365] as const

/** Trading days of a year at a stock market. */
const TRADING_DAYS = 252

/** Trading days for volatility: a month. */
const VOLATILITY_DAYS = 21

/**
 * Position of the closing price: newest close, its changes over 7, 30 and 365 days, and the annualised volatility
 * of 21 closes. The close of a day is that of the last trading day, at most ten days earlier. Closes are adjusted
 * for splits, not for dividends. Score: tanh(change_30d / (volatility x sqrt(30 / 365))); null without a volatility
 * from daily closes.
 */
function priceFindings({ asset, asOf }: AnalysisInput, { closes, currency, kind }: ListedInputs): Findings {
  const newest = closes.at(-1)
  const title = formatAssetTitle(asset)
  if (newest === undefined)
    return {
      signals: [],
      sentimentScore: null,
      sentences: [`No closing price of ${title} is known.`],
      window: null,
    }
  const change = (days: number) => changeOver(closes, newest, days)
  const isDaily = daysBetween(closes.at(-VOLATILITY_DAYS - 1)?.date ?? newest.date, newest.date) <= 45
  const volatility = isDaily
    ? realisedVolatility(
        closes.map(({ close }) => close),
        VOLATILITY_DAYS,
        TRADING_DAYS,
      )
    : null
  const high = Math.max(...closes.map(({ close }) => close))
  const age = daysBetween(newest.date, toIsoDate(asOf))
  const [month, year] = [change(30), change(365)]
  const usual = volatility === null ? null : volatility * Math.sqrt(30 / 365)
  const momentum =
    month === null || usual === null ? null : usual === 0 ? Math.sign(month) : Math.tanh(month / usual)
  const moves = CHANGES.flatMap((days) => {
    const value = change(days)
    return value === null ? [] : [`${signedPercentText(value)} over ${days} days`]
  })
  return {
    signals: [
      amount('close', newest.close, currency),
      ...CHANGES.map((days) => fraction(`change_${days}d`, change(days))),
      { ...fraction('realised_volatility_21_closes', volatility), unit: 'fraction_per_year' },
      quotient('close_to_high_365d', high === 0 ? null : newest.close / high, 1),
      { name: 'closes_365d', value: closes.length, unit: 'days', threshold: null },
      { name: 'close_age', value: age, unit: 'days', threshold: null },
    ],
    sentimentScore: computeScore([momentum]),
    sentences: [
      sentence(
        [`The ${kind} ${title} closed at ${newest.close} ${currency} on ${newest.date}`, ...moves].join(', '),
      ),
      sentence(
        `That was ${percentText(newest.close / high)} of the highest of ${closes.length} closes of the year before`,
      ),
      ...(volatility === null || year === null
        ? []
        : [
            sentence(
              `Realised volatility was ${percentText(volatility)} a year over ${VOLATILITY_DAYS} closes`,
            ),
          ]),
    ],
    window: {
      from: new Date(closes[0]?.date ?? newest.date),
      to: new Date(newest.date),
    },
  }
}

function amount(name: string, value: number, unit: string | null): Signal {
  return { name, value: roundDigits(value, 8), unit, threshold: null }
}

function changeOver(closes: readonly Close[], newest: Close, days: number): number | null {
  const then = closes.findLast(({ date }) => daysBetween(date, newest.date) >= days)
  if (then === undefined || then.close === 0) return null
  return daysBetween(then.date, newest.date) > days + MAX_GAP_DAYS ? null : newest.close / then.close - 1
}
