import type { DatasetName } from '../../core/datasets.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import type { Clock } from '../../core/time.js'
import { CoalescedRead } from '../coalesced-read.js'
import type { Sql, Transaction } from './database.js'
import { column, type OrNull, orNull, type RowOf, statement } from './statement.js'

/** The terms of use of a part's rows; null if unknown. */
export interface Terms {
  readonly licence: string | null
  /** The credit line that the licence asks for. */
  readonly attribution: string | null
  readonly licensedForCommercialUse: boolean | null
}

/** The part of a dataset from one provider, e.g. one of several lists. */
export interface DatasetPart extends Terms {
  /** Unique within the dataset; the provider's id if it provides one part only. */
  readonly part: string
  /** Rises by one with each committed change of the part. */
  readonly version: number
  readonly source: string
  readonly isDevDataset: boolean
  readonly observedAt: Date
  readonly changedAt: Date
}

/** State of a dataset: its version, the source of its rows and the age of the newest fact. */
export interface DatasetState {
  readonly dataset: DatasetName
  /** Rises by one with each committed change. */
  readonly version: number
  /** Provider id of the part with the newest fact, or seed. */
  readonly source: string
  /** Whether any part is synthetic. */
  readonly isDevDataset: boolean
  /** Instant of the newest fact (publication, not arrival). */
  readonly observedAt: Date
  /** When the last change was committed. */
  readonly changedAt: Date
  /** By name. */
  readonly parts: readonly DatasetPart[]
  /** UUID of the last committed change, unique across databases. */
  readonly commitId: string
}

/** What an answer was read from: a dataset, or the used parts of it. */
export interface UsedState extends DatasetState {
  /** Providers of the used parts, newest first; absent for a whole dataset, which has `source`. */
  readonly sources?: readonly string[]
}

export type DatasetStates = ReadonlyMap<DatasetName, DatasetState>

/** The version of a dataset; 0 before the first ingestion. */
export function versionIn(states: DatasetStates, dataset: DatasetName): number {
  return states.get(dataset)?.version ?? 0
}

/** The versions of several datasets as text: `instruments=3, candles=17`. */
export function versionsText(states: DatasetStates, datasets: readonly DatasetName[]): string {
  return datasets.map((name) => `${name}=${versionIn(states, name)}`).join(', ')
}

/**
 * Identifies one state of a dataset across databases: a restored database, or another one, counts its versions from the
 * start.
 */
export function stampIn(states: DatasetStates, dataset: DatasetName): string {
  const state = states.get(dataset)
  return state === undefined ? '0' : `${state.version}@${state.commitId}`
}

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
    const rows = await sql.rows(STATES_UNLESS, [commitsOf(this.#states)])
    if (rows.length > 0) this.#states = statesOf(rows.filter(isState))
    this.#readAt = startedAt
    return this.#states
  }
}

interface StoredPart {
  readonly version: number
  readonly source: string
  readonly is_dev_dataset: boolean
  readonly observed_at: string
  readonly changed_at: string
  readonly licence?: string | null
  readonly attribution?: string | null
  readonly licensed_for_commercial_use?: boolean | null
}

const STATE_COLUMNS = {
  // Written by bumpDataset alone.
  dataset: column<DatasetName>('text'),
  version: 'int8',
  source: 'text',
  isDevDataset: 'bool',
  observedAt: 'timestamptz',
  changedAt: 'timestamptz',
  commitId: 'uuid',
  parts: column<Readonly<Record<string, StoredPart>>>('jsonb'),
} as const

const STATE = `dataset, version, source, is_dev_dataset as "isDevDataset", observed_at as "observedAt",
  changed_at as "changedAt", commit_id as "commitId", parts`

const STATES = statement(STATE_COLUMNS, `select ${STATE} from dataset_state`)

/**
 * Returns no rows if the commits are unchanged: under load this runs hundreds of times a second and seldom changes. Returns
 * one row of nulls if no dataset exists any more.
 */
const STATES_UNLESS = statement(
  orNull(STATE_COLUMNS),
  `select ${STATE}
   from (select coalesce(string_agg(commit_id::text, ',' order by commit_id), '') as all_of_them from dataset_state) as commits
   left join dataset_state on true where commits.all_of_them <> $1`,
)

function isState(row: RowOf<OrNull<typeof STATE_COLUMNS>>): row is RowOf<typeof STATE_COLUMNS> {
  return row.dataset !== null
}

/** The commits of all datasets in order, as STATES_UNLESS compares them. */
const commitsOf = memoizeByObject((states: DatasetStates) =>
  [...states.values()]
    .map(({ commitId }) => commitId)
    .sort()
    .join(','),
)

const LOCKED_STATE = statement(
  STATE_COLUMNS,
  `select ${STATE} from dataset_state where dataset = $1 for update`,
)

function stateOf({ parts, ...state }: RowOf<typeof STATE_COLUMNS>): DatasetState {
  const named = Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1))
  return { ...state, parts: named.map(([part, stored]) => partOf(part, stored)) }
}

