/** Each wait for an event is this many times the one before: eight attempts take about a day. */
const FACTOR = 5
const MAX_RETRY_MS = 12 * 3_600_000
/** The share by which a wait is longer or shorter, so that what failed together does not come back together. */
const JITTER = 0.2

/** Longest wait that a receiver may ask for by Retry-After. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** Failures in a row from which on it is the receiver, and not an event, that fails. */
const FAILURES_BEFORE_HOLD = 5
const MAX_HOLD_MS = 300_000

/** Wait after the nth failed attempt for an event. */
export function retryMs(attempts: number, firstRetryMs: number, random: () => number = Math.random): number {
  const wait = Math.min(MAX_RETRY_MS, firstRetryMs * FACTOR ** (attempts - 1))
  return Math.round(wait * (1 + JITTER * (2 * random() - 1)))
}

/** How long the whole webhook waits after so many failures in a row; 0: not at all. */
export function holdMs(failuresInRow: number, firstRetryMs: number): number {
  const beyond = failuresInRow - FAILURES_BEFORE_HOLD
  return beyond < 0 ? 0 : Math.min(MAX_HOLD_MS, firstRetryMs * 2 ** beyond)
}

/** What Retry-After asks for (RFC 9110 §10.2.3): seconds or a date; at most an hour, null where it asks for nothing. */
export function retryAfterMs(header: string | null, now: Date): number | null {
  if (header === null) return null
  const text = header.trim()
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime()
  return Number.isNaN(ms) || ms <= 0 ? null : Math.min(MAX_RETRY_AFTER_MS, ms)
}
