import { exponentialBackOffMs } from '../../../core/exponential-back-off.js'

/** Each wait for an event is this many times the previous one: eight attempts take about a day. */
const FACTOR = 5
const MAX_RETRY_MS = 12 * 3_600_000
/** Share by which a wait varies, so that events that failed together are not retried together. */
const JITTER = 0.2

/** From this number of failures in a row, the receiver and not a single event is the cause. */
const FAILURES_BEFORE_HOLD = 5
const MAX_HOLD_MS = 300_000

/** Wait after the nth failed attempt for an event. */
export function retryMs(attempts: number, firstRetryMs: number, random: () => number = Math.random): number {
  const wait = exponentialBackOffMs(attempts, { firstMs: firstRetryMs, maxMs: MAX_RETRY_MS, factor: FACTOR })
  return Math.round(wait * (1 + JITTER * (2 * random() - 1)))
}

/** How long the whole webhook waits after a number of failures in a row; 0 for no wait. */
export function holdMs(failuresInRow: number, firstRetryMs: number): number {
  const failures = failuresInRow - FAILURES_BEFORE_HOLD + 1
  return failures < 1 ? 0 : exponentialBackOffMs(failures, { firstMs: firstRetryMs, maxMs: MAX_HOLD_MS })
}
