import { memoizeByObject } from '../memoize-by-object.js'
import { addDays, type IsoDate } from '../time.js'
import { isWeekend } from './days.js'
import { type SpecialDay, specialDaysOf } from './special-days.js'
import { instantIn } from './zoned-time.js'

/** The usual hours of a session in local time, `HH:MM`. */
export interface TradingHours {
  /** First day with these hours. */
  readonly since: IsoDate
  readonly opens: string
  readonly closes: string
}

/** The rules by which a market or payment system opens. Saturdays and Sundays are always closed. */
export interface TradingCalendar {
  /** Market identifier code (ISO 10383), or TARGET. */
  readonly code: string
  readonly name: string
  /** IANA time zone of the hours. */
  readonly timeZone: string
  /** First and last day that the rules are known for. */
  readonly coversFrom: IsoDate
  readonly coversTo: IsoDate
  /** The days whose sessions were compared with recorded ones. Null if no recorded sessions exist. */
  readonly verified: { readonly from: IsoDate; readonly to: IsoDate } | null
  /** Where the rules are published. */
  readonly source: string
  /** Oldest first. Null for a payment system, which has business days without trading hours. */
  readonly hours: readonly [TradingHours, ...TradingHours[]] | null
  /** The closed weekdays of a year. It may contain weekends. */
  closedDays(year: number): readonly IsoDate[]
  /** The sessions of a year that end early, with their local closing time. It may contain closed days. */
  earlyCloses?(year: number): readonly (readonly [day: IsoDate, closes: string])[]
}

/** A day on which the market is open. */
export interface TradingSession {
  readonly date: IsoDate
  /** Null for a payment system. */
  readonly opensAt: Date | null
  readonly closesAt: Date | null
  readonly isLateOpen: boolean
  readonly isEarlyClose: boolean
}

interface CalendarYear {
  readonly closed: ReadonlySet<IsoDate>
  readonly early: ReadonlyMap<IsoDate, string>
  readonly special: ReadonlyMap<IsoDate, SpecialDay>
}

// A date has one of 301 years, so this is bounded.
const yearsOf = memoizeByObject((_: TradingCalendar) => new Map<number, CalendarYear>())

function calendarYear(calendar: TradingCalendar, date: IsoDate): CalendarYear {
  const year = Number(date.slice(0, 4))
  const years = yearsOf(calendar)
  const known = years.get(year)
  if (known !== undefined) return known
  const computed = {
    closed: new Set(calendar.closedDays(year)),
    early: new Map(calendar.earlyCloses?.(year)),
    special: new Map(specialDaysOf(calendar.code, year).map((day) => [day.date, day])),
  }
  years.set(year, computed)
  return computed
}

/** Whether the market is open that day. Outside its coverage the calendar extends the rules of its nearest year. */
export function isSession(calendar: TradingCalendar, date: IsoDate): boolean {
  return !isWeekend(date) && !calendarYear(calendar, date).closed.has(date)
}

/** Whether the rules of the calendar are known for that day. */
export function covers({ coversFrom, coversTo }: TradingCalendar, date: IsoDate): boolean {
  return coversFrom <= date && date <= coversTo
}

/** The sessions from the first to the last day, inclusive, oldest first. */
export function sessionsBetween(
  calendar: TradingCalendar,
  from: IsoDate,
  to: IsoDate,
): readonly TradingSession[] {
  const sessions: TradingSession[] = []
  for (let date = from; date <= to; date = addDays(date, 1)) {
    if (isSession(calendar, date)) sessions.push(sessionOf(calendar, date))
  }
  return sessions
}

/** The session of a day on which the market is open. */
function sessionOf(calendar: TradingCalendar, date: IsoDate): TradingSession {
  const hours = calendar.hours?.findLast(({ since }) => since <= date) ?? calendar.hours?.[0]
  if (hours === undefined)
    return { date, opensAt: null, closesAt: null, isLateOpen: false, isEarlyClose: false }
  const { early, special } = calendarYear(calendar, date)
  const { opens: late, closes = early.get(date) } = special.get(date) ?? {}
  const at = instantIn(calendar.timeZone, date)
  return {
    date,
    opensAt: at(late ?? hours.opens),
    closesAt: at(closes ?? hours.closes),
    isLateOpen: late !== undefined,
    isEarlyClose: closes !== undefined,
  }
}

/** The day of the first session after a day, never the day itself. */
export function nextSessionDay(calendar: TradingCalendar, date: IsoDate): IsoDate {
  let day = addDays(date, 1)
  while (!isSession(calendar, day)) day = addDays(day, 1)
  return day
}
