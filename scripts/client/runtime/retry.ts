import { ApiError, ConnectionError } from './errors.js'

/** How long and how often something is tried again. */
export interface RetryBounds {
  readonly attempts: number
  /** Of all attempts and the pauses between them. */
  readonly totalMs: number
}

/** Two failures in a row are this far apart at first, twice as far each time, up to the longest. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 15_000

/** Keeps those who were refused together from coming back together. */
const JITTER_MS = 250

/** The statuses after which the gateway asks to come again. */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/**
 * Milliseconds before the next attempt after `tried` failed ones: what `Retry-After` says, else longer each time. Null
 * where another attempt would fail the same way.
 */
export function pauseAfter(error: unknown, tried: number): number | null {
  if (error instanceof ApiError) {
    if (!BUSY.has(error.status)) return null
    if (error.retryAfter !== null) return error.retryAfter * 1_000 + Math.random() * JITTER_MS
  } else if (!(error instanceof ConnectionError)) return null
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tried - 1))
  return pause * (0.5 + Math.random() / 2)
}

/** Counts failures in a row, and waits between them as long as the bounds allow. */
export class Retries {
  readonly #bounds: RetryBounds
  #tried = 0
  #deadline: number

  constructor(bounds: RetryBounds) {
    this.#bounds = bounds
    this.#deadline = performance.now() + bounds.totalMs
  }

  /** What is left of the time of all attempts. */
  get leftMs(): number {
    return Math.max(0, this.#deadline - performance.now())
  }

  /** After a success: failures are counted from 0 again. */
  reset(): void {
    this.#tried = 0
    this.#deadline = performance.now() + this.#bounds.totalMs
  }

  /** Waits before the next attempt; throws the error where there is to be none, or the signal's reason. */
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
