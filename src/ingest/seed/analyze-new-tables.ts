import type { Database } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'

/**
 * Tables that have rows but no statistics; a partitioned table represents its partitions. Plain SQL, because Prisma
 * has no model of the catalogue.
 */
const NEW_TABLES = statement(
  'lacks catalogue',
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
 * Gathers statistics of tables that were filled for the first time, with one statement each. Until then queries get
 * poor plans, and the embedded database never gathers statistics by itself. Each statement has the time limit of a
 * batch, because a busy server takes seconds for a large table.
 */
export async function analyzeNewTables(database: Database): Promise<void> {
  for (const { table } of await database.rows(NEW_TABLES)) {
    await database.transaction((tx) => tx.rows(`analyze ${table}`))
  }
}
