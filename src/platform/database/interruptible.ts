import type { Database, Transaction } from './database.js'
import { aroundCalls } from './prisma/prisma-models.js'

/**
 * The same database for work that may be interrupted. After the signal is aborted no transaction starts, and a running one
 * fails at its next statement with the signal's reason and is rolled back. Statements outside transactions still run, so
 * the work can record its end.
 */
export function interruptible(database: Database, signal: AbortSignal): Database {
  return {
    ...database,
    transaction: async (work, limits) => {
      signal.throwIfAborted()
      return database.transaction((tx) => work(abortable(tx, signal)), limits)
    },
  }
}

/** A transaction whose next statement fails with the signal's reason once the signal is aborted. */
export function abortable(tx: Transaction, signal: AbortSignal): Transaction {
  return {
    rows: async (...given) => {
      signal.throwIfAborted()
      return tx.rows(...given)
    },
    prisma: aroundCalls(tx.prisma, async (_, run) => {
      signal.throwIfAborted()
      return run()
    }),
    script: async (sql) => {
      signal.throwIfAborted()
      await tx.script(sql)
    },
  }
}
