import type { Transaction } from '../database/database.js'
import { statements } from '../database/statement.js'

const REMOVE = statements(
  { count: 'int4' },
  (table: string) => `with removed as (delete from ${table} where source = $1 returning 1)
     select count(*)::int as count from removed`,
  'asset',
)

/** Removes all rows of a source from a table, closed ones too, and says how many they were. */
export async function removeSource(tx: Transaction, table: string, source: string): Promise<number> {
  const [removed] = await tx.rows(REMOVE(table), [source])
  return removed?.count ?? 0
}
