import type { Sql } from '../database.js'
import { statement } from '../statement.js'
import { KEY_OF_NAME } from './advisory-locks.js'

const HELD = statement(
  'lacks advisory lock',
  { name: 'text' },
  `select name from unnest($1::text[]) as name where exists (
     select 1 from pg_locks l where l.locktype = 'advisory' and l.objsubid = 1
     and l.database = (select oid from pg_database where datname = current_database())
     and (l.classid::int8 << 32 | l.objid::int8) = ${KEY_OF_NAME})`,
)

/** The names that some process on this database holds. */
export async function loadHeldLocks(sql: Sql, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.rows(HELD, [names])
  return new Set(rows.map(({ name }) => name))
}
