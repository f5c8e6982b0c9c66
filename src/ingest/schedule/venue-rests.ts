import type { Venue } from '../../domains/market/model.js'
import { backOffMs } from './back-off.js'

interface Rest {
  readonly failures: number
  readonly untilMs: number
}

/**
 * The circuit of each venue across runs: one that failed, or that asked for a pause, gets no request for a time that
 * doubles with each failure in a row; the others go on without it.
 */
export class VenueRests {
  readonly #rests = new Map<Venue, Rest>()
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /** Until when the venue is left alone; null: it may be asked. */
  until(venue: Venue, now: Date): Date | null {
    const untilMs = this.#rests.get(venue)?.untilMs ?? 0
    return untilMs > now.getTime() ? new Date(untilMs) : null
  }

  /** Notes how a run of the venue ended. */
  note(venue: Venue, isFailed: boolean, retryAfterMs: number | null, now: Date): void {
    if (!isFailed && retryAfterMs === null) {
      this.#rests.delete(venue)
      return
    }
    const failures = (this.#rests.get(venue)?.failures ?? 0) + 1
    const restMs = isFailed ? backOffMs(failures, retryAfterMs, this.#random()) : (retryAfterMs ?? 0)
    this.#rests.set(venue, { failures, untilMs: now.getTime() + restMs })
  }
}
