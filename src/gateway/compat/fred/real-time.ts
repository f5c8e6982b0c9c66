import { dateOf } from '../../../core/calendars/days.js'
import { instantIn } from '../../../core/calendars/zoned-time.js'
import { addDays, DAY_MS, HOUR_MS, type IsoDate, parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { TranslatedCall } from '../compat-interface.js'
import { badRequest, parseFredDate } from './parameters.js'

/** The days of FRED are those of St. Louis. */
const TIME_ZONE = 'America/Chicago'

/** The first and last day of FRED's real time. */
export const FIRST_REAL_TIME = '1776-07-04'
export const LAST_REAL_TIME = '9999-12-31'

/** Nothing was known then, and operations take no earlier instant. */
const EARLIEST = dateOf(1970, 1, 1)

/** The instants at which this gateway learned a value and another one; null if it is current. */
export interface Version {
  readonly known_from: string
  readonly known_to: string | null
}

/** The real-time period of a request: first and last day on which the answer was, or is, known. */
export interface RealTime {
  readonly start: string
  readonly end: string
  /** Null for a period of the past; else the instant from which today is another day. */
  readonly endsAt: Date | null
}

function endOfCentralDay(date: IsoDate): Date {
  return instantIn(TIME_ZONE, date)('24:00')
}

/** The day in St. Louis, which is behind UTC. */
export function toCentralDate(instant: Date): IsoDate {
  const date = toIsoDate(instant)
  const dayBefore = addDays(date, -1)
  return instant < endOfCentralDay(dayBefore) ? dayBefore : date
}

/** 2015-06-05 08:47:20-05 */
export function toCentralText(instant: Date): string {
  const date = toCentralDate(instant)
  const behindMs = endOfCentralDay(date).getTime() - Date.parse(date) - DAY_MS
  const local = new Date(instant.getTime() - behindMs).toISOString()
  return `${date} ${local.slice(11, 19)}-0${behindMs / HOUR_MS}`
}

/** The real-time period of the query. By default it is today, or the end if only that is given. */
export function parseRealTime(query: URLSearchParams, now: Date): RealTime {
  const today = toCentralDate(now)
  const end = parseRealTimeDate(query, 'realtime_end', today) ?? today
  const start = parseRealTimeDate(query, 'realtime_start', today) ?? earlierDay(end, today)
  if (start > end) throw badRequest('Variable realtime_start is after realtime_end.')
  return { start, end, endsAt: end < today ? null : endOfCentralDay(today) }
}

function parseRealTimeDate(query: URLSearchParams, name: string, today: string): string | null {
  const date = parseFredDate(query, name)
  if (date !== null && date < FIRST_REAL_TIME)
    throw badRequest(`Variable ${name} is before the real-time min date ${FIRST_REAL_TIME}.`)
  if (date !== null && date > today && date !== LAST_REAL_TIME)
    throw badRequest(
      `Variable ${name} can not be after today's date (${today}) unless it's equal to the real-time max date ${LAST_REAL_TIME}.`,
    )
  return date
}

/** Whether the period is one day, on which each observation has one value. */
export function isOneDay({ start, end }: RealTime): boolean {
  return start === end
}

/** The argument of an operation for the end of the period; none if the period has not ended. */
export function toAsOf(realTime: RealTime): Readonly<Record<string, string>> {
  if (realTime.endsAt !== null) return {}
  const end = parseIsoDate(laterDay(realTime.end, EARLIEST)) ?? EARLIEST
  return { as_of: new Date(endOfCentralDay(end).getTime() - 1).toISOString() }
}

/** Until when an answer with these days is the same. */
export function validityOf({ endsAt }: RealTime): Pick<TranslatedCall, 'endsAt'> {
  return endsAt === null ? {} : { endsAt }
}

/** The part of a real-time period in which a version was current; null if it has none. */
export function currentPeriod(
  { known_from, known_to }: Version,
  realTime: RealTime,
): Pick<RealTime, 'start' | 'end'> | null {
  const first = toCentralDate(new Date(known_from))
  const last = known_to === null ? LAST_REAL_TIME : addDays(toCentralDate(new Date(known_to)), -1)
  const start = laterDay(first, realTime.start)
  const end = earlierDay(last, realTime.end)
  return start > end ? null : { start, end }
}

function earlierDay(a: string, b: string): string {
  return [a, b].sort()[0] ?? a
}

function laterDay(a: string, b: string): string {
  return [a, b].sort()[1] ?? a
}
