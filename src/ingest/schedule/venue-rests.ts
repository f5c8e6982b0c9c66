import type { Venue } from '../../domains/market/model.js'
import { backOffMs } from './back-off.js'

interface VenueEnd {
  readonly isOut: boolean
  /** How long it wants no request, where it said so. */
  readonly retryAfterMs: number | null
}

interface Rest {
  readonly failures: number
  readonly untilMs: number
}

/**
 * When a venue is asked again. The rule: a venue that is out in a run is asked nothing more in that run (VenueRun), and by
 * the runs after it not before a time that doubles with each such run in a row, or that it asked for itself. The others go on
 * without it. A run in which it answers to the end clears it.
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
  note(venue: Venue, { isOut, retryAfterMs }: VenueEnd, now: Date): void {
    if (!isOut) {
      this.#rests.delete(venue)
      return
    }
    const failures = (this.#rests.get(venue)?.failures ?? 0) + 1
    const restMs = backOffMs(failures, retryAfterMs, this.#random())
    this.#rests.set(venue, { failures, untilMs: now.getTime() + restMs })
  }
}
