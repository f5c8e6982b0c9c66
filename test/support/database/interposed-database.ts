import type { Database } from '../../../src/platform/database/database.js'
import { aroundCalls } from '../../../src/platform/database/prisma/prisma-models.js'
import { prismaCallText, prismaCallValues } from './prisma-call-text.js'

type Before = (sql: string, parameters?: readonly unknown[]) => void | Promise<void>

/**
 * The same database, with something done before each statement outside transactions. A call of Prisma's client comes as the
 * text `prisma findMany api_key account`: its operation, then the tables of its model and of the relations that it names.
 */
export function interposed(database: Database, before: Before): Database {
  return {
    ...database,
    prisma: aroundCalls(database.prisma, async (call, run) => {
      await before(prismaCallText(call), prismaCallValues(call.given))
      return run()
    }),
    rows: async (sql, parameters) => {
      await before(sql, parameters)
      return database.rows(sql, parameters)
    },
  }
}
