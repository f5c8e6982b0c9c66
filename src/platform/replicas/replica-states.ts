import type { Sql } from '../database/database.js'
import { orNull, statement } from '../database/statement.js'
import { type DatasetStates, versionIn } from '../database/versions/data-version.js'
import {
  CHANGED_STATE_COLUMNS,
  CHANGED_STATES,
  knownStates,
  toDatasetStates,
} from '../database/versions/dataset-states-store.js'

/** A server and the states of its data, read by one statement. */
export interface ServerStates {
  /** False for a server that accepts writes: a primary, or a replica that was promoted. */
  readonly isReplica: boolean
  /** Changes each time the server is started. */
  readonly startedAt: string
  readonly datasets: DatasetStates
}

// Plain SQL: one statement reads the server's role and the states. Its functions run after the snapshot of the statement is
// taken, so a server that reports to be a replica was one when its data was read.
const SERVER_STATES = statement(
  'lacks session',
  { isReplica: 'bool', startedAt: 'text', isChanged: 'bool', ...orNull(CHANGED_STATE_COLUMNS) },
  `select pg_is_in_recovery() as "isReplica", pg_postmaster_start_time()::text as "startedAt",
     state.is_changed is not null as "isChanged", ${Object.keys(CHANGED_STATE_COLUMNS)
       .map((name) => `state."${name}"`)
       .join(', ')}
   from (values (1)) as one(row) left join (select true as is_changed, changed.* from (${CHANGED_STATES}) as changed) as state on true`,
)

/** Reads only the grains that have changed since the known states. */
export async function loadServerStates(sql: Sql, known: DatasetStates = new Map()): Promise<ServerStates> {
  const rows = await sql.rows(SERVER_STATES, knownStates(known))
  const [first] = rows
  if (first === undefined) throw new Error('a left join has a row')
  const datasets = first.isChanged ? toDatasetStates(rows, known) : known
  return { isReplica: first.isReplica, startedAt: first.startedAt, datasets }
}

/** Whether the server lacks a commit of any dataset. */
export function isBehind({ datasets: own }: ServerStates, datasets: DatasetStates): boolean {
  return [...datasets].some(([name, { version }]) => versionIn(own, name) < version)
}
