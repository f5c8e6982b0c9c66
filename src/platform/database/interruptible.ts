import type { Database, Transaction } from './database.js'

/**
 * The same database for work that may be interrupted: once the signal is aborted no transaction begins, and one under
 * way fails at its next statement with the signal's reason and is rolled back. Statements outside transactions go on,
 * so that the work can still note its end.
 */
export function interruptible(database: Database, signal: AbortSignal): Database {
  const checked = (tx: Transaction): Transaction => ({
    rows: (sql, parameters, options) => {
      signal.throwIfAborted()
      return tx.rows(sql, parameters, options)
    },
    script: (sql) => {
      signal.throwIfAborted()
      return tx.script(sql)
    },
  })
  return {
    ...database,
    transaction: async (work, limits) => {
      signal.throwIfAborted()
      return database.transaction((tx) => work(checked(tx)), limits)
    },
  }
}
