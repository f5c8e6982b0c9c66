import { exponentialBackOffMs } from '../core/exponential-back-off.js'

/** A worker that listened for this long was healthy: its end has nothing to do with those before. */
const HEALTHY_MS = 10_000

/** Ends of every worker before any has listened, after which the start cannot succeed. */
export const MAX_FAILED_STARTS = 3

/**
 * Wait after quick ends in a row, so that a broken start does not use up the machine; short enough that a worker is back
 * soon after its cause is removed.
 */
const WAIT = { firstMs: 250, maxMs: 30_000 }

export interface Restart {
  /** Quick ends in a row, this one included. */
  readonly quickEnds: number
  readonly waitMs: number
}

/**
 * What follows the unexpected end of a worker that listened for `livedMs` (null: it never did) after `quickEnds` quick
 * ends in a row. A worker is always replaced.
 */
export function restartAfter(quickEnds: number, livedMs: number | null): Restart {
  if (livedMs !== null && livedMs >= HEALTHY_MS) return { quickEnds: 0, waitMs: 0 }
  return { quickEnds: quickEnds + 1, waitMs: exponentialBackOffMs(quickEnds + 1, WAIT) }
}
