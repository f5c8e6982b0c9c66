import { endOfDay, toIsoDate } from '../../../../core/time.js'
import type { Signal } from '../../../../domains/analysis/model.js'
import type { AnalysisInput } from '../generator.js'
import {
  amountUsd,
  computeScore,
  computeWindow,
  dailyPrices,
  type Findings,
  fraction,
  quotient,
  scaledMomentum,
} from './findings.js'
import { maxDrawdown, movingAverage, realisedVolatility, simpleReturn, valueBack } from './statistics.js'
import { formatAssetTitle, listText, percentText, sentence, signedPercentText, usdText } from './summary.js'

/** Enough for the drawdown of a year and the day before it. */
const DAYS = 366

/** The usual averages of chart analysis; the longest needs 200 days. */
const AVERAGES = [20, 50, 200] as const

const PER_YEAR = 'fraction_per_year'

interface Figures {
  readonly price: number | null
  readonly returns: Readonly<Record<7 | 30 | 90, number | null>>
  readonly volatility: Readonly<Record<30 | 90, number | null>>
  readonly drawdown: Readonly<Record<90 | 365, number | null>>
  readonly averages: readonly { readonly days: number; readonly value: number | null }[]
}

/**
 * The behaviour of the price: returns over 7, 30 and 90 days, realised volatility, the largest drawdown and the
 * moving averages, all from daily consensus prices of days that had ended. Missing history gives null, never zero.
 * Score: the mean of two parts in [-1, 1]. Trend: the mean over the 20-, 50- and 200-day averages of +1 if the
 * price is above, -1 if it is below, 0 if it is equal. Momentum: tanh(return_30d / (volatility_30d x sqrt(30 /
 * 365))), the month's return in relation to its usual size. Null if a figure is missing.
 */
export function regimeFindings(input: AnalysisInput, method: { readonly daysPerYear: number }): Findings {
  const figures = measure(input, method.daysPerYear)
  const { price, averages, returns, volatility } = figures
  const sides = averages.map(({ value }) =>
    price === null || value === null ? null : Math.sign(price - value),
  )
  const momentum = scaledMomentum(returns[30], volatility[30], 30)
  return {
    signals: signalsOf(figures),
    sentimentScore: computeScore([unrounded(sides), momentum]),
    sentences: sentencesOf(input, figures),
    window: computeWindow(input, { days: DAYS, hours: 0 }),
  }
}

function measure(input: AnalysisInput, daysPerYear: number): Figures {
  const prices = dailyPrices(input, DAYS)
  return {
    price: valueBack(prices, 0),
    returns: { 7: simpleReturn(prices, 7), 30: simpleReturn(prices, 30), 90: simpleReturn(prices, 90) },
    volatility: {
      30: realisedVolatility(prices, 30, daysPerYear),
      90: realisedVolatility(prices, 90, daysPerYear),
    },
    drawdown: { 90: maxDrawdown(prices, 90), 365: maxDrawdown(prices, 365) },
    averages: AVERAGES.map((days) => ({ days, value: movingAverage(prices, days) })),
  }
}

function signalsOf({ price, returns, volatility, drawdown, averages }: Figures): readonly Signal[] {
  return [
    amountUsd('price_usd', price),
    fraction('return_7d', returns[7]),
    fraction('return_30d', returns[30]),
    fraction('return_90d', returns[90]),
    { ...fraction('realised_volatility_30d', volatility[30]), unit: PER_YEAR },
    { ...fraction('realised_volatility_90d', volatility[90]), unit: PER_YEAR },
    fraction('max_drawdown_90d', drawdown[90]),
    fraction('max_drawdown_365d', drawdown[365]),
    ...averages.map(({ days, value }) => amountUsd(`moving_average_${days}d`, value)),
    ...averages.map(({ days, value }) =>
      quotient(`price_to_moving_average_${days}d`, price === null || !value ? null : price / value, 1),
    ),
  ]
}

function sentencesOf(input: AnalysisInput, figures: Figures): readonly string[] {
  const title = formatAssetTitle(input.asset)
  const { price, returns, volatility, drawdown, averages } = figures
  const newest = newestDay(input)
  const day = toIsoDate(newest ?? input.asOf)
  if (price === null) return [`No recent consensus price of ${title} is known as of ${day}.`]
  const moves = ([7, 30, 90] as const).flatMap((days) =>
    returns[days] === null ? [] : [`${signedPercentText(returns[days])} over ${days} days`],
  )
  const risk = [
    volatility[30] === null
      ? null
      : `realised volatility was ${percentText(volatility[30])} a year over 30 days`,
    drawdown[90] === null ? null : `the largest drawdown of 90 days was ${percentText(drawdown[90])}`,
  ].filter((text) => text !== null)
  const sides = (['above', 'below'] as const).flatMap((side) => {
    const names = averages.flatMap(({ days, value }) =>
      value !== null && (price > value ? 'above' : 'below') === side ? [`${days}-day`] : [],
    )
    return names.length === 0 ? [] : [`${side} its ${listText(names)} average${names.length > 1 ? 's' : ''}`]
  })
  return [
    sentence([`${title} had a consensus price of ${usdText(price)} USD on ${day}`, ...moves].join(', ')),
    ...(risk.length === 0 ? [] : [sentence(listText(risk))]),
    ...(sides.length === 0 ? [] : [sentence(`The price was ${listText(sides)}`)]),
  ]
}

/** The mean of the trend signs; null if one is missing. */
function unrounded(sides: readonly (number | null)[]): number | null {
  const known = sides.filter((side) => side !== null)
  if (known.length < sides.length) return null
  return known.reduce((sum, side) => sum + side, 0) / known.length
}

/** Start of the newest day that had ended and has a price. */
function newestDay({ daily, asOf }: AnalysisInput): Date | undefined {
  return daily.findLast(({ ts, priceUsd }) => priceUsd !== null && endOfDay(ts) <= asOf)?.ts
}
