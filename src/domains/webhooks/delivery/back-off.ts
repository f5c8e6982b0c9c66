import { exponentialBackOffMs } from '../../../core/exponential-back-off.js'

/** Each wait for an event is this many times the one before: eight attempts take about a day. */
const FACTOR = 5
const MAX_RETRY_MS = 12 * 3_600_000
/** The share by which a wait is longer or shorter, so that what failed together does not come back together. */
const JITTER = 0.2

/** Failures in a row from which on it is the receiver, and not an event, that fails. */
const FAILURES_BEFORE_HOLD = 5
const MAX_HOLD_MS = 300_000

/** Wait after the nth failed attempt for an event. */
export function retryMs(attempts: number, firstRetryMs: number, random: () => number = Math.random): number {
  const wait = exponentialBackOffMs(attempts, { firstMs: firstRetryMs, maxMs: MAX_RETRY_MS, factor: FACTOR })
  return Math.round(wait * (1 + JITTER * (2 * random() - 1)))
}

/** How long the whole webhook waits after so many failures in a row; 0: not at all. */
export function holdMs(failuresInRow: number, firstRetryMs: number): number {
  const failures = failuresInRow - FAILURES_BEFORE_HOLD + 1
  return failures < 1 ? 0 : exponentialBackOffMs(failures, { firstMs: firstRetryMs, maxMs: MAX_HOLD_MS })
}
