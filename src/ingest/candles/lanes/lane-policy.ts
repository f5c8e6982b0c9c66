import type { AssetTier } from '../../../core/consensus/consensus.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/time.js'

/** The wanted time between two requests for the bars of an asset, by tier. */
export type LaneIntervals = Readonly<Record<AssetTier, number>>

/**
 * Far below the allowed age of candles (1, 6 and 12 hours). If a venue's rate does not suffice, all its intervals become longer
 * in proportion, because the most overdue asset in proportion is the next.
 */
export const WANTED_INTERVALS_MS: LaneIntervals = {
  1: MINUTE_MS,
  2: 5 * MINUTE_MS,
  3: 15 * MINUTE_MS,
}

/** A pair that a venue does not list is asked for again after this, because venues list new pairs at any time. */
export const NOT_LISTED_MS = DAY_MS

/** An exchange is asked every few minutes. One whose newest bar of all its assets is older gives none. */
const SILENT_AFTER_MS = HOUR_MS

/** Whether an exchange that answered gives no new bars. Null: it never gave one. */
export function isSilent(newestBarAt: Date | null, now: Date): boolean {
  return newestBarAt === null || now.getTime() - newestBarAt.getTime() > SILENT_AFTER_MS
}

/**
 * Share of the assets without new bars above which something is wrong. Below it are markets without trades, of which an exchange
 * may send no bars.
 */
export const MAX_LATE_SHARE = 0.05

/**
 * The longest interval, as a share of what the venue still serves. The rest is for outages: after one of six hours of Kraken,
 * which serves twelve, every minute can still be loaded.
 */
const SHARE_OF_REACH = 0.5

/** How long a finished window waits for a venue that is behind. Bars that come later revise the candle. */
export const WINDOW_WAIT_MS = 15 * MINUTE_MS

/** The time between two requests for the bars of a listed pair. `reachMs`: how far back the venue serves minutes. */
export function intervalMs(intervals: LaneIntervals, tier: AssetTier, reachMs: number | undefined): number {
  return reachMs === undefined ? intervals[tier] : Math.min(intervals[tier], reachMs * SHARE_OF_REACH)
}
