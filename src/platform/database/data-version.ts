import type { DatasetName } from '../../core/freshness.js'
import type { Clock } from '../../core/time.js'
import type { Sql, Transaction } from './database.js'

/** State of a dataset: its version, the source of its rows and the age of the newest fact. */
export interface DatasetState {
  readonly dataset: DatasetName
  /** Rises by one with each committed change. */
  readonly version: number
  /** Provider id, or seed. */
  readonly source: string
  readonly isDevDataset: boolean
  /** Instant of the newest fact (publication, not arrival). */
  readonly observedAt: Date
  /** When the last change was committed. */
  readonly changedAt: Date
  /** UUID of the last committed change, unlike that of any other, in other databases too. */
  readonly commitId: string
}

export type DatasetStates = ReadonlyMap<DatasetName, DatasetState>

/** The version of a dataset; 0 while nothing was ever ingested into it. */
export function versionIn(states: DatasetStates, dataset: DatasetName): number {
  return states.get(dataset)?.version ?? 0
}

/**
 * Names one state of a dataset among those of all databases: one that was restored, or serves beside another, counts
 * its versions anew.
 */
export function stampIn(states: DatasetStates, dataset: DatasetName): string {
  const state = states.get(dataset)
  return state === undefined ? '0' : `${state.version}@${state.commitId}`
}

/** A commit must be visible on every node within a second; half of it leaves time for the read itself. */
const REFRESH_AFTER_MS = 500

/** The states of all datasets, read again when older than half a second; one read serves all who wait. */
export class DataVersions {
  readonly #sql: Sql
  readonly #clock: Clock
  #states: DatasetStates = new Map()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<DatasetStates> | null = null
  #waiting: Promise<DatasetStates> | null = null

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
  }

  current(): DatasetStates | Promise<DatasetStates> {
    const age = this.#clock.now().getTime() - this.#readAt
    if (age >= 0 && age < REFRESH_AFTER_MS) return this.#states
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  /**
   * The states as they stand now or later: one read that has not begun yet serves all who ask meanwhile. What was read
   * from the data before is no newer than this result.
   */
  fresh(): Promise<DatasetStates> {
    this.#waiting ??= this.#readNext()
    return this.#waiting
  }

  async #readNext(): Promise<DatasetStates> {
    await this.#reading?.catch(() => {}) // its own callers get the failure
    this.#waiting = null
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #read(): Promise<DatasetStates> {
    const startedAt = this.#clock.now().getTime()
    this.#states = await readDatasetStates(this.#sql)
    this.#readAt = startedAt
    return this.#states
  }
}

/** The states of all datasets that were ever ingested into. */
export async function readDatasetStates(sql: Sql): Promise<DatasetStates> {
  const rows = await sql.rows<DatasetState>(
    `select dataset, version, source, is_dev_dataset as "isDevDataset", observed_at as "observedAt",
         changed_at as "changedAt", commit_id as "commitId"
       from dataset_state`,
  )
  return new Map(rows.map((row) => [row.dataset, row]))
}

/** The state of a dataset, locked until the transaction ends; null while nothing was ever ingested into it. */
export async function readDatasetState(sql: Sql, dataset: DatasetName): Promise<DatasetState | null> {
  const [row] = await sql.rows<DatasetState>(
    `select dataset, version, source, is_dev_dataset as "isDevDataset", observed_at as "observedAt",
       changed_at as "changedAt", commit_id as "commitId"
     from dataset_state where dataset = $1 for update`,
    [dataset],
  )
  return row ?? null
}

/** Notes a change of a dataset; call it in the transaction that makes the change. */
export async function bumpDataset(
  tx: Transaction,
  change: Omit<DatasetState, 'version' | 'commitId'>,
): Promise<void> {
  await tx.rows(
    `insert into dataset_state (dataset, version, source, is_dev_dataset, observed_at, changed_at)
     values ($1, 1, $2, $3, $4, $5)
     on conflict (dataset) do update set version = dataset_state.version + 1, source = excluded.source,
       is_dev_dataset = excluded.is_dev_dataset, observed_at = excluded.observed_at, changed_at = excluded.changed_at,
       commit_id = gen_random_uuid()`,
    [change.dataset, change.source, change.isDevDataset, change.observedAt, change.changedAt],
  )
}
