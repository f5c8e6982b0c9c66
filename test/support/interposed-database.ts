import type { Database } from '../../src/platform/database/database.js'

/** The same database, with something done before each plain statement outside transactions. */
export function interposed(
  database: Database,
  before: (sql: string, parameters?: readonly unknown[]) => void | Promise<void>,
): Database {
  return {
    ...database,
    rows: async (sql, parameters) => {
      await before(sql, parameters)
      return database.rows(sql, parameters)
    },
  }
}
