import type { DatasetName } from '../../core/datasets.js'
import type { DatasetState, DatasetStates } from '../database/data-version.js'
import type { Sql } from '../database/database.js'
import { column, statement } from '../database/statement.js'

/** Identifies one state of a dataset: see `stampIn`. */
type Stamp = Pick<DatasetState, 'version' | 'commitId'>

/** A server and the states of its data, read by one statement. */
export interface ServerStates {
  /** False for a server that accepts writes: a primary, or a replica that was promoted. */
  readonly isReplica: boolean
  /** Changes each time the server is started. */
  readonly startedAt: string
  readonly stamps: ReadonlyMap<DatasetName, Stamp>
}

// Plain SQL: one statement reads the server's role and the states. Its functions run after the snapshot of the statement is
// taken, so a server that reports to be a replica was one when its data was read.
const SERVER_STATES = statement(
  {
    isReplica: 'bool',
    startedAt: 'text',
    dataset: column<DatasetName | null>('text?'),
    version: 'int8?',
    commitId: 'uuid?',
  },
  `select pg_is_in_recovery() as "isReplica", pg_postmaster_start_time()::text as "startedAt",
     d.dataset, d.version, d.commit_id as "commitId"
   from (values (1)) as one(row) left join dataset_state as d on true`,
)

export async function loadServerStates(sql: Sql): Promise<ServerStates> {
  const rows = await sql.rows(SERVER_STATES)
  const [first] = rows
  if (first === undefined) throw new Error('a left join has a row')
  const stamps = rows.flatMap(({ dataset, version, commitId }) =>
    dataset === null || version === null || commitId === null
      ? []
      : [[dataset, { version, commitId }] as const],
  )
  return { isReplica: first.isReplica, startedAt: first.startedAt, stamps: new Map(stamps) }
}

/** Whether the server has exactly these states of the datasets, not older or newer ones. */
export function hasAll(
  { stamps }: ServerStates,
  reads: readonly DatasetName[],
  datasets: DatasetStates,
): boolean {
  return reads.every((name) => {
    const [own, wanted] = [stamps.get(name), datasets.get(name)]
    return own?.version === wanted?.version && own?.commitId === wanted?.commitId
  })
}

/** Whether the server lacks a commit of any dataset. */
export function isBehind({ stamps }: ServerStates, datasets: DatasetStates): boolean {
  return [...datasets].some(([name, { version }]) => (stamps.get(name)?.version ?? 0) < version)
}

/** Whether the server has a commit of one of these datasets that the states lack. */
export function isAhead(
  { stamps }: ServerStates,
  reads: readonly DatasetName[],
  datasets: DatasetStates,
): boolean {
  return reads.some((name) => (stamps.get(name)?.version ?? 0) > (datasets.get(name)?.version ?? 0))
}
