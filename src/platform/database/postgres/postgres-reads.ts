import { PrismaClient } from '../../../generated/prisma/client.js'
import { type Sql, sqlOn } from '../database.js'
import { countedAdapter } from '../prisma/prisma-adapter.js'
import type { PrismaModels } from '../prisma/prisma-models.js'
import { openPostgres, type PostgresOptions, type PostgresTarget } from './postgres-driver.js'

/** Read access to a PostgreSQL server, by plain SQL and by Prisma's client. */
export interface PostgresReads extends Sql {
  readonly prisma: PrismaModels
  /** Closes in bounded time, even if the server does not answer. */
  close(): Promise<void>
}

/** Connects at the first statement. */
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
