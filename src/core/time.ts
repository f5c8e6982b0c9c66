/** The only source of the current time; tests pass a fixed clock. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** A clock that does not move; throws RangeError when the text is not a date. */
export function fixedClock(instant: string | Date): Clock {
  const epochMs = new Date(instant).getTime()
  if (Number.isNaN(epochMs)) throw new RangeError(`"${String(instant)}" is not an instant`)
  return { now: () => new Date(epochMs) }
}

/** A calendar date without time, `YYYY-MM-DD`, years 1900 to 2200; text order is date order. */
export type IsoDate = string & { readonly __brand: 'IsoDate' }

const MIN_YEAR = 1900
const MAX_YEAR = 2200
/** Milliseconds of a minute, an hour and a UTC day. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** A date of the calendar from 1900 to 2200 (30 February is invalid), else null. */
export function parseIsoDate(text: string): IsoDate | null {
  if (!isCalendarDay(text)) return null
  return hasYear(new Date(text)) ? (text as IsoDate) : null // checked above: a real date in range
}

/** Like `parseIsoDate`, for a day of the code or of its tables. Throws RangeError for any other text. */
export function requireIsoDate(text: string): IsoDate {
  const date = parseIsoDate(text)
  if (date === null) throw new RangeError(`${text} is not a date`)
  return date
}

/** Whether the text is a day of the calendar, `YYYY-MM-DD`, of any year. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const instant = new Date(`${text}T00:00:00Z`)
  // Date turns 30 February into 1 March; converting back reveals it.
  return !Number.isNaN(instant.getTime()) && instant.toISOString().slice(0, 10) === text
}

/** Why a text is not an IsoDate, for a caller; null if it is one. */
export function explainIsoDate(text: string): string | null {
  if (parseIsoDate(text) !== null) return null
  const got = `got ${JSON.stringify(text.slice(0, 40))}`
  const isInstant = text.length === 10 || !Number.isNaN(new Date(text).getTime())
  if (!isInstant || !isCalendarDay(text.slice(0, 10))) return `must be a calendar day, YYYY-MM-DD; ${got}`
  if (text.length > 10) return `must be a day without a time, such as ${text.slice(0, 10)}; ${got}`
  return `must be in the years ${MIN_YEAR} to ${MAX_YEAR}; ${got}`
}

/** The UTC date of an instant; throws RangeError outside 1900 to 2200. */
export function toIsoDate(instant: Date): IsoDate {
  if (!hasYear(instant))
    throw new RangeError(`the instant ${instant.getTime()} is outside ${MIN_YEAR}..${MAX_YEAR}`)
  return instant.toISOString().slice(0, 10) as IsoDate // the ISO text of a date in range
}

/** The date `days` later (earlier when negative); throws RangeError outside 1900 to 2200. */
export function addDays(date: IsoDate, days: number): IsoDate {
  return toIsoDate(new Date(midnight(date) + days * DAY_MS))
}

/** Whole days from `from` to `to`, negative when `to` is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return (midnight(to) - midnight(from)) / DAY_MS
}

/** Start of the minute that holds the instant. */
export function startOfMinute(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / MINUTE_MS) * MINUTE_MS)
}

/** Start of the UTC hour that holds the instant. */
export function startOfHour(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / HOUR_MS) * HOUR_MS)
}

/** Start of the next UTC hour: the exclusive end of the window. */
export function endOfHour(instant: Date): Date {
  return new Date(startOfHour(instant).getTime() + HOUR_MS)
}

/** Start of the UTC day that holds the instant. */
export function startOfDay(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / DAY_MS) * DAY_MS)
}

/** Start of the next UTC day: the exclusive end of the window. */
export function endOfDay(instant: Date): Date {
  return new Date(startOfDay(instant).getTime() + DAY_MS)
}

/** Start of the UTC calendar month that holds the instant. */
export function startOfMonth(instant: Date): Date {
  return new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth(), 1))
}

/** Start of the next UTC calendar month: the exclusive end of the window. */
export function endOfMonth(instant: Date): Date {
  return new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + 1, 1))
}

export interface Period {
  readonly frequency: 'annual' | 'quarterly' | 'monthly' | 'daily'
  /** First day of the period. */
  readonly start: IsoDate
}

/** Parses `YYYY`, `YYYY-Qn`, `YYYY-MM` or `YYYY-MM-DD` (the formats of SDMX providers); null for other text. */
export function parsePeriod(text: string): Period | null {
  const quarter = /^(\d{4})-Q([1-4])$/.exec(text)
  if (quarter !== null) {
    const month = String(Number(quarter[2]) * 3 - 2).padStart(2, '0')
    return periodFrom('quarterly', `${quarter[1]}-${month}-01`)
  }
  if (/^\d{4}$/.test(text)) return periodFrom('annual', `${text}-01-01`)
  if (/^\d{4}-\d{2}$/.test(text)) return periodFrom('monthly', `${text}-01`)
  return periodFrom('daily', text)
}

function periodFrom(frequency: Period['frequency'], startText: string): Period | null {
  const start = parseIsoDate(startText)
  return start === null ? null : { frequency, start }
}

function midnight(date: IsoDate): number {
  return Date.parse(`${date}T00:00:00Z`)
}

function hasYear(instant: Date): boolean {
  const year = instant.getUTCFullYear()
  return year >= MIN_YEAR && year <= MAX_YEAR
}

/** The later of two instants; null is before all others. */
export function laterOf<Instant extends Date | null>(a: Instant, b: Instant): Instant {
  if (a === null || b === null) return a ?? b
  return a > b ? a : b
}
