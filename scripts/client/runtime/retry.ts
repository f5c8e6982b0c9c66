import { ApiError, ConnectionError } from './errors.js'

/** Limits of retries. */
export interface RetryBounds {
  readonly attempts: number
  /** Milliseconds for all attempts and pauses. */
  readonly totalMs: number
}

/** First pause in milliseconds. It doubles with each failure, up to the longest. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 15_000

/** Varies the pauses, so that clients that were refused together do not return together. */
const JITTER_MS = 250

/** Statuses after which a retry makes sense. */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/**
 * Milliseconds until the next attempt after `tried` failed ones: `Retry-After`, else a growing pause. Null if another
 * attempt would fail in the same way.
 */
export function pauseAfter(error: unknown, tried: number): number | null {
  if (error instanceof ApiError) {
    if (!BUSY.has(error.status)) return null
    if (error.retryAfter !== null) return error.retryAfter * 1_000 + Math.random() * JITTER_MS
  } else if (!(error instanceof ConnectionError)) return null
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tried - 1))
  return pause * (0.5 + Math.random() / 2)
}

/** Counts consecutive failures and waits between attempts within the limits. */
export class Retries {
  readonly #bounds: RetryBounds
  #tried = 0
  #deadline: number

  constructor(bounds: RetryBounds) {
    this.#bounds = bounds
    this.#deadline = performance.now() + bounds.totalMs
  }

  /** The remaining time for all attempts. */
  get leftMs(): number {
    return Math.max(0, this.#deadline - performance.now())
  }

  /** Resets the count after a success. */
  reset(): void {
    this.#tried = 0
    this.#deadline = performance.now() + this.#bounds.totalMs
  }

  /** Waits until the next attempt. Throws the error if no further attempt is allowed, or the signal's reason. */
  async waitAfter(error: unknown, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    this.#tried += 1
    const pauseMs = this.#tried < this.#bounds.attempts ? pauseAfter(error, this.#tried) : null
    if (pauseMs === null || pauseMs >= this.leftMs) throw error
    await pause(pauseMs, signal)
  }
}

/** Rejects with the signal's reason once it is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
