import type { Sql } from '../database.js'
import { statement } from '../statement.js'
import { OWN_ROLES } from './sql-roles.js'

/** The limits that a role has by its settings, milliseconds. */
export const SQL_LIMITS = { statementMs: 5_000, idleInTransactionMs: 30_000 } as const

/** Connections of one role at once. */
export const SQL_CONNECTIONS = 5

/**
 * The server's own time limits come first: they end the statement and leave the session. A session that outlasts them by
 * this has switched them off, which a role may do with its own settings.
 */
const GRACE_MS = 500

/** An open transaction keeps old versions of all rows of the database alive, and stops migrations. */
const TRANSACTION_MS = 60_000

/** Of the connections of the server that all SQL roles may have together; the gateway needs the others. */
const CONNECTION_SHARE = 0.5

/**
 * Ends sessions and gives why. A session with a transaction id has written something: a large object, a temporary table, a
 * setting of its role. Advisory locks are shared with the gateway's own. Roles whose sessions the gateway may not end are
 * left out, since one of them would fail the statement for all.
 */
const END = statement(
  { role: 'text', reason: 'text', isEnded: 'bool' },
  `with session as (
     select a.pid, o.rolname::text as role, case
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
       when row_number() over (order by a.backend_start, a.pid)
         > current_setting('max_connections')::int * $4::float8 then 'connections'
     end as reason
     from pg_stat_activity a join (${OWN_ROLES}) o on o.oid = a.usesysid
     where a.backend_type = 'client backend' and pg_has_role(current_user, o.oid, 'USAGE'))
   select role, reason, pg_terminate_backend(pid) as "isEnded" from session where reason is not null`,
)

/** A session that was ended. */
export interface EndedSession {
  readonly role: string
  readonly reason: string
}

/** Ends the sessions of SQL roles that are beyond a limit, or whose role has ended; on a replica too. */
export function endSessions(sql: Sql): Promise<readonly EndedSession[]> {
  return sql.rows(END, [
    SQL_LIMITS.statementMs + GRACE_MS,
    SQL_LIMITS.idleInTransactionMs + GRACE_MS,
    TRANSACTION_MS,
    CONNECTION_SHARE,
  ])
}

/** Large objects removed at once. */
const MAX_UNLINKED = 1_000

const UNLINK = statement(
  { unlinked: 'int4' },
  `select lo_unlink(oid) as unlinked from (
     select m.oid from pg_largeobject_metadata m join (${OWN_ROLES}) o on o.oid = m.lomowner
     where pg_has_role(current_user, o.oid, 'USAGE') limit ${MAX_UNLINKED}) l`,
)

/** Removes large objects of SQL roles, which every role may make unless a superuser has revoked it; gives how many. */
export async function unlinkLargeObjects(sql: Sql): Promise<number> {
  return (await sql.rows(UNLINK)).length
}
