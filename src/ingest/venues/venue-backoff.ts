import type { Venue } from '../../domains/market/model.js'
import { backOffMs } from '../schedule/back-off.js'

interface VenueEnd {
  readonly isOut: boolean
  /** How long it wants no request, where it said so. */
  readonly retryAfterMs: number | null
  /** Why it is out; null: it is not. */
  readonly cause: string | null
}

/** A venue that is left alone. */
export interface BackoffState {
  readonly until: Date
  /** What failed first, before it was left alone for the first time in a row. */
  readonly firstCause: string
}

interface Pause {
  readonly failures: number
  readonly firstCause: string
  readonly untilMs: number
}

/**
 * When a venue is asked again. The rule: a venue that is out in a run is asked nothing more in that run (VenueRun), and by
 * the runs after it not before a time that doubles with each such run in a row, or that it asked for itself. The others go on
 * without it. A run in which it answers to the end clears it.
 */
export class VenueBackoff {
  readonly #rests = new Map<Venue, Pause>()
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /** Null: the venue may be asked. */
  stateOf(venue: Venue, now: Date): BackoffState | null {
    const pause = this.#rests.get(venue)
    if (pause === undefined || pause.untilMs <= now.getTime()) return null
    return { until: new Date(pause.untilMs), firstCause: pause.firstCause }
  }

  /** Notes how a run of the venue ended. */
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
