import type { PGlite } from '@electric-sql/pglite'

/**
 * Runs the work alone on the connection once no transaction is open, as PGlite's `query` does and by the same errors. The
 * public `runExclusive` alone would run it within the transaction that is open, and `transaction` would send BEGIN and COMMIT.
 */
export async function outsideTransactions<T>(engine: PGlite, work: () => Promise<T>): Promise<T> {
  await engine._checkReady()
  return engine._runExclusiveTransaction(() => engine.runExclusive(work))
}
