import type { Database } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'

/**
 * Tables with rows and without statistics; a partitioned table is listed in place of its parts. Plain SQL: the catalogue of the
 * database is no model.
 */
const NEW_TABLES = statement(
  { table: 'text' },
  `select c.oid::regclass::text as "table" from pg_class as c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.reltuples < 0 and (
      pg_relation_size(c.oid) > 0
      or exists (select from pg_partition_tree(c.oid) as part where pg_relation_size(part.relid) > 0)
    )
  order by 1`,
)

/**
 * Gathers statistics of the tables that were filled for the first time, one statement each: without them the first
 * questions get poor plans until the database gathers them by itself, and the embedded one never does. Each has the time of a
 * batch, since a busy server takes seconds for a large table.
 */
export async function analyzeNewTables(database: Database): Promise<void> {
  for (const { table } of await database.rows(NEW_TABLES)) {
    await database.transaction((tx) => tx.rows(`analyze ${table}`))
  }
}
