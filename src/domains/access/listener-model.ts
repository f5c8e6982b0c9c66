import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'

export interface KeyOfAccount {
  readonly accountId: string
  readonly keyId: string
}

/** What another domain does with its rows in the transaction that changes a key or deletes an account. */
export interface AccountListener {
  keysEnded?(
    tx: PrismaModels,
    keys: { readonly accountId: string; readonly keyIds: readonly string[] },
  ): Promise<void>
  keyReplaced?(tx: PrismaModels, key: KeyOfAccount, nextKeyId: string): Promise<void>
  accountDeleted?(tx: PrismaModels, accountId: string): Promise<void>
}

export interface AccountListeners {
  readonly listeners: readonly AccountListener[]
}
