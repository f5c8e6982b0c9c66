import type { Clock } from '../../core/time.js'
import { CoalescedRead } from '../coalesced-read.js'
import type { DatasetStates } from './data-version.js'
import type { Sql } from './database.js'
import { loadDatasetStates } from './dataset-states-store.js'

/** A commit must be visible on every node within a second; half of it leaves time for the read itself. */
const REFRESH_AFTER_MS = 500

/** The states of all datasets, at most half a second old. Simultaneous callers share one read. */
export class DataVersions {
  readonly #clock: Clock
  readonly #reads: CoalescedRead<DatasetStates>
  #states: DatasetStates = new Map()
  #readAt = Number.NEGATIVE_INFINITY

  constructor(sql: Sql, clock: Clock) {
    this.#clock = clock
    this.#reads = new CoalescedRead(() => this.#read(sql))
  }

  current(): DatasetStates | Promise<DatasetStates> {
    const age = this.#clock.now().getTime() - this.#readAt
    return age >= 0 && age < REFRESH_AFTER_MS ? this.#states : this.#reads.join()
  }

  /** The states from a read that starts after this call. Data that was read before is not newer than this result. */
  fresh(): Promise<DatasetStates> {
    return this.#reads.next()
  }

  /** The same object as before if nothing was committed since. */
  async #read(sql: Sql): Promise<DatasetStates> {
    const startedAt = this.#clock.now().getTime()
    this.#states = await loadDatasetStates(sql, this.#states)
    this.#readAt = startedAt
    return this.#states
  }
}
