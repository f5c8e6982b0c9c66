import { groupBy } from '../../../core/group-by.js'
import { addDays, daysBetween, type IsoDate } from '../../../core/time.js'
import type { DayRates } from './euro-rates.js'

/** Periods whose average rates Frankfurter gives. */
export type RatePeriod = 'week' | 'month'

interface DayRange {
  readonly from: IsoDate
  readonly to: IsoDate
}

/** The first seven days of a year, of which 1 January 1900 was a Monday, tell the day of the week. */
const SOME_MONDAY = '1900-01-01' as IsoDate // a day of the calendar

/**
 * The date by which Frankfurter names the period of a day: the first of its month; or 1 January plus seven days for each Monday
 * of the year up to the day. The second one is rarely a Monday and may be later than the day.
 */
function periodOf(period: RatePeriod, date: IsoDate): IsoDate {
  if (period === 'month') return `${date.slice(0, 7)}-01` as IsoDate // a day of the same month
  const newYear = `${date.slice(0, 4)}-01-01` as IsoDate // a day of the same year
  const sinceMonday = daysBetween(SOME_MONDAY, date) % 7
  return addDays(newYear, 7 * Math.floor((daysBetween(newYear, date) + 7 - sinceMonday) / 7))
}

/** The days of all periods that a range touches. */
export function widenToPeriods(period: RatePeriod, { from, to }: DayRange): DayRange {
  if (period === 'week') return { from: addDays(from, -14), to: addDays(to, 7) }
  return {
    from: periodOf(period, from),
    to: addDays(periodOf(period, addDays(periodOf(period, to), 31)), -1),
  }
}

/** The average rates of the periods in a range; its first period is the one that its first day belongs to. */
export function averageByPeriod(
  days: readonly DayRates[],
  period: RatePeriod,
  { from, to }: DayRange,
): readonly DayRates[] {
  const periods = groupBy(days, ({ date }) => periodOf(period, date as IsoDate)) // a day of our own answer
  const names = [...periods.keys()].sort()
  const first = names.findLast((name) => name <= from) ?? from
  return names.flatMap((name) =>
    name < first || name > to ? [] : [averageOf(name, periods.get(name) ?? [])],
  )
}

function averageOf(date: string, days: readonly DayRates[]): DayRates {
  const byQuote = groupBy(
    days.flatMap(({ quotes }) => quotes),
    ([code]) => code,
  )
  return {
    date,
    baseRate: mean(days.map(({ baseRate }) => baseRate)),
    quotes: Array.from(byQuote, ([code, rates]) => [code, mean(rates.map(([, rate]) => rate))]),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
