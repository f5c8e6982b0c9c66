import { type Given, parseDate, parseOrder, shownText } from '../../core/argument-parsers.js'
import { CALENDARS, calendarByCode } from '../../core/calendars/calendars.js'
import { dateOf } from '../../core/calendars/days.js'
import {
  sessionsBetween,
  type TradingCalendar,
  type TradingSession,
} from '../../core/calendars/trading-calendar.js'
import { notFound } from '../../core/errors.js'
import { Problems } from '../../core/problems.js'
import { didYouMean, suggest } from '../../core/suggest.js'
import { daysBetween, type IsoDate, toIsoDate } from '../../core/time.js'

/** The most days of one response, about 2,500 sessions. */
export const MAX_DAYS = 3_660

/** A calendar and the requested days, both inclusive. */
export interface CalendarQuery {
  readonly calendar: TradingCalendar
  readonly from: IsoDate
  readonly to: IsoDate
}

/** A calendar and its sessions on the requested days. */
export interface CalendarSessions extends TradingCalendar {
  readonly sessions: readonly TradingSession[]
}

/** Every calendar, TARGET first. */
export function listCalendars(): readonly TradingCalendar[] {
  return CALENDARS
}

/**
 * Parses the arguments of a calendar. Without `from` the days begin on 1 January of the year of `to`, else of this year;
 * without `to` they end on 31 December of the year of `from`. An unknown code is a 404, a day outside the coverage a 422.
 */
export function parseCalendarQuery(
  args: { readonly code: string; readonly from?: Given<string>; readonly to?: Given<string> },
  { now }: { readonly now: Date },
): CalendarQuery {
  const problems = new Problems()
  const givenFrom = parseDate(problems, 'from', args.from)
  const givenTo = parseDate(problems, 'to', args.to)
  const calendar = getCalendar(args.code)
  const from = givenFrom ?? dateOf(yearOf(givenTo ?? toIsoDate(now)), 1, 1)
  const to = givenTo ?? dateOf(yearOf(from), 12, 31)
  parseOrder(problems, from, to)
  if (from < calendar.coversFrom) problems.add('from', outsideText(calendar, from))
  if (to > calendar.coversTo) problems.add('to', outsideText(calendar, to))
  if (dayCountOf({ from, to }) > MAX_DAYS)
    problems.add('to', `must be at most ${MAX_DAYS} days after from; got ${dayCountOf({ from, to })} days`)
  problems.refuse()
  return { calendar, from, to }
}

function yearOf(date: IsoDate): number {
  return Number(date.slice(0, 4))
}

/** Days from the first to the last, both counted. */
export function dayCountOf({ from, to }: Pick<CalendarQuery, 'from' | 'to'>): number {
  return daysBetween(from, to) + 1
}

function outsideText({ code, coversFrom, coversTo }: TradingCalendar, day: IsoDate): string {
  return `must be a day that the calendar of ${code} covers: ${coversFrom} to ${coversTo}; got ${day}`
}

function getCalendar(text: string): TradingCalendar {
  const code = text.toUpperCase()
  const calendar = calendarByCode(code)
  if (calendar !== undefined) return calendar
  const near = didYouMean(
    suggest(
      code,
      CALENDARS.map((known) => known.code),
    ),
  )
  throw notFound(
    (name) =>
      `No calendar has the code ${shownText(text)}${near} Use ${name('calendars')} to list all calendars.`,
  )
}

export function getCalendarSessions({ calendar, from, to }: CalendarQuery): CalendarSessions {
  return { ...calendar, sessions: sessionsBetween(calendar, from, to) }
}
