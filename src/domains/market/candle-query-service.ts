import {
  type Given,
  parseAsOfArgument,
  parseInstant,
  parseLimit,
  parseOrder,
  shownText,
  type WholeBounds,
} from '../../core/argument-parsers.js'
import { ApiError } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import { Problems } from '../../core/problems.js'
import { DAY_MS } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { reasonOf, requireAccess, requireCaller } from '../../policy/decide.js'
import { CANDLE_HISTORY_DAYS } from '../../policy/limits.js'
import { parseAssetId } from '../assets/service.js'
import { TIMEFRAMES, type Timeframe, WINDOW_MS, type WindowRange, windowsBetween } from './model.js'

/** Candles per answer; from the API contract. */
export const CANDLE_LIMITS = { min: 1, max: 1000, default: 500 } as const satisfies WholeBounds

/** Days before `to` that a query without `from` begins; from the API contract. */
export const CANDLE_DEFAULT_DAYS = 30

export interface CandleQuery {
  readonly windows: WindowRange
  /** What was known at this instant; null: what is known now. */
  readonly asOf: Date | null
}

export interface CandleArguments {
  readonly timeframe?: Given<string>
  readonly from?: Given<Date>
  readonly to?: Given<Date>
  readonly limit?: Given<number>
  readonly as_of?: Given<Date>
}

/**
 * Checks the arguments of a candle query: 422 names every wrong one, 403 the scope that 1h or windows older than a
 * year need. The older windows are those that start before the one that holds now minus 365 days.
 */
export function parseCandleQuery(args: CandleArguments, context: RequestContext): CandleQuery {
  const problems = new Problems()
  const timeframe = parseTimeframe(problems, args.timeframe)
  const to = parseInstant(problems, 'to', args.to) ?? context.now
  const until = new Date(Math.min(to.getTime(), context.now.getTime()))
  const from =
    parseInstant(problems, 'from', args.from) ?? new Date(until.getTime() - CANDLE_DEFAULT_DAYS * DAY_MS)
  parseOrder(problems, from, to)
  const limit = parseLimit(problems, args.limit, CANDLE_LIMITS)
  const asOf = parseAsOfArgument(problems, args.as_of, context.now)
  problems.refuse()
  requireHistory(timeframe, from, context)
  // Until a window ends, no candle of an open range is added; and no older one falls behind the open history.
  context.validity?.endsBy(nextWindow(context.now, timeframe))
  return { windows: windowsBetween(timeframe, from, until, limit), asOf }
}

/** `from` and `to` of the older windows that a limit has cut off; null where there are none. */
export function olderWindowsArguments(
  windows: WindowRange,
): { readonly from: string; readonly to: string } | null {
  const { timeframe, first, end, total } = windows
  const start = new Date(end.getTime() - total * WINDOW_MS[timeframe])
  return start < first ? { from: start.toISOString(), to: first.toISOString() } : null
}

function nextWindow(now: Date, timeframe: Timeframe): Date {
  const lengthMs = WINDOW_MS[timeframe]
  return new Date((Math.floor(now.getTime() / lengthMs) + 1) * lengthMs)
}

/** 403 where a caller lacks the scope that a length of candles, or windows of that age, need. */
export function requireHistory(timeframe: Timeframe, from: Date, context: RequestContext): void {
  if (timeframe === '1h') requireAccess(context.principal, 'ohlcv:intraday')
  const lengthMs = WINDOW_MS[timeframe]
  const openSinceMs = context.now.getTime() - CANDLE_HISTORY_DAYS * DAY_MS
  const oldest = new Date(Math.floor(openSinceMs / lengthMs) * lengthMs)
  if (from < oldest) requireFullHistory(oldest, context)
}

/** 403 that says what may be asked without the scope. */
function requireFullHistory(oldest: Date, { principal }: RequestContext): void {
  const caller = requireCaller(principal)
  if (caller.scopes.has('history:full')) return
  const since = oldest.toISOString()
  throw new ApiError('forbidden', {
    message: `Candles from before ${since} need the scope history:full: ${reasonOf(caller, 'history:full')}. Without it ask for ${since} or later.`,
    requiredScope: 'history:full',
  })
}

/** The window whose inputs are read. */
export interface InputsWindow {
  readonly timeframe: Timeframe
  /** Start of the window; null: the newest that is stored. */
  readonly ts: Date | null
  readonly asOf: Date | null
}

export interface InputsQuery extends InputsWindow {
  readonly slug: Slug
}

export interface InputsArguments extends Pick<CandleArguments, 'timeframe' | 'as_of'> {
  readonly ts?: Given<Date>
}

/** Checks the arguments: 422 names every wrong one, 403 as for the candle itself. */
export function parseInputsWindow(args: InputsArguments, context: RequestContext): InputsWindow {
  const problems = new Problems()
  const timeframe = parseTimeframe(problems, args.timeframe)
  const lengthMs = WINDOW_MS[timeframe]
  const ts = parseInstant(problems, 'ts', args.ts)
  if (ts !== null && ts.getTime() % lengthMs !== 0) {
    const start = timeframe === '1h' ? 'a full hour' : 'midnight'
    problems.add('ts', `must be the start of a window, ${start} UTC; got ${ts.toISOString()}`)
  }
  const asOf = parseAsOfArgument(problems, args.as_of, context.now)
  problems.refuse()
  requireHistory(timeframe, ts ?? context.now, context)
  return { timeframe, ts, asOf }
}

/** The same with the asset; a ticker in place of the slug is a 404. */
export function parseInputsQuery(
  { id, ...args }: InputsArguments & { readonly id: string },
  context: RequestContext,
): InputsQuery {
  return { slug: parseAssetId(id), ...parseInputsWindow(args, context) }
}

/** The timeframe; 1d where none is given, or it is none, with the problem noted. */
export function parseTimeframe(problems: Problems, text: Given<string>): Timeframe {
  const asked = text ?? '1d'
  const known = TIMEFRAMES.find((timeframe) => timeframe === asked)
  if (known !== undefined) return known
  // Another unit is no spelling mistake: only the case is.
  const near = TIMEFRAMES.find((timeframe) => timeframe === asked.toLowerCase())
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  problems.add('timeframe', `must be ${TIMEFRAMES.join(' or ')}; got ${shownText(asked)}${hint}`)
  return '1d'
}