function partOf(part: string, stored: StoredPart): DatasetPart {
  return {
    part,
    version: stored.version,
    source: stored.source,
    isDevDataset: stored.is_dev_dataset,
    observedAt: new Date(stored.observed_at),
    changedAt: new Date(stored.changed_at),
    licence: stored.licence ?? null,
    attribution: stored.attribution ?? null,
    licensedForCommercialUse: stored.licensed_for_commercial_use ?? null,
  }
}

/** The states of all datasets that were ever ingested into. */
export async function loadDatasetStates(sql: Sql): Promise<DatasetStates> {
  return statesOf(await sql.rows(STATES))
}

function statesOf(rows: readonly RowOf<typeof STATE_COLUMNS>[]): DatasetStates {
  return new Map(rows.map((row) => [row.dataset, stateOf(row)]))
}

/** The state of a dataset, locked until the transaction ends; null while nothing was ever ingested into it. */
export async function loadDatasetState(sql: Sql, dataset: DatasetName): Promise<DatasetState | null> {
  const [row] = await sql.rows(LOCKED_STATE, [dataset])
  return row === undefined ? null : stateOf(row)
}

/** A committed change of one part of a dataset. */
export interface DatasetChange
  extends Pick<DatasetState, 'dataset' | 'source' | 'isDevDataset' | 'observedAt' | 'changedAt'> {
  /** The source by default. */
  readonly part?: string
  /** By default the known terms stay. */
  readonly terms?: Terms
}

/**
 * The other parts stay, except synthetic ones when the change is live. The dataset takes its age and source from its newest
 * part.
 */
const BUMP = `
  insert into dataset_state as d (dataset, version, source, is_dev_dataset, observed_at, changed_at, parts)
  values ($1, 1, $2, $3, $4, $5, jsonb_build_object($6::text, $7::jsonb || jsonb_build_object('version', 1)))
  on conflict (dataset) do update set version = d.version + 1, changed_at = excluded.changed_at,
    commit_id = gen_random_uuid(),
    (parts, source, is_dev_dataset, observed_at) = (
      select jsonb_object_agg(p.name, p.part),
        (array_agg(p.part->>'source' order by p.observed_at desc, p.name = $6::text desc))[1],
        bool_or((p.part->>'is_dev_dataset')::boolean), max(p.observed_at)
      from (
        select k.name, k.part, (k.part->>'observed_at')::timestamptz as observed_at
        from jsonb_each(d.parts) as k(name, part)
        where k.name <> $6::text and (excluded.is_dev_dataset or not (k.part->>'is_dev_dataset')::boolean)
        union all
        select $6::text, coalesce(d.parts->$6::text, '{}') || $7::jsonb
          || jsonb_build_object('version', coalesce((d.parts->$6::text->>'version')::int, 0) + 1), $4::timestamptz
      ) as p
    )`

/** Records a change of a dataset. Call it in the transaction that makes the change. */
export async function bumpDataset(tx: Transaction, change: DatasetChange): Promise<void> {
  const { dataset, source, isDevDataset, observedAt, changedAt, part = source, terms } = change
  const stored: Omit<StoredPart, 'version'> = {
    source,
    is_dev_dataset: isDevDataset,
    observed_at: observedAt.toISOString(),
    changed_at: changedAt.toISOString(),
    ...(terms && {
      licence: terms.licence,
      attribution: terms.attribution,
      licensed_for_commercial_use: terms.licensedForCommercialUse,
    }),
  }
  const facts = [dataset, source, isDevDataset, observedAt, changedAt]
  await tx.rows(BUMP, [...facts, part, JSON.stringify(stored)])
}

/** Removes the state of a dataset. Call it in the transaction that removes its rows. */
export async function forgetDataset(tx: Transaction, dataset: DatasetName): Promise<void> {
  await tx.prisma.datasetState.deleteMany({ where: { dataset } })
}

/**
 * The state of these parts only: the age and sources that an answer from them shows. If none of the parts exists, the state
 * of the whole dataset.
 */
export function stateOfParts(state: DatasetState, names: ReadonlySet<string>): UsedState {
  const parts = state.parts.filter(({ part }) => names.has(part))
  const newestFirst = parts.toSorted((a, b) => b.observedAt.getTime() - a.observedAt.getTime())
  const [newest] = newestFirst
  if (newest === undefined) return state
  return {
    ...state,
    parts,
    source: newest.source,
    sources: [...new Set(newestFirst.map(({ source }) => source))],
    observedAt: newest.observedAt,
    isDevDataset: parts.some(({ isDevDataset }) => isDevDataset),
  }
}
