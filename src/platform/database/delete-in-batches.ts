import type { Database } from './database.js'

/** Rows that one statement deletes, so that none runs for long. */
export const DELETED_AT_ONCE = 5_000

/**
 * Repeats a statement that deletes up to `DELETED_AT_ONCE` rows and returns each of them, until no rows are left. Each batch
 * is its own commit. Returns the number of deleted rows.
 */
export async function deleteInBatches(
  database: Database,
  statement: string,
  values: readonly unknown[],
): Promise<number> {
  for (let deleted = 0; ; ) {
    const { length } = await database.transaction((tx) => tx.rows(statement, values))
    deleted += length
    if (length < DELETED_AT_ONCE) return deleted
  }
}
