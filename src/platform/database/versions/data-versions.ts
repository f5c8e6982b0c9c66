import type { Clock } from '../../../core/time.js'
import { LastValue } from '../connection/last-value.js'
import { type Outage, outageOf } from '../connection/outage.js'
import type { Sql } from '../database.js'
import type { DatasetStates } from './data-version.js'
import { loadDatasetStates } from './dataset-states-store.js'

/** A commit must be visible on every node within a second; half of it leaves time for the read itself. */
const REFRESH_AFTER_MS = 500

/** The states of all datasets, at most half a second old; while the database is away, those of before. */
export class DataVersions {
  readonly #states: LastValue<DatasetStates>
  readonly #outage: Outage

  constructor(sql: Sql, clock: Clock) {
    this.#outage = outageOf(sql)
    this.#states = new LastValue({
      read: (known) => loadDatasetStates(sql, known ?? new Map()),
      maxAgeMs: REFRESH_AFTER_MS,
      nowMs: () => clock.now().getTime(),
      outage: this.#outage,
    })
  }

  current(): DatasetStates | Promise<DatasetStates> {
    return this.#states.get()
  }

  /** Whether the database is away, so that only what this process keeps can be answered. */
  get isOutage(): boolean {
    return this.#outage.isOn
  }

  /** The states from a read that starts after this call. Data that was read before is not newer than this result. */
  fresh(): Promise<DatasetStates> {
    return this.#states.fresh()
  }
}
