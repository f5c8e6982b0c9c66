import { appendAudit } from './audit-store.js'
import { revokeCredentials } from './sql-credentials/sql-credential-store.js'
import type { AccessClient } from './transaction.js'

/** A key of an account. */
export interface KeyOfAccount {
  readonly accountId: string
  readonly keyId: string
}

/** When and by whom a key is ended, for the audit. */
export interface Ending {
  readonly at: Date
  /** Keyed hash of the client address; null for operators. */
  readonly origin: string | null
  readonly actor: 'self' | 'operator'
}

/**
 * Ends the SQL credentials and disables the webhooks that a revoked key created. Returns true when an SQL credential ended:
 * the caller must then end its role too.
 */
export async function endPossessions(tx: AccessClient, key: KeyOfAccount, ending: Ending): Promise<boolean> {
  const credentials = await revokeCredentials(tx, key, ending.at, 'access_lost')
  for (const credential_id of credentials) {
    await appendAudit(tx, { ...ending, ...key, action: 'sql_credential_revoked', details: { credential_id } })
  }
  await tx.webhook.updateMany({
    where: { ...key, state: { not: 'disabled' } },
    data: { state: 'disabled', disabledReason: 'access_lost' },
  })
  return credentials.length > 0
}

/** Transfers webhooks and SQL credentials of a rotated key to the key that replaces it. */
export async function handOver(
  tx: AccessClient,
  { accountId, keyId }: KeyOfAccount,
  nextKeyId: string,
): Promise<void> {
  const moved = { where: { accountId, keyId }, data: { keyId: nextKeyId } }
  await tx.webhook.updateMany(moved)
  await tx.sqlCredential.updateMany(moved)
}
