import type { Sql } from '../database.js'
import { statement } from '../statement.js'
import { OWN_ROLES } from './sql-roles.js'

/** The limits in a role's settings, milliseconds. */
export const SQL_LIMITS = { statementMs: 5_000, idleInTransactionMs: 30_000 } as const

/** Connections of one role at once. */
export const SQL_CONNECTIONS = 5

/**
 * The server's own time limits end a statement and keep the session. A session that exceeds them by this time has disabled
 * them, which a role may do with its own settings.
 */
const GRACE_MS = 500

/** An open transaction keeps old versions of all rows of the database alive, and stops migrations. */
const TRANSACTION_MS = 60_000

/** The share of the server's connections that all SQL roles may have together; the gateway needs the others. */
const CONNECTION_SHARE = 0.5

/** The longest session: memory and cursors that outlive statements end with it. */
const SESSION_MS = 15 * 60_000

/** Temporary files of all sessions of one role, bytes. A cursor with hold keeps them after its statement. */
export const MAX_TEMPORARY_BYTES = 256 * 1_048_576

/** Share of the server's notification queue (8 GB). A session in a transaction keeps notifications that it has not read. */
const QUEUE_SHARE = 0.002
const QUEUE_TRANSACTION_MS = 1_000

const MAY_LIST_FILES = statement(
  'lacks role',
  { mayList: 'bool' },
  `select has_function_privilege('pg_ls_tmpdir(oid)', 'EXECUTE') as "mayList"`,
)

/** Processes of SQL roles whose role has more temporary files than it may; the server names a file after its process. */
const HEAVY = statement(
  'lacks session',
  { pid: 'int4' },
  `select pid from (
     select a.pid, sum(f.size) over (partition by a.usesysid) as bytes
     from pg_ls_tmpdir((select dattablespace from pg_database where datname = current_database())) f
       join pg_stat_activity a on a.pid = substring(f.name from '^pgsql_tmp(\\d+)')::int
       join (${OWN_ROLES}) o on o.oid = a.usesysid) t
   where bytes > $1::float8 group by pid`,
)

/** Empty if the gateway's user may not list the files; `doctor` reports that. */
async function heavyProcesses(sql: Sql): Promise<readonly number[]> {
  const [right] = await sql.rows(MAY_LIST_FILES)
  if (right?.mayList !== true) return []
  return (await sql.rows(HEAVY, [MAX_TEMPORARY_BYTES])).map(({ pid }) => pid)
}

/**
 * Ends sessions and returns the reasons. A session with a transaction id has written something: a large object, a temporary
 * table, a setting of its role. Advisory locks could block the gateway's own. Roles whose sessions the gateway may not end
 * are excluded, because one of them would fail the statement for all. An old session ends between two transactions, or one
 * transaction later.
 */
const END = statement(
  'lacks session',
  { role: 'text', reason: 'text', pid: 'int4', startedAt: 'timestamptz', isEnded: 'bool' },
  `with session as (
     select a.pid, a.backend_start, o.rolname::text as role, case
       when not o.rolcanlogin then 'revoked'
       when o.rolvaliduntil <= clock_timestamp() then 'expired'
       when a.datname is distinct from current_database() then 'other database'
       when a.backend_xid is not null then 'write'
       when exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory') then 'advisory lock'
       when a.state in ('active', 'fastpath function call')
         and a.query_start < clock_timestamp() - $1 * interval '1 millisecond' then 'statement'
       when a.state like 'idle in transaction%'
         and a.state_change < clock_timestamp() - $2 * interval '1 millisecond' then 'idle transaction'
       when a.xact_start < clock_timestamp() - $3 * interval '1 millisecond' then 'transaction'
       when a.state like 'idle in transaction%' and exists (
         select from pg_locks w where w.locktype = 'relation' and w.mode = 'AccessExclusiveLock' and not w.granted
           and a.pid = any(pg_blocking_pids(w.pid))) then 'change of a table'
       when a.pid = any($5::int[]) then 'temporary files'
       when a.xact_start < clock_timestamp() - $6 * interval '1 millisecond'
         and not pg_is_in_recovery() and pg_notification_queue_usage() > $7::float8 then 'notifications'
       when a.backend_start < clock_timestamp() - ($8 + case when a.state = 'idle' then 0 else $3 end) * interval '1 millisecond'
         then 'age'
       when row_number() over (order by a.backend_start, a.pid)
         > current_setting('max_connections')::int * $4::float8 then 'connections'
     end as reason
     from pg_stat_activity a join (${OWN_ROLES}) o on o.oid = a.usesysid
     where a.backend_type = 'client backend' and pg_has_role(current_user, o.oid, 'USAGE'))
   select role, reason, pid, backend_start as "startedAt", pg_terminate_backend(pid) as "isEnded"
   from session where reason is not null`,
)

/** A session that was ended. */
export interface EndedSession {
  readonly role: string
  readonly reason: string
  readonly pid: number
  readonly startedAt: Date
}

/** Reasons that are the holder's fault, as the terms of the credentials say. The others may end any session. */
const FAULTS: ReadonlySet<string> = new Set([
  'other database',
  'write',
  'advisory lock',
  'statement',
  'idle transaction',
  'transaction',
  'temporary files',
])

/** Whether the holder caused the end of the session. */
export function isFault({ reason }: EndedSession): boolean {
  return FAULTS.has(reason)
}

/** Ends sessions of SQL roles that exceed a limit or whose role has ended; on a replica too. */
export async function endSessions(
  sql: Sql,
  { sessionMs = SESSION_MS }: { readonly sessionMs?: number } = {},
): Promise<readonly EndedSession[]> {
  return sql.rows(END, [
    SQL_LIMITS.statementMs + GRACE_MS,
    SQL_LIMITS.idleInTransactionMs + GRACE_MS,
    TRANSACTION_MS,
    CONNECTION_SHARE,
    await heavyProcesses(sql),
    QUEUE_TRANSACTION_MS,
    QUEUE_SHARE,
    sessionMs,
  ])
}

/** Large objects removed at once. */
const MAX_UNLINKED = 1_000

const UNLINK = statement(
  'lacks role',
  { unlinked: 'int4' },
  `select lo_unlink(oid) as unlinked from (
     select m.oid from pg_largeobject_metadata m join (${OWN_ROLES}) o on o.oid = m.lomowner
     where pg_has_role(current_user, o.oid, 'USAGE') limit ${MAX_UNLINKED}) l`,
)

/** Removes large objects of SQL roles, which every role may create unless a superuser revoked that. Returns their number. */
export async function unlinkLargeObjects(sql: Sql): Promise<number> {
  return (await sql.rows(UNLINK)).length
}
