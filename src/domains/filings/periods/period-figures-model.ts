import type { DecimalText } from '../../../core/decimal.js'
import { addDays, type IsoDate } from '../../../core/time.js'
import type { FigureRule } from '../figures/figure-rule-model.js'
import { FIGURE_NAMES } from '../figures/figure-rules-model.js'
import {
  computeFigure,
  type Figures,
  type FigureValue,
  missingFigure,
  tagOfFact,
  toFigures,
} from '../figures/figures-model.js'
import type { FundamentalsPeriod, StatedFact } from '../model.js'
import { combineAmounts, commonStart, startOfAmount, sumOfAmounts } from './combined-amounts-model.js'
import { DURATIONS, type Duration } from './durations-model.js'
import type { FactHistory, PeriodAmount } from './fact-history-model.js'
import { roundingUnit } from './restatements-model.js'

/** What is stated at the end of a period. */
export interface PeriodEndFacts {
  readonly periodEnd: IsoDate
  /** Figures on the last day and of the cover page, one fact per tag and unit. */
  readonly facts: readonly StatedFact[]
  /** See `toFigures`. */
  readonly shareCountsBefore: readonly DecimalText[]
}

/** The figures of a quarter, or of the twelve months, that end with a report. */
export function computePeriodFigures(
  period: Exclude<FundamentalsPeriod, 'year'>,
  { periodEnd, facts, shareCountsBefore }: PeriodEndFacts,
  history: FactHistory,
): Figures {
  const compute = period === 'quarter' ? computeQuarter : computeTrailing
  return toFigures(
    (rule) =>
      rule.time === 'period'
        ? compute(rule, periodEnd, history)
        : computeFigure(rule, facts, { span: period, end: periodEnd }),
    shareCountsBefore,
  )
}

/** The first day of the period, from the first figure that has an amount. */
export function startOfFigures(figures: Figures): IsoDate | null {
  for (const name of FIGURE_NAMES) {
    const start = startOfAmount(figures[name])
    if (start !== null) return start
  }
  return null
}

/** Year-to-date durations with the one that ends a quarter earlier, the longest first. */
const DIFFERENCES: readonly (readonly [Duration, Duration])[] = [
  ['year', 'nine_months'],
  ['nine_months', 'half'],
  ['half', 'quarter'],
]

/**
 * The amount of the quarter that ends on a day: as filed, otherwise the amount since the start of the fiscal year less the one
 * that ends a quarter earlier. A note says why the quarters of a fiscal year do not add up to it.
 */
export function computeQuarter(rule: FigureRule, end: IsoDate, history: FactHistory): FigureValue {
  const quarter = quarterAmount(rule, end, history)
  return { ...quarter.figure, note: compareWithYear(rule, end, quarter, history) }
}

function quarterAmount(rule: FigureRule, end: IsoDate, history: FactHistory): PeriodAmount {
  const filed = history.amountTo(rule, 'quarter', end)
  if (filed.figure.value !== null) return filed
  const toDate = statedToDate(rule, end, history)
  const longer = toDate.find(({ amount }) => amount.figure.value !== null)
  if (longer !== undefined) return { figure: subtractEarlier(rule, longer, end, history), stated: [] }
  return [filed, ...toDate.map(({ amount }) => amount)].find(({ figure }) => !figure.isUnstated) ?? filed
}

function subtractEarlier(
  rule: FigureRule,
  longer: AmountToDate,
  end: IsoDate,
  history: FactHistory,
): FigureValue {
  if (rule.unit !== 'USD') return missingFigure(rule.unit, perShareText(longer.amount, 'quarter', end))
  const { amount, shorter } = longer
  const start = commonStart(amount.figure)
  const earlier = start === null ? null : history.amountFrom(rule, shorter, start)
  if (earlier === null || earlier.figure.isUnstated) {
    const text = `the filings state ${tagsOf(amount)} for the period from ${start} to ${end}, not for its last quarter`
    return missingFigure(rule.unit, `${text}, and no amount from ${start} to the quarter before`)
  }
  return combineAmounts(rule, [amount], [earlier], history)
}

interface AmountToDate {
  readonly amount: PeriodAmount
  /** The duration that ends a quarter earlier. */
  readonly shorter: Duration
}

/** The amounts that end on the day and are longer than a quarter, the longest first, with or without a value. */
function statedToDate(rule: FigureRule, end: IsoDate, history: FactHistory): readonly AmountToDate[] {
  return DIFFERENCES.map(([duration, shorter]) => ({
    amount: history.amountTo(rule, duration, end),
    shorter,
  }))
}

