import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE_MS } from '../../core/time.js'

/** Turns at a rate: each begins one interval after the one before, never two together to make up for a wait. */
export class RateLimiter {
  readonly #intervalMs: number
  #nextAtMs: number

  /** `openedAt`: the last turn of a sender before; null: none is known. */
  constructor(perMinute: number, { openedAt, now }: { readonly openedAt: Date | null; readonly now: Date }) {
    this.#intervalMs = MINUTE_MS / perMinute
    const sinceMs = openedAt === null ? this.#intervalMs : now.getTime() - openedAt.getTime()
    // A clock that was ahead does not hold this one up for longer than one turn.
    const leftMs = Math.min(this.#intervalMs, Math.max(0, this.#intervalMs - sinceMs))
    this.#nextAtMs = performance.now() + leftMs
  }

  /** Resolves when the next turn begins; rejects when the signal is aborted first. */
  async acquire(signal: AbortSignal): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#nextAtMs)
    this.#nextAtMs = at + this.#intervalMs
    if (at > now) await sleep(at - now, undefined, { signal })
  }
}
