import type { Database } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { REQUEST_LIMITS } from '../../platform/database/statement-limits.js'

/** Prisma's client, outside or inside a transaction. */
export type AccessClient = PrismaModels

/** Runs the work in one transaction. The work may use only the client of that transaction. */
export function inTransaction<T>(
  database: Pick<Database, 'transaction'>,
  work: (tx: AccessClient) => Promise<T>,
): Promise<T> {
  return database.transaction((tx) => work(tx.prisma), REQUEST_LIMITS)
}