/** The note of a quarter that ends a fiscal year; otherwise null. */
function compareWithYear(
  rule: FigureRule,
  end: IsoDate,
  quarter: PeriodAmount,
  history: FactHistory,
): string | null {
  if (rule.unit !== 'USD' || quarter.figure.value === null) return null
  const year = history.amountTo(rule, 'year', end).figure
  if (year.value === null) return null
  const quarters = listQuarters(rule, end, quarter, history)
  const missing = quarters.find(({ figure }) => figure.value === null)
  return missing === undefined ? differenceText(year, quarters, history) : missing.figure.reason
}

/** Why four quarters do not add up to the twelve months. Null if they do. */
function differenceText(
  { value, facts, subtracted }: FigureValue,
  quarters: readonly PeriodAmount[],
  history: FactHistory,
): string | null {
  const sum = sumOfAmounts(quarters.map(({ figure }) => figure))
  const difference = sum.minus(value ?? 0).abs()
  if (difference.isZero()) return null
  const all = [...facts, ...subtracted]
  for (const { figure } of quarters) all.push(...figure.facts, ...figure.subtracted)
  const why =
    history.findMixed(all) !== null
      ? 'only some of these amounts were restated'
      : difference.lte(Math.max(...all.map(roundingUnit)) * quarters.length)
        ? 'the filings round'
        : 'so the filings state them'
  return `the four quarters add up to ${sum.toFixed()}, the twelve months are ${value?.toFixed()}: ${why}`
}

const QUARTERS_OF_YEAR = 4

/** The quarter and the three before it. Ends with the first one that is null. */
function listQuarters(
  rule: FigureRule,
  end: IsoDate,
  last: PeriodAmount,
  history: FactHistory,
): readonly PeriodAmount[] {
  const quarters = [last]
  let current = last
  while (quarters.length < QUARTERS_OF_YEAR && current.figure.value !== null) {
    current = quarterBefore(rule, current, end, history)
    quarters.push(current)
  }
  return quarters
}

/** The quarter before one that has a value. `end`: the last day of the twelve months. */
function quarterBefore(
  rule: FigureRule,
  quarter: PeriodAmount,
  end: IsoDate,
  history: FactHistory,
): PeriodAmount {
  const start = startOfAmount(quarter.figure)
  const before = start === null ? null : history.findEnd(DURATIONS, addDays(start, -1))
  if (before === null) {
    const reason = `the four quarters to ${end} are not complete: the filings state none that ends before ${start}`
    return { figure: missingFigure(rule.unit, reason), stated: [] }
  }
  const found = quarterAmount(rule, before, history)
  if (found.figure.value !== null) return found
  const reason = `the four quarters to ${end} are not complete: ${found.figure.reason}`
  return { ...found, figure: { ...found.figure, reason } }
}

/**
 * The amount of the twelve months that end on a day: the fiscal year if it ends then, otherwise the last fiscal year plus the
 * amount since its end less the same months of the year before, otherwise the sum of four quarters.
 */
export function computeTrailing(rule: FigureRule, end: IsoDate, history: FactHistory): FigureValue {
  const year = history.amountTo(rule, 'year', end).figure
  if (year.value === null && rule.unit !== 'USD')
    return missingFigure(rule.unit, perShareText(null, 'twelve months', end))
  const rolled = year.value === null ? rollYear(rule, end, history) : year
  if (rule.unit !== 'USD' && rolled !== null) return rolled
  const quarters = listQuarters(rule, end, quarterAmount(rule, end, history), history)
  if (rolled?.value == null) {
    const summed = combineAmounts(rule, quarters, [], history)
    return summed.value === null && rolled !== null ? rolled : summed
  }
  const isComplete = quarters.every(({ figure }) => figure.value !== null)
  return isComplete ? { ...rolled, note: differenceText(rolled, quarters, history) } : rolled
}

/** The last fiscal year plus the amount since its end less the same months before; null without these periods. */
function rollYear(rule: FigureRule, end: IsoDate, history: FactHistory): FigureValue | null {
  for (const duration of ['nine_months', 'half', 'quarter'] as const) {
    const toDate = history.amountTo(rule, duration, end)
    const start = toDate.figure.value === null ? null : commonStart(toDate.figure)
    const yearEnd = start === null ? null : history.findEnd(['year'], addDays(start, -1))
    if (yearEnd === null) continue
    const year = history.amountTo(rule, 'year', yearEnd)
    const yearStart = commonStart(year.figure)
    const earlier = yearStart === null ? null : history.amountFrom(rule, duration, yearStart)
    if (earlier === null) continue
    return combineAmounts(rule, [year, toDate], [earlier], history)
  }
  return null
}

function perShareText(stated: PeriodAmount | null, span: string, end: IsoDate): string {
  const text = `the filings do not state it for the ${span} to ${end}; amounts per share and counts of shares are not added or subtracted`
  return stated === null ? text : `${text}, so ${tagsOf(stated)} of a longer period gives none`
}

function tagsOf({ figure }: PeriodAmount): string {
  return figure.facts.map(tagOfFact).join(' and ')
}
