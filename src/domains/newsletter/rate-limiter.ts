import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE_MS } from '../../core/time.js'

/** Limits a rate: each permit comes at least one interval after the previous one, and a wait never allows a burst. */
export class RateLimiter {
  readonly #intervalMs: number
  #nextAtMs: number

  /** `openedAt`: the last permit of the previous sender; null when not known. */
  constructor(perMinute: number, { openedAt, now }: { readonly openedAt: Date | null; readonly now: Date }) {
    this.#intervalMs = MINUTE_MS / perMinute
    const sinceMs = openedAt === null ? this.#intervalMs : now.getTime() - openedAt.getTime()
    // If another clock was ahead, this process waits at most one interval.
    const leftMs = Math.min(this.#intervalMs, Math.max(0, this.#intervalMs - sinceMs))
    this.#nextAtMs = performance.now() + leftMs
  }

  /** Resolves when the next mail may be sent; rejects when the signal is aborted first. */
  async acquire(signal: AbortSignal): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#nextAtMs)
    this.#nextAtMs = at + this.#intervalMs
    if (at > now) await sleep(at - now, undefined, { signal })
  }
}
