import type { Venue } from '../../domains/market/model.js'
import { backOffMs } from '../schedule/back-off.js'

interface VenueEnd {
  readonly isOut: boolean
  /** The pause that the venue asked for, if it stated one. */
  readonly retryAfterMs: number | null
  /** Why the venue does not answer; null if it does. */
  readonly cause: string | null
}

/** A venue that gets no requests for now. */
export interface BackoffState {
  readonly until: Date
  /** The first failure in the current series of failures. */
  readonly firstCause: string
}

interface Pause {
  readonly failures: number
  readonly firstCause: string
  readonly untilMs: number
}

/**
 * Decides when a venue gets requests again. A venue that does not answer gets no more requests in the same run
 * (VenueRun). After each such run in a row the pause doubles, unless the venue asks for a longer one. The other
 * venues go on without it. A run in which it answers to the end resets the pause.
 */
export class VenueBackoff {
  readonly #rests = new Map<Venue, Pause>()
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /** Null if the venue may get requests. */
  stateOf(venue: Venue, now: Date): BackoffState | null {
    const pause = this.#rests.get(venue)
    if (pause === undefined || pause.untilMs <= now.getTime()) return null
    return { until: new Date(pause.untilMs), firstCause: pause.firstCause }
  }

  /** Records how a run of the venue ended. */
  note(venue: Venue, { isOut, retryAfterMs, cause }: VenueEnd, now: Date): void {
    if (!isOut) {
      this.#rests.delete(venue)
      return
    }
    const before = this.#rests.get(venue)
    const failures = (before?.failures ?? 0) + 1
    const firstCause = before?.firstCause ?? cause ?? 'unknown'
    const restMs = backOffMs(failures, retryAfterMs, this.#random())
    this.#rests.set(venue, { failures, firstCause, untilMs: now.getTime() + restMs })
  }
}
