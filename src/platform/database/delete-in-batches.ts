import type { Database, Transaction } from './database.js'

/** Rows that one statement deletes, so that none runs for long. */
export const DELETED_AT_ONCE = 5_000

/**
 * Repeats `deleteSome`, which deletes up to `DELETED_AT_ONCE` rows and returns their number, until no rows are left. Each batch
 * is its own commit. Returns the number of deleted rows.
 */
export async function deleteInBatches(
  database: Database,
  deleteSome: (tx: Transaction) => Promise<number>,
): Promise<number> {
  for (let deleted = 0; ; ) {
    const count = await database.transaction(deleteSome)
    deleted += count
    if (count < DELETED_AT_ONCE) return deleted
  }
}
