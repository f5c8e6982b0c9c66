import {
  type AsOfArguments,
  type Given,
  parseAsOfArgument,
  parseInstant,
  parseLimit,
  parseOrder,
  shownText,
  type WholeBounds,
} from '../../../core/argument-parsers.js'
import type { AsOf } from '../../../core/as-of.js'
import { ApiError } from '../../../core/errors.js'
import type { Slug } from '../../../core/identifiers.js'
import { Problems } from '../../../core/problems.js'
import { DAY_MS } from '../../../core/time.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { reasonOf, requireAccess, requireCaller } from '../../../policy/decide.js'
import { CANDLE_HISTORY_DAYS } from '../../../policy/limits.js'
import { type AssetArguments, parseAssetName } from '../../assets/by-service.js'
import {
  type CandleRange,
  TIMEFRAMES,
  type Timeframe,
  WINDOW_MS,
  type WindowRange,
  windowsBetween,
} from '../model.js'

/** Candles per response. From the API contract. */
export const CANDLE_LIMITS = { min: 1, max: 1000, default: 500 } as const satisfies WholeBounds

/** A query without `from` begins this many days before `to`. From the API contract. */
export const CANDLE_DEFAULT_DAYS = 30

export interface CandleQuery {
  readonly windows: WindowRange
  /** Selects what was known at this instant. Null selects what is known now. */
  readonly asOf: AsOf | null
}

export interface CandleArguments extends AsOfArguments {
  readonly timeframe?: Given<string>
  readonly from?: Given<Date>
  readonly to?: Given<Date>
  readonly limit?: Given<number>
}

/**
 * Checks the arguments of a candle query. The 422 names every wrong one. The 403 names the scope for 1h or for old windows:
 * those that start before the window that contains the instant 365 days ago.
 */
export function parseCandleQuery(args: CandleArguments, context: RequestContext): CandleQuery {
  const problems = new Problems()
  const range = parseCandleRange(problems, args, context)
  const limit = parseLimit(problems, args.limit, CANDLE_LIMITS)
  const asOf = parseAsOfArgument(problems, args, context.now)
  problems.refuse()
  assertRangeAccess(range, context)
  return { windows: windowsBetween(range, limit), asOf }
}

/** Parses timeframe, `from` and `to`, and adds a problem for each wrong one. A range ends now at the latest. */
export function parseCandleRange(
  problems: Problems,
  args: CandleArguments,
  { now }: RequestContext,
): CandleRange {
  const timeframe = parseTimeframe(problems, args.timeframe)
  const to = parseInstant(problems, 'to', args.to) ?? now
  const until = new Date(Math.min(to.getTime(), now.getTime()))
  const from =
    parseInstant(problems, 'from', args.from) ?? new Date(until.getTime() - CANDLE_DEFAULT_DAYS * DAY_MS)
  parseOrder(problems, from, to)
  return { timeframe, from, until }
}

/**
 * As `assertHistoryAccess`. The response then stays valid until its first candle needs history:full, and until the next
 * window ends if the range ends now.
 */
export function assertRangeAccess({ timeframe, from, until }: CandleRange, context: RequestContext): void {
  const { now, validity } = context
  assertHistoryAccess(timeframe, from, context)
  if (until >= now) validity?.endsBy(endOfWindow(now, timeframe))
  const needsHistoryAt = new Date(endOfWindow(from, timeframe).getTime() + CANDLE_HISTORY_DAYS * DAY_MS)
  if (needsHistoryAt > now) validity?.endsBy(needsHistoryAt)
}

/** `from` and `to` of the older windows that the limit cut off. Null without any. */
export function olderWindowsArguments(
  windows: WindowRange,
): { readonly from: string; readonly to: string } | null {
  const { timeframe, first, end, total } = windows
  const start = new Date(end.getTime() - total * WINDOW_MS[timeframe])
  return start < first ? { from: start.toISOString(), to: first.toISOString() } : null
}

/** End of the window that contains an instant. */
function endOfWindow(instant: Date, timeframe: Timeframe): Date {
  const lengthMs = WINDOW_MS[timeframe]
  return new Date((Math.floor(instant.getTime() / lengthMs) + 1) * lengthMs)
}

/** Throws a 403 if the caller lacks the scope for this timeframe or for windows of this age. */
export function assertHistoryAccess(timeframe: Timeframe, from: Date, context: RequestContext): void {
  if (timeframe === '1h') requireAccess(context.principal, 'ohlcv:intraday')
  const lengthMs = WINDOW_MS[timeframe]
  const openSinceMs = (context.arrivedAt ?? context.now).getTime() - CANDLE_HISTORY_DAYS * DAY_MS
  const oldest = new Date(Math.floor(openSinceMs / lengthMs) * lengthMs)
  if (from < oldest) assertFullHistory(oldest, context)
}

/** The message of the 403 names the first instant that is open without the scope. */
function assertFullHistory(oldest: Date, { principal }: RequestContext): void {
  const caller = requireCaller(principal)
  if (caller.scopes.has('history:full')) return
  const since = oldest.toISOString()
  throw new ApiError('forbidden', {
    message: `Candles from before ${since} need the scope history:full: ${reasonOf(caller, 'history:full')}. Without it, request candles from ${since} or later.`,
    requiredScope: 'history:full',
  })
}

/** The window whose inputs are read. */
export interface InputsWindow {
  readonly timeframe: Timeframe
  /** Start of the window. Null selects the newest stored candle. */
  readonly ts: Date | null
  readonly asOf: AsOf | null
}

export interface InputsQuery extends InputsWindow {
  readonly slug: Slug
}

export interface InputsArguments extends Pick<CandleArguments, 'timeframe' | keyof AsOfArguments> {
  readonly ts?: Given<Date>
}

/** Checks the arguments. The 422 names every wrong one. The 403 is that of the candle. */
export function parseInputsWindow(args: InputsArguments, context: RequestContext): InputsWindow {
  const problems = new Problems()
  const timeframe = parseTimeframe(problems, args.timeframe)
  const lengthMs = WINDOW_MS[timeframe]
  const ts = parseInstant(problems, 'ts', args.ts)
  if (ts !== null && ts.getTime() % lengthMs !== 0) {
    const start = timeframe === '1h' ? 'a full hour' : 'midnight'
    problems.add('ts', `must be the start of a window, ${start} UTC; got ${ts.toISOString()}`)
  }
  const asOf = parseAsOfArgument(problems, args, context.now)
  problems.refuse()
  assertHistoryAccess(timeframe, ts ?? context.now, context)
  return { timeframe, ts, asOf }
}

/** As `parseInputsWindow`, with the asset. A ticker instead of a slug is a 404. */
export async function parseInputsQuery(
  { id, by, ...args }: InputsArguments & AssetArguments,
  context: RequestContext,
): Promise<InputsQuery> {
  const window = parseInputsWindow(args, context)
  return { slug: await parseAssetName({ id, by }, context), ...window }
}

/** The timeframe, 1d by default. For an unknown one it adds a problem and returns 1d. */
export function parseTimeframe(problems: Problems, text: Given<string>): Timeframe {
  const requested = text ?? '1d'
  const known = TIMEFRAMES.find((timeframe) => timeframe === requested)
  if (known !== undefined) return known
  // Suggests a timeframe only for another case (1H). Another unit is not a spelling mistake.
  const near = TIMEFRAMES.find((timeframe) => timeframe === requested.toLowerCase())
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  problems.add('timeframe', `must be ${TIMEFRAMES.join(' or ')}; got ${shownText(requested)}${hint}`)
  return '1d'
}
