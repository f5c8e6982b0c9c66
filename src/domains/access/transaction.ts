import type { Prisma } from '../../generated/prisma/client.js'
import { asUnavailable } from '../../platform/database/connection-loss.js'
import type { Database } from '../../platform/database/database.js'

/** Prisma's client, by itself or within a transaction. */
export type AccessClient = Prisma.TransactionClient

/** Long enough for a busy machine, and far below what a caller waits for. */
const TRANSACTION = { maxWait: 5_000, timeout: 10_000 } as const

/** Runs the work in one transaction; within it only its own client may be used. */
export async function inTransaction<T>(
  { prisma }: Pick<Database, 'prisma'>,
  work: (tx: AccessClient) => Promise<T>,
): Promise<T> {
  try {
    return await prisma.$transaction(work, TRANSACTION)
  } catch (error) {
    throw asUnavailable(error)
  }
}
