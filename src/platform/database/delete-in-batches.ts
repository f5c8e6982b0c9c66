import type { Database } from './database.js'

/** Rows that one statement deletes, so that none runs for long. */
export const DELETED_AT_ONCE = 5_000

/**
 * Runs a statement that deletes up to `DELETED_AT_ONCE` rows and answers with each of them, until no more rows are left;
 * each batch is committed by itself. Answers how many rows were deleted.
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
