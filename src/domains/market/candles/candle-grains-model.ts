import type { FreshnessKind } from '../../../core/freshness.js'
import { DAY_MS, endOfMonth, startOfMonth } from '../../../core/time.js'
import { type DataPart, grainOf } from '../../../platform/database/versions/data-parts.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { freshnessKindOf } from '../../assets/service.js'
import { type Timeframe, WINDOW_MS } from '../model.js'
import type { CandleRow } from '../store.js'

/**
 * Within this time around the end of a month, candles of the month count as closed and as open: clocks differ, and a run may
 * begin in one month and commit in the next.
 */
const TURN_MS = 2 * DAY_MS

/** Windows that an answer reads: those that end at `until` or before, or the newest for null. */
export interface ReadWindows {
  readonly until: Date | null
}

/** The window of a candle whose inputs are read. Without `ts` it is the newest. */
export function windowOfInputs({
  timeframe,
  ts,
}: {
  readonly timeframe: Timeframe
  readonly ts: Date | null
}): ReadWindows {
  return { until: ts === null ? null : new Date(ts.getTime() + WINDOW_MS[timeframe]) }
}

/** Every candle of an asset. */
export function candleGrain(slug: string): DataPart {
  return grainOf('candles', slug)
}

/** The candles of an asset in the months that have ended. */
function closedCandleGrain(slug: string): DataPart {
  return grainOf('candles', `${slug}.closed`)
}

/** Whether the windows lie in months that have ended (UTC), whose candles change only by a revision. */
export function areClosed({ until }: ReadWindows, now: Date): boolean {
  return until !== null && until <= startOfMonth(now)
}

/** The grain that windows of an asset are read from. */
export function candleGrainOf(
  slug: string,
  windows: ReadWindows,
  { now }: Pick<RequestContext, 'now'>,
): DataPart {
  return areClosed(windows, now) ? closedCandleGrain(slug) : candleGrain(slug)
}

/** The freshness of windows of assets: no newer data is expected once their months have ended. */
export function candleFreshnessKind(
  assets: Parameters<typeof freshnessKindOf>[0],
  windows: ReadWindows,
  { now }: Pick<RequestContext, 'now'>,
): FreshnessKind {
  return areClosed(windows, now) ? 'closed' : freshnessKindOf(assets)
}

/** The grains that candles belong to when they are written at `knownAt`, each with its newest fact. */
export function touchedCandleGrains(
  candles: readonly Pick<CandleRow, 'assetId' | 'timeframe' | 'ts'>[],
  slugs: ReadonlyMap<number, string>,
  knownAt: Date,
): ReadonlyMap<string, Date> {
  const newest = new Map<string, Date>()
  const note = (grain: string, instant: Date) => {
    const known = newest.get(grain)
    if (known === undefined || known < instant) newest.set(grain, instant)
  }
  for (const { assetId, timeframe, ts } of candles) {
    const slug = slugs.get(assetId)
    if (slug === undefined) throw new Error(`no asset has the key ${assetId}`)
    const end = new Date(ts.getTime() + WINDOW_MS[timeframe])
    note(slug, end)
    if (endOfMonth(ts).getTime() - TURN_MS <= knownAt.getTime()) note(`${slug}.closed`, end)
  }
  return newest
}
