import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { isAway } from './connection-loss.js'

/** A database that gave no answer counts as away for this long. */
const AWAY_MS = 2_000
const ASK_EVERY_MS = 500

/** Whether a database gives no answer just now, so that who can do without one does not wait for it. */
export class Outage {
  #failedAtMs = Number.NEGATIVE_INFINITY
  #askedAtMs = Number.NEGATIVE_INFINITY

  get isOn(): boolean {
    return performance.now() - this.#failedAtMs < AWAY_MS
  }

  /** True at once and then twice a second: the caller asks the database without waiting for it. */
  mayAsk(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#askedAtMs < ASK_EVERY_MS) return false
    this.#askedAtMs = nowMs
    return true
  }

  /** Any error; returns whether it says that the database is away. */
  note(error: unknown): boolean {
    if (!isAway(error)) return false
    this.#failedAtMs = performance.now()
    return true
  }

  end(): void {
    this.#failedAtMs = Number.NEGATIVE_INFINITY
  }
}

/** The outage of a database, as all its users in this process see it. */
export const outageOf: (database: object) => Outage = memoizeByObject(() => new Outage())
