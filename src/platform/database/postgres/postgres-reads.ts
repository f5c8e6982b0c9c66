import { PrismaClient } from '../../../generated/prisma/client.js'
import { type Sql, sqlOn } from '../database.js'
import { countedAdapter } from '../prisma/prisma-adapter.js'
import type { PrismaModels } from '../prisma/prisma-models.js'
import { openPostgres, type PostgresOptions, type PostgresTarget } from './postgres-driver.js'

/** Reads of a PostgreSQL server, by plain SQL and by Prisma's client, and nothing else. */
export interface PostgresReads extends Sql {
  readonly prisma: PrismaModels
  /** In bounded time, even when the server does not answer. */
  close(): Promise<void>
}

/** Nothing connects before the first statement. */
export function openPostgresReads(target: PostgresTarget, options: PostgresOptions): PostgresReads {
  const { query, adapter, limitMs, close } = openPostgres(target, options)
  const onStatement = () => {}
  const prisma = new PrismaClient({ adapter: countedAdapter(adapter, { onStatement, limitMs }) })
  return {
    rows: sqlOn(query, onStatement).rows,
    prisma,
    close: async () => {
      await close()
      await prisma.$disconnect()
    },
  }
}
