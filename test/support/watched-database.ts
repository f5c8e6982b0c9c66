import type { Database } from '../../src/platform/database/database.js'

interface Awaited {
  readonly part: string
  left: number
  readonly resolve: () => void
}

export interface WatchedDatabase {
  readonly database: Database
  /** Resolves once so many more statements with this part have been answered, and whoever ran them has gone on. */
  answered(part: string, count?: number): Promise<void>
}

/** The same database, which tells when plain statements outside transactions have been answered. */
export function watched(database: Database): WatchedDatabase {
  const awaited = new Set<Awaited>()
  const note = (sql: string) => {
    for (const one of awaited) {
      if (!sql.includes(one.part)) continue
      one.left -= 1
      if (one.left > 0) continue
      awaited.delete(one)
      setImmediate(one.resolve)
    }
  }
  return {
    database: {
      ...database,
      rows: async (sql, parameters, options) => {
        const rows = await database.rows(sql, parameters, options)
        note(sql)
        return rows
      },
    },
    answered: (part, count = 1) => new Promise((resolve) => void awaited.add({ part, left: count, resolve })),
  }
}
