import { addDays, type IsoDate, isoDateOf, type Period, parseIsoDate } from './time.js'

export type Frequency = Period['frequency']

const MONTHS = { annual: 12, quarterly: 3, monthly: 1 } as const

/** The period that starts on that day, as SDMX providers spell it: `2025`, `2025-Q4`, `2025-12` or `2025-12-31`. */
export function periodText({ frequency, start }: Period): string {
  const year = start.slice(0, 4)
  if (frequency === 'annual') return year
  if (frequency === 'quarterly') return `${year}-Q${Math.ceil(Number(start.slice(5, 7)) / 3)}`
  return frequency === 'monthly' ? start.slice(0, 7) : start
}

/** The last day of a period; throws RangeError outside 1900 to 2200. */
export function endOfPeriod({ frequency, start }: Period): IsoDate {
  if (frequency === 'daily') return start
  const next = Date.UTC(Number(start.slice(0, 4)), Number(start.slice(5, 7)) - 1 + MONTHS[frequency], 1)
  return addDays(isoDateOf(new Date(next)), -1)
}

/** The first day of the quarter that holds the day. */
export function startOfQuarter(date: IsoDate): IsoDate {
  const month = Math.floor((Number(date.slice(5, 7)) - 1) / 3) * 3 + 1
  const start = parseIsoDate(`${date.slice(0, 4)}-${String(month).padStart(2, '0')}-01`)
  if (start === null) throw new RangeError(`${date} is no date`)
  return start
}
