import type { DatasetName } from '../../../core/datasets.js'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { DATASET_STATE } from '../../../generated/columns.js'
import type { Sql } from '../database.js'
import { column, type OrNull, orNull, type RowOf, selectList, statement, without } from '../statement.js'
import type { DatasetPart, DatasetState, DatasetStates } from './data-version.js'
import { GrainMap, MAX_GRAINS, type NamedGrain } from './grain-map.js'

/** A part as `dataset_state.parts` holds it. */
export interface StoredPart {
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
  ...without(DATASET_STATE, 'grainedVersion', 'recentCommits'),
  // Written by bumpDataset alone.
  dataset: column<DatasetName>('text'),
  parts: column<Readonly<Record<string, StoredPart>>>('jsonb'),
} as const

const STATE = selectList(STATE_COLUMNS, 'd')

/** Name, version, commit, and the milliseconds of the newest fact and of the commit. */
type StoredGrain = readonly [
  name: string,
  version: number,
  commitId: string,
  observedMs: number,
  changedMs: number,
]

const GRAIN_COLUMNS = {
  /** Whether the known version is one of the newest versions of this database. */
  isContinued: 'bool?',
  /** Null if the last commit may have changed every grain. */
  coarse: column<StoredGrain | null>('jsonb?'),
  /** The changed grains; null without any. */
  grains: column<readonly StoredGrain[] | null>('jsonb?'),
} as const

const GRAIN = (g: string) => `jsonb_build_array(${g}.grain, ${g}.version, ${g}.commit_id,
  (extract(epoch from ${g}.observed_at) * 1000)::int8, (extract(epoch from ${g}.changed_at) * 1000)::int8)`

/**
 * Plain SQL: returns no rows if the commits are those in $1: under load this runs hundreds of times a second and seldom
 * changes. Otherwise it returns all datasets, with the grains that changed since the versions in $2. If no dataset exists
 * any more, it returns one row of nulls.
 */
export const CHANGED_STATES = `select ${STATE}, known.is_continued as "isContinued",
    case when c.grain is null then null else ${GRAIN('c')} end as coarse, g.grains
  from (select coalesce(string_agg(commit_id::text, ',' order by commit_id), '') as all_of_them from dataset_state) as commits
  left join dataset_state as d on true
  left join lateral (
    select k.version, d.recent_commits[(1 + d.version - k.version)::int] is not distinct from k.commit_id as is_continued
    from jsonb_to_recordset($2::jsonb) as k(dataset text, version int8, commit_id uuid) where k.dataset = d.dataset
  ) as known on true
  left join data_grain as c on c.dataset = d.dataset and c.grain = '' and d.grained_version = d.version
  left join lateral (
    select jsonb_agg(${GRAIN('newest')} order by newest.version) as grains
    from (
      select * from data_grain as other
      where other.dataset = c.dataset and other.grain <> ''
        and other.version > greatest(c.version, case when known.is_continued then known.version end)
      order by other.version desc limit ${MAX_GRAINS}
    ) as newest
  ) as g on true
  where commits.all_of_them <> $1`

export const CHANGED_STATE_COLUMNS = { ...orNull(STATE_COLUMNS), ...GRAIN_COLUMNS }

export type ChangedState = RowOf<typeof CHANGED_STATE_COLUMNS>

const SELECT_CHANGED = statement('lacks computed value', CHANGED_STATE_COLUMNS, CHANGED_STATES)

/** The parameters of CHANGED_STATES for states that are known. */
export const knownStates = memoizeByObject((states: DatasetStates): readonly [string, string] => {
  const commits = [...states.values()].map(({ commitId }) => commitId).sort()
  const known = [...states.values()].map(({ dataset, version, commitId }) => ({
    dataset,
    version,
    commit_id: commitId,
  }))
  return [commits.join(','), JSON.stringify(known)]
})

/**
 * The states of all datasets that were ever ingested into, in one statement. With known states it reads only the grains that
 * have changed since, and returns the same object if nothing was committed.
 */
export async function loadDatasetStates(sql: Sql, known: DatasetStates = new Map()): Promise<DatasetStates> {
  const rows = await sql.rows(SELECT_CHANGED, knownStates(known))
  return rows.length === 0 ? known : toDatasetStates(rows, known)
}

/** The states after the changes that CHANGED_STATES has found. */
export function toDatasetStates(rows: readonly ChangedState[], known: DatasetStates): DatasetStates {
  const states = rows.filter(isState).map((row) => {
    const before = known.get(row.dataset)
    const isSame = before?.commitId === row.commitId && before.version === row.version
    return isSame ? before : withGrainsOf(row, before)
  })
  return new Map(states.map((state) => [state.dataset, state]))
}

type FullRow = RowOf<typeof STATE_COLUMNS> & RowOf<typeof GRAIN_COLUMNS>

function isState(row: ChangedState | RowOf<OrNull<typeof STATE_COLUMNS>>): row is FullRow {
  return row.dataset !== null
}

function withGrainsOf(
  { isContinued, coarse, grains, ...row }: FullRow,
  before: DatasetState | undefined,
): DatasetState {
  const state = stateOf(row)
  if (coarse === null) return state
  const changed = (grains ?? []).map(namedGrain)
  const [, oldest] = namedGrain(coarse)
  const known = isContinued && changed.length < MAX_GRAINS ? before?.grains : undefined
  return {
    ...state,
    grains: known?.coarse.commitId === oldest.commitId ? known.with(changed) : GrainMap.of(oldest, changed),
  }
}

function namedGrain([name, version, commitId, observedMs, changedMs]: StoredGrain): NamedGrain {
  return [name, { version, commitId, observedMs, changedMs }]
}

const LOCKED_STATE = statement(
  'lacks row lock',
  STATE_COLUMNS,
  `select ${STATE} from dataset_state as d where d.dataset = $1 for update`,
)

/** The state of a dataset without its grains, locked until the transaction ends; null while nothing was ever ingested into it. */
export async function loadDatasetState(sql: Sql, dataset: DatasetName): Promise<DatasetState | null> {
  const [row] = await sql.rows(LOCKED_STATE, [dataset])
  return row === undefined ? null : stateOf(row)
}

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
