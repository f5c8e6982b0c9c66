import { type AsOf, createAsOf, type KnowledgeBasis } from './as-of.js'
import {
  explainMic,
  explainTicker,
  type Mic,
  parseMic,
  parseTicker,
  parseUuid,
  type Ticker,
} from './identifiers.js'
import type { Problems } from './problems.js'
import { explainIsoDate, type IsoDate, parseIsoDate, toIsoDate } from './time.js'

/** An argument as both APIs pass it: absent, null or a value. */
export type Given<Value> = Value | null | undefined

/** The bounds of a whole number, inclusive, and its default. */
export interface WholeBounds {
  readonly min: number
  readonly max: number
  readonly default: number
}

/** The data lies well within these years; instants outside are typing errors. */
const EARLIEST = new Date('1970-01-01T00:00:00Z')
const LATEST = new Date('2200-01-01T00:00:00Z')

const MAX_SHOWN_TEXT = 40

/** A calendar day; null if absent or invalid. */
export function parseDate(problems: Problems, field: string, text: Given<string>): IsoDate | null {
  if (text == null) return null
  const problem = explainIsoDate(text)
  if (problem !== null) problems.add(field, problem)
  return parseIsoDate(text)
}

/** A calendar day that is not in the future; null if absent or invalid. */
export function parsePastDay(
  problems: Problems,
  field: string,
  text: Given<string>,
  now: Date,
): IsoDate | null {
  const day = parseDate(problems, field, text)
  const today = toIsoDate(now)
  if (day === null || day <= today) return day
  problems.add(field, `must not be in the future: today (UTC) is ${today}; got ${day}`)
  return null
}

/** The day of a report, which may be given by its former name `as_of`. */
export interface ReportDateArguments {
  readonly report_date?: Given<string>
  readonly as_of?: Given<string>
}

/** The day of a report, not in the future; null if absent or invalid. */
export function parseReportDate(
  problems: Problems,
  { report_date, as_of }: ReportDateArguments,
  now: Date,
): IsoDate | null {
  if (as_of == null) return parsePastDay(problems, 'report_date', report_date, now)
  if (report_date != null) problems.add('as_of', 'is the former name of report_date; give one of them')
  return parsePastDay(problems, 'as_of', as_of, now)
}

/** The ticker in upper case; null if invalid. */
export function parseTickerArgument(problems: Problems, text: string, field = 'ticker'): Ticker | null {
  const problem = explainTicker(text)
  if (problem !== null) problems.add(field, problem)
  return parseTicker(text)
}

/** The market code of `mic` in upper case; null if absent or invalid. */
export function parseMicArgument(problems: Problems, text: Given<string>): Mic | null {
  if (text == null) return null
  const mic = parseMic(text)
  if (mic === null) problems.add('mic', `${explainMic(text) ?? 'must be a market'}; got ${shownText(text)}`)
  return mic
}

/** An instant in the years 1970 to 2199; null if absent or outside them. */
export function parseInstant(problems: Problems, field: string, instant: Given<Date>): Date | null {
  if (instant == null) return null
  if (instant >= EARLIEST && instant < LATEST) return instant
  problems.add(field, `must be in the years 1970 to 2199; got ${instant.toISOString()}`)
  return null
}

/** The instant whose knowledge is requested, and its basis. */
export interface AsOfArguments {
  readonly as_of?: Given<Date>
  readonly basis?: Given<KnowledgeBasis>
}

/** The knowledge of `as_of` and `basis`, which must not be in the future; null for now. */
export function parseAsOfArgument(
  problems: Problems,
  { as_of, basis }: AsOfArguments,
  now: Date,
): AsOf | null {
  const at = parseInstant(problems, 'as_of', as_of)
  if (at === null || at <= now) return createAsOf(at, basis)
  problems.add('as_of', `must not be in the future: nothing is known of it yet; got ${at.toISOString()}`)
  return null
}

/** Adds a problem if `from` is after `to`. */
export function parseOrder<Bound extends Date | IsoDate>(problems: Problems, from: Bound, to: Bound): void {
  if (from <= to) return
  problems.add('from', `must not be after to; got ${boundText(from)} and ${boundText(to)}`)
}

/** A whole number within its bounds; the default if absent or invalid. */
export function parseWhole(
  problems: Problems,
  field: string,
  given: Given<number>,
  { min, max, default: fallback }: WholeBounds,
): number {
  const value = given ?? fallback
  if (!Number.isInteger(value)) problems.add(field, `must be a whole number; got ${value}`)
  else if (value < min || value > max) problems.add(field, `must be between ${min} and ${max}; got ${value}`)
  else return value
  return fallback
}

/** The largest number of rows in an answer, `limit`. */
export function parseLimit(problems: Problems, given: Given<number>, limits: WholeBounds): number {
  return parseWhole(problems, 'limit', given, limits)
}

/** A UUID in lower case; null if absent or invalid. `what` names the thing with this id. */
export function parseUuidArgument(
  problems: Problems,
  field: string,
  text: Given<string>,
  what: string,
): string | null {
  if (text == null) return null
  const uuid = parseUuid(text)
  if (uuid === null) problems.add(field, `must be the UUID of ${what}; got ${shownText(text)}`)
  return uuid
}

/** A text as messages quote it. */
export function shownText(text: string): string {
  return JSON.stringify(text.slice(0, MAX_SHOWN_TEXT))
}

function boundText(bound: Date | IsoDate): string {
  return typeof bound === 'string' ? bound : bound.toISOString()
}
