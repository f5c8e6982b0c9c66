import { ApiError, type FieldProblem, invalid } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import type { PageLimits } from '../../core/page.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { reasonOf, requireAccess, requireCaller } from '../../policy/decide.js'
import { CANDLE_HISTORY_DAYS } from '../../policy/limits.js'
import { parseAssetId } from '../assets/service.js'
import { TIMEFRAMES, type Timeframe, WINDOW_MS, type WindowRange, windowsBetween } from './model.js'

/** Candles per answer; from the API contract. */
export const CANDLE_LIMITS = { min: 1, max: 1000, default: 500 } as const satisfies PageLimits

/** Days before `to` that a query without `from` begins; from the API contract. */
export const CANDLE_DEFAULT_DAYS = 30

const DAY_MS = 86_400_000

/** No venue is older and no plan longer; instants beyond them are typing errors. */
const EARLIEST = new Date('1970-01-01T00:00:00Z')
const LATEST = new Date('2200-01-01T00:00:00Z')

export interface CandleQuery {
  readonly windows: WindowRange
  /** What was known at this instant; null: what is known now. */
  readonly asOf: Date | null
}

export interface CandleArguments {
  readonly timeframe?: string | null | undefined
  readonly from?: Date | null | undefined
  readonly to?: Date | null | undefined
  readonly limit?: number | null | undefined
  readonly as_of?: Date | null | undefined
}

/**
 * Checks the arguments of a candle query: 422 names every wrong one, 403 the scope that 1h or windows older than a
 * year need. The older windows are those that start before the one that holds now minus 365 days.
 */
export function parseCandleQuery(args: CandleArguments, context: RequestContext): CandleQuery {
  const problems: FieldProblem[] = []
  const timeframe = readTimeframe(args.timeframe, problems)
  const to = readInstant('to', args.to, problems) ?? context.now
  const until = new Date(Math.min(to.getTime(), context.now.getTime()))
  const from =
    readInstant('from', args.from, problems) ?? new Date(until.getTime() - CANDLE_DEFAULT_DAYS * DAY_MS)
  if (from > to) {
    const got = `got ${from.toISOString()} and ${to.toISOString()}`
    problems.push({ field: 'from', message: `must not be after to; ${got}` })
  }
  const limit = readLimit(args.limit, problems)
  const asOf = readAsOf(args.as_of, context, problems)
  refuse(problems)
  requireHistory(timeframe, from, context)
  // Until a window ends, no candle of an open range is added; and no older one falls behind the open history.
  context.validity?.endsBy(nextWindow(context.now, timeframe))
  return { windows: windowsBetween(timeframe, from, until, limit), asOf }
}

function nextWindow(now: Date, timeframe: Timeframe): Date {
  const lengthMs = WINDOW_MS[timeframe]
  return new Date((Math.floor(now.getTime() / lengthMs) + 1) * lengthMs)
}

function requireHistory(timeframe: Timeframe, from: Date, context: RequestContext): void {
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
  /** Start of the window. */
  readonly ts: Date
  readonly asOf: Date | null
}

export interface InputsQuery extends InputsWindow {
  readonly slug: Slug
}

export interface InputsArguments extends Pick<CandleArguments, 'timeframe' | 'as_of'> {
  readonly ts?: Date | null | undefined
}

/** Checks the arguments: 422 names every wrong one, 403 as for the candle itself. */
export function parseInputsWindow(args: InputsArguments, context: RequestContext): InputsWindow {
  const problems: FieldProblem[] = []
  const timeframe = readTimeframe(args.timeframe, problems)
  const lengthMs = WINDOW_MS[timeframe]
  // Without `ts` the newest window that has ended, until the next one ends.
  const ts =
    readInstant('ts', args.ts, problems) ??
    new Date(nextWindow(context.now, timeframe).getTime() - 2 * lengthMs)
  if (args.ts == null) context.validity?.endsBy(nextWindow(context.now, timeframe))
  if (ts.getTime() % lengthMs !== 0) {
    const start = timeframe === '1h' ? 'a full hour' : 'midnight'
    problems.push({
      field: 'ts',
      message: `must be the start of a window, ${start} UTC; got ${ts.toISOString()}`,
    })
  }
  const asOf = readAsOf(args.as_of, context, problems)
  refuse(problems)
  requireHistory(timeframe, ts, context)
  return { timeframe, ts, asOf }
}

/** The same with the asset; a ticker in place of the slug is a 404. */
export function parseInputsQuery(
  { id, ...args }: InputsArguments & { readonly id: string },
  context: RequestContext,
): InputsQuery {
  return { slug: parseAssetId(id), ...parseInputsWindow(args, context) }
}

function readTimeframe(text: string | null | undefined, problems: FieldProblem[]): Timeframe {
  const asked = text ?? '1d'
  const known = TIMEFRAMES.find((timeframe) => timeframe === asked)
  if (known !== undefined) return known
  // Another unit is no spelling mistake: only the case is.
  const near = TIMEFRAMES.find((timeframe) => timeframe === asked.toLowerCase())
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  problems.push({
    field: 'timeframe',
    message: `must be ${TIMEFRAMES.join(' or ')}; got ${JSON.stringify(asked.slice(0, 40))}${hint}`,
  })
  return '1d'
}

function readInstant(field: string, instant: Date | null | undefined, problems: FieldProblem[]): Date | null {
  if (instant == null) return null
  if (instant < EARLIEST || instant >= LATEST) {
    problems.push({ field, message: `must be in the years 1970 to 2199; got ${instant.toISOString()}` })
    return null
  }
  return instant
}

function readAsOf(
  instant: Date | null | undefined,
  context: RequestContext,
  problems: FieldProblem[],
): Date | null {
  const asOf = readInstant('as_of', instant, problems)
  if (asOf !== null && asOf > context.now) {
    problems.push({ field: 'as_of', message: 'must not be in the future: nothing is known of it yet' })
  }
  return asOf
}

function readLimit(limit: number | null | undefined, problems: FieldProblem[]): number {
  const asked = limit ?? CANDLE_LIMITS.default
  const { min, max } = CANDLE_LIMITS
  if (asked >= min && asked <= max) return asked
  problems.push({ field: 'limit', message: `must be between ${min} and ${max}; got ${asked}` })
  return CANDLE_LIMITS.default
}

function refuse(problems: readonly FieldProblem[]): void {
  const [first, ...rest] = problems
  if (first !== undefined) throw invalid(first, ...rest)
}
