import { LONG_SERIES_LIMITS } from '../../core/page.js'
import { DAY_MS, toIsoDate } from '../../core/time.js'
import { MACRO_ROWS_PER_UNIT } from '../../policy/limits.js'

/** The first days of daily series by publisher. */
const FIRST_DAYS: Readonly<Record<string, string>> = { ust: '1990-01-02', ecb: '1999-01-01' }

const WEEKDAYS = 5

/** How much of a daily series is asked for. */
interface DailyRange {
  readonly provider: string
  /** First and last day, both included. */
  readonly start: string
  readonly end: string
  /** Whether days of weekends have values too. */
  readonly hasWeekends: boolean
}

/** The size of a page that has every row of the range. The price of a page depends on the rows that it may have. */
export function rowsWithin({ provider, start, end, hasWeekends }: DailyRange, now: Date): number {
  const today = toIsoDate(now)
  const oldest = FIRST_DAYS[provider] ?? start
  const [first, last] = [start > oldest ? start : oldest, end < today ? end : today]
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1
  const rows = hasWeekends ? days : Math.ceil((days * WEEKDAYS) / 7) + 1
  return Math.min(Math.max(rows, MACRO_ROWS_PER_UNIT), LONG_SERIES_LIMITS.max)
}
