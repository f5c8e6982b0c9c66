import { exponentialBackOffMs } from '../core/exponential-back-off.js'

/** A worker that listened for this long was healthy; its end is not related to earlier ones. */
const HEALTHY_MS = 10_000

/** If every worker ends this often before any has listened, the start has failed. */
export const MAX_FAILED_STARTS = 3

/**
 * Wait after consecutive quick ends, so that a broken start does not overload the machine; short enough that a worker is
 * back soon after the cause is removed.
 */
const WAIT = { firstMs: 250, maxMs: 30_000 }

export interface Restart {
  /** Consecutive quick ends, including this one. */
  readonly quickEnds: number
  readonly waitMs: number
}

/**
 * When to replace a worker that ended unexpectedly after it listened for `livedMs` (null: never) and after `quickEnds`
 * consecutive quick ends. A worker is always replaced.
 */
export function restartAfter(quickEnds: number, livedMs: number | null): Restart {
  if (livedMs !== null && livedMs >= HEALTHY_MS) return { quickEnds: 0, waitMs: 0 }
  return { quickEnds: quickEnds + 1, waitMs: exponentialBackOffMs(quickEnds + 1, WAIT) }
}
