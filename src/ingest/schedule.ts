import { Cron } from 'croner'
import { ecbPublication, isTargetDay, nextTargetDay } from '../core/calendars/target.js'
import { addDays, type IsoDate, toIsoDate } from '../core/time.js'

/** The instants at which something is due, unbounded in both directions. */
export interface Schedule {
  /** The first due instant after `instant`, never `instant` itself. */
  next(instant: Date): Date
  /** The last due instant at or before `instant`. */
  last(instant: Date): Date
  /** A run starts up to this many milliseconds late, so that installations do not all send requests at once. */
  readonly jitterMs: number
}

/** The rates of a day appear some seconds after 16:00, seldom more than a few minutes later. */
const AFTER_PUBLICATION_MS = 60_000
const ECB_JITTER_MS = 120_000

/** Due a minute after the euro reference rates of each TARGET day come out (`ecbPublication`). */
export const afterEcbPublication: Schedule = {
  next: (instant) => {
    const today = ecbDue(toIsoDate(instant))
    return today !== null && today > instant ? today : dueAfter(nextTargetDay(toIsoDate(instant)))
  },
  last: (instant) => {
    let date = toIsoDate(instant)
    for (;;) {
      const due = ecbDue(date)
      if (due !== null && due <= instant) return due
      date = addDays(date, -1)
    }
  },
  jitterMs: ECB_JITTER_MS,
}

/** The publication that a due instant of `afterEcbPublication` follows. */
export function ecbPublicationBefore(due: Date): Date {
  return new Date(due.getTime() - AFTER_PUBLICATION_MS)
}

function ecbDue(date: IsoDate): Date | null {
  return isTargetDay(date) ? dueAfter(date) : null
}

function dueAfter(date: IsoDate): Date {
  return new Date(ecbPublication(date).getTime() + AFTER_PUBLICATION_MS)
}

/** croner excludes the reference instant in both directions, and works in whole seconds. */
const SECOND_MS = 1_000

/** Due at the times of a cron pattern in UTC, e.g. `10 * * * *` for ten past each hour. */
export function byCron(pattern: string, jitterMs: number): Schedule {
  const cron = new Cron(pattern, { timezone: 'UTC', paused: true })
  const found = (instant: Date | null | undefined): Date => {
    if (instant) return instant
    throw new RangeError(`the pattern "${pattern}" has no due instant there`)
  }
  // A cache: until the next due instant passes, it is the same for the scheduler's passes and for all answers.
  let cached = { afterMs: Number.NaN, nextMs: Number.NaN }
  return {
    next: (instant) => {
      const afterMs = instant.getTime()
      const isKnown = afterMs >= cached.afterMs && afterMs < cached.nextMs
      if (!isKnown) cached = { afterMs, nextMs: found(cron.nextRun(instant)).getTime() }
      return new Date(cached.nextMs)
    },
    last: (instant) => {
      const end = new Date(Math.floor(instant.getTime() / SECOND_MS) * SECOND_MS + SECOND_MS)
      return found(cron.previousRuns(1, end)[0])
    },
    jitterMs,
  }
}
