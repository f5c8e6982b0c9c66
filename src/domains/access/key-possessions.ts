import { appendAudits } from './audit-store.js'
import { listKeyFamily, revokeKeys } from './keys/key-store.js'
import type { AccountListeners, KeyOfAccount } from './listener-model.js'
import { revokeCredentials } from './sql-credentials/sql-credential-store.js'
import type { AccessClient } from './transaction.js'

/** When and by whom a key is ended, for the audit. */
export interface Ending {
  readonly at: Date
  /** Keyed hash of the client address; null for operators. */
  readonly origin: string | null
  readonly actor: 'self' | 'operator'
}

export interface EndedKeys {
  /** Digests of the keys that ended now. */
  readonly digests: readonly Uint8Array[]
  /** Whether an SQL credential ended: the caller must then end its role too. */
  readonly hasEndedSql: boolean
}

/** Ends a key and all keys that were made with it, with their SQL credentials, and tells the listeners. */
export async function endKey(
  tx: AccessClient,
  { listeners }: AccountListeners,
  { accountId, keyId }: KeyOfAccount,
  ending: Ending,
): Promise<EndedKeys> {
  const family = await listKeyFamily(tx, accountId, keyId)
  const revoked = await revokeKeys(tx, accountId, family, ending.at)
  const ended = revoked.map((key) => ({ ...ending, accountId, keyId: key.keyId }))
  await appendAudits(
    tx,
    ended.map((event) => ({ ...event, action: 'key_revoked' })),
  )
  const ofFamily = { accountId, keyId: { in: [...family] } }
  const credentials = await revokeCredentials(tx, ofFamily, ending.at, 'access_lost')
  await appendAudits(
    tx,
    credentials.map((credential) => ({
      ...ending,
      accountId,
      ...(credential.keyId !== null && { keyId: credential.keyId }),
      action: 'sql_credential_revoked',
      details: { credential_id: credential.credentialId },
    })),
  )
  for (const listener of listeners) await listener.keysEnded?.(tx, { accountId, keyIds: family })
  return { digests: revoked.map(({ digest }) => digest), hasEndedSql: credentials.length > 0 }
}

/** Transfers SQL credentials, the keys that a rotated key made, and what the listeners keep to the key that replaces it. */
export async function handOver(
  tx: AccessClient,
  { listeners }: AccountListeners,
  { accountId, keyId }: KeyOfAccount,
  nextKeyId: string,
): Promise<void> {
  await tx.sqlCredential.updateMany({ where: { accountId, keyId }, data: { keyId: nextKeyId } })
  await tx.apiKey.updateMany({ where: { accountId, makerKeyId: keyId }, data: { makerKeyId: nextKeyId } })
  for (const listener of listeners) await listener.keyReplaced?.(tx, { accountId, keyId }, nextKeyId)
}
