import { backOffMs } from '../schedule/back-off.js'

interface VenueEnd {
  readonly isOut: boolean
  /** The pause that the venue asked for, if it stated one. */
  readonly retryAfterMs: number | null
  /** Why the venue does not answer; null if it does. */
  readonly cause: string | null
}

/** A venue that gets no requests for now. */
export interface VenueRest {
  readonly until: Date
  /** Failures in a row. */
  readonly failures: number
  /** The first of them. */
  readonly firstCause: string
}

/** Decides when a venue gets requests again. */
export interface VenueBackoff {
  /** Null if the venue may get requests. */
  rest(now: Date): VenueRest | null
  /** Records how requests about an asset ended. */
  note(end: VenueEnd, now: Date): void
}

/**
 * After each failure in a row the pause doubles, unless the venue asks for a longer one. An answer resets it. The other venues
 * go on without it.
 */
export function createVenueBackoff(random: () => number): VenueBackoff {
  let last: VenueRest | null = null
  return {
    rest: (now) => (last !== null && last.until > now ? last : null),
    note: ({ isOut, retryAfterMs, cause }, now) => {
      if (!isOut) {
        last = null
        return
      }
      const failures = (last?.failures ?? 0) + 1
      const until = new Date(now.getTime() + backOffMs(failures, retryAfterMs, random()))
      last = { until, failures, firstCause: last?.firstCause ?? cause ?? 'unknown' }
    },
  }
}
