import type { PGlite } from '@electric-sql/pglite'

/**
 * Runs the work exclusively on the connection when no transaction is open, as PGlite's `query` does, with the same errors.
 * The public `runExclusive` would run it within an open transaction, and `transaction` would send BEGIN and COMMIT.
 */
export async function outsideTransactions<T>(engine: PGlite, work: () => Promise<T>): Promise<T> {
  await engine._checkReady()
  return engine._runExclusiveTransaction(() => engine.runExclusive(work))
}
