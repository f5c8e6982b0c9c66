import type { Database } from '../../../src/platform/database/database.js'
import { aroundCalls } from '../../../src/platform/database/prisma/prisma-models.js'

interface Awaited {
  readonly part: string
  left: number
  readonly resolve: () => void
}

export interface WatchedDatabase {
  readonly database: Database
  /**
   * Resolves once so many more statements with this part have been answered, and whoever ran them has gone on. A call of
   * Prisma's client is `findMany mappingQuestion`.
   */
  answered(part: string, count?: number): Promise<void>
}

/** The same database, which tells when statements outside transactions have been answered. */
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
      prisma: aroundCalls(database.prisma, async ({ model, operation }, run) => {
        const answer = await run()
        note(`${operation} ${model}`)
        return answer
      }),
      rows: async (sql, parameters, options) => {
        const rows = await database.rows(sql, parameters, options)
        note(sql)
        return rows
      },
    },
    answered: (part, count = 1) => new Promise((resolve) => void awaited.add({ part, left: count, resolve })),
  }
}
