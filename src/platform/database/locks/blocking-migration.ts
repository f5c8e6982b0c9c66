import type { Sql } from '../database.js'
import { MIGRATION_LOCK } from '../migrate.js'
import { statement } from '../statement.js'

/**
 * Relations that a migration has locked against reading, or has waited for so long that statements behind it time out.
 * Relations that the migration creates are not listed.
 */
const LOCKED = statement(
  'lacks catalogue',
  { name: 'text' },
  `select distinct c.relname::text as name
   from pg_locks m join pg_locks l on l.pid = m.pid join pg_class c on c.oid = l.relation
   where m.locktype = 'advisory' and m.classid = 0 and m.objid = ${MIGRATION_LOCK} and m.objsubid = 1 and m.granted
     and m.database = (select oid from pg_database where datname = current_database())
     and l.locktype = 'relation' and l.mode = 'AccessExclusiveLock' and c.relkind in ('r', 'p', 'v', 'm')
     and (l.granted or l.waitstart < clock_timestamp() - interval '1.5 seconds')
   order by 1`,
)

/** Names of tables and views that no request can read at the moment because a migration is changing them. */
export async function loadLockedByMigration(sql: Sql): Promise<readonly string[]> {
  return (await sql.rows(LOCKED)).map(({ name }) => name)
}
