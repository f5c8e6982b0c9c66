import type { Database } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { REQUEST_LIMITS } from '../../platform/database/statement-limits.js'

/** Prisma's client, outside or inside a transaction. */
export type AccessClient = PrismaModels

export interface KeyOfAccount {
  readonly accountId: string
  readonly keyId: string
}

/** What another domain does with its rows in the transaction that changes a key or deletes an account. */
export interface AccountListener {
  keysEnded?(
    tx: AccessClient,
    keys: { readonly accountId: string; readonly keyIds: readonly string[] },
  ): Promise<void>
  keyReplaced?(tx: AccessClient, key: KeyOfAccount, nextKeyId: string): Promise<void>
  accountDeleted?(tx: AccessClient, accountId: string): Promise<void>
}

/** Runs the work in one transaction. The work may use only the client of that transaction. */
export function inTransaction<T>(
  database: Pick<Database, 'transaction'>,
  work: (tx: AccessClient) => Promise<T>,
): Promise<T> {
  return database.transaction((tx) => work(tx.prisma), REQUEST_LIMITS)
}
