import { ApiError, notFound } from '../../core/errors.js'
import type { ApiKeyMode } from '../../platform/secrets/api-key-format.js'
import type { Scope } from '../../policy/scopes.js'
import type { Tier } from '../../policy/tiers.js'
import {
  type AccountRow,
  anonymiseAccount,
  findAccountsEvenDeleted,
  insertAccount,
  lockAccount,
  newAccount,
  updateAccount,
} from './account-store.js'
import { type AuditEvent, appendAudit } from './audit-store.js'
import { endKey } from './key-possessions.js'
import { type ApiKeyCreateResponse, parseKeyRequest } from './keys/key-model.js'
import { issueKey } from './keys/key-service.js'
import { findKeyOwner, revokeKeys } from './keys/key-store.js'
import { type Access, effectiveScopes } from './model.js'
import { mayHaveSql } from './sql-credentials/sql-credential-model.js'
import { revokeCredentials } from './sql-credentials/sql-credential-store.js'
import { endDeadRoles } from './sql-credentials/sql-credential-upkeep.js'
import { type AccessClient, inTransaction } from './transaction.js'

/** Used only by commands of operators; no route calls it. */
export interface AccountWithKey {
  readonly tier: Tier
  readonly label: string
  /** In lower case. Nobody can log in to an account without an e-mail. */
  readonly email?: string
  readonly grants?: readonly Scope[]
  /** Narrows the key only; the account keeps all scopes of its tier. */
  readonly scopes?: readonly Scope[]
  /** Default: the mode of the installation. */
  readonly mode?: ApiKeyMode
}

/** Creates an account with one key and returns the key text, which cannot be read again. 409 when the e-mail is taken. */
export async function createAccountWithKey(
  access: Access,
  options: AccountWithKey,
): Promise<ApiKeyCreateResponse & { readonly account_id: string }> {
  const now = access.clock.now()
  const { tier, label, email = null, grants = [], scopes = null, mode } = options
  const account = { ...newAccount(now), tier, email, grants }
  return inTransaction(access.database, async (tx) => {
    const taken = email === null ? [] : await findAccountsEvenDeleted(tx, { email })
    if (taken.length > 0 || !(await insertAccount(tx, { ...account, passwordHash: null }))) {
      throw new ApiError('conflict', { message: 'An account with this e-mail exists.' })
    }
    const request = {
      label,
      scopes,
      expiresAt: null,
      makerKeyId: null,
      idempotency: null,
      ...(mode && { mode }),
    }
    const key = await issueKey(tx, access, account, now, request)
    const event = { at: now, accountId: account.accountId, origin: null, actor: 'operator' } as const
    await appendAudit(tx, { ...event, action: 'register', details: { tier } })
    await appendAudit(tx, { ...event, action: 'key_created', keyId: key.key_id })
    return { ...key, account_id: account.accountId }
  })
}

/**
 * Changes the tier. Keys follow within half a second, and SQL credentials end when the new tier has none. Returns whether the
 * tier changed; 404 for an unknown or deleted account.
 */
export function setTier(access: Access, accountId: string, tier: Tier): Promise<boolean> {
  return change(access, accountId, (account) =>
    account.tier === tier
      ? null
      : {
          next: { ...account, tier },
          event: { action: 'tier_changed', details: { from: account.tier, to: tier } },
        },
  )
}

/** Sets the quotas of an enterprise contract; null removes them. */
export function setContract(
  access: Access,
  accountId: string,
  contract: { readonly month: number; readonly hour: number } | null,
): Promise<boolean> {
  const quotas = { quotaMonth: contract?.month ?? null, quotaHour: contract?.hour ?? null }
  return change(access, accountId, (account) => ({
    next: { ...account, ...quotas },
    event: {
      action: 'tier_changed',
      details: { quota_month: quotas.quotaMonth, quota_hour: quotas.quotaHour },
    },
  }))
}

/** Grants an account a scope beyond its tier. Returns false when it was granted before. */
export function addGrant(access: Access, accountId: string, scope: Scope): Promise<boolean> {
  return change(access, accountId, (account) =>
    account.grants.includes(scope)
      ? null
      : {
          next: { ...account, grants: [...account.grants, scope] },
          event: { action: 'grant_changed', details: { added: scope } },
        },
  )
}

/** Removes a granted scope; the scopes of the tier stay. Returns false when the scope was not granted. */
export function removeGrant(access: Access, accountId: string, scope: Scope): Promise<boolean> {
  return change(access, accountId, (account) =>
    account.grants.includes(scope)
      ? {
          next: { ...account, grants: account.grants.filter((grant) => grant !== scope) },
          event: { action: 'grant_changed', details: { removed: scope } },
        }
      : null,
  )
}

interface Change {
  readonly next: AccountRow
  readonly event: Pick<AuditEvent, 'action' | 'details'>
}

/** Applies the change that `decide` returns; null means no change. Returns whether it changed something. */
async function change(
  access: Access,
  accountId: string,
  decide: (account: AccountRow) => Change | null,
): Promise<boolean> {
  const changed = await withAccount(access, accountId, async (tx, account) => {
    const decided = decide(account)
    if (decided === null) return false
    await updateAccount(tx, decided.next)
    await note(tx, access, accountId, decided.event)
    if (!mayHaveSql(decided.next)) await revokeSql(tx, access, accountId)
    return true
  })
  // Runs even without a change, because an earlier call may have stopped before this point.
  await endDeadRoles(access.database)
  return changed
}

/** Revokes all SQL credentials of an account. */
async function revokeSql(tx: AccessClient, access: Access, accountId: string): Promise<void> {
  for (const { credentialId: credential_id } of await revokeCredentials(
    tx,
    { accountId },
    access.clock.now(),
    'access_lost',
  )) {
    await note(tx, access, accountId, { action: 'sql_credential_revoked', details: { credential_id } })
  }
}

/** Creates a key for an account and returns its text, which cannot be read again. 403 for a scope that the account lacks; 409 at 100 active keys. */
export function createKeyFor(
  access: Access,
  accountId: string,
  wanted: { readonly label: string; readonly scopes?: readonly string[] },
): Promise<ApiKeyCreateResponse> {
  const now = access.clock.now()
  return withAccount(access, accountId, async (tx, account) => {
    const scopes = effectiveScopes(account, null)
    const maker = { tier: account.tier, scopes, isNarrowed: false, endsAt: null }
    const request = parseKeyRequest(wanted, maker, { now, servedScopes: access.servedScopes })
    const key = await issueKey(tx, access, account, now, { ...request, makerKeyId: null, idempotency: null })
    await note(tx, access, accountId, { action: 'key_created', keyId: key.key_id })
    return key
  })
}

/** Ends any key now, with the keys that were made with it, and with their webhooks and SQL credentials. All nodes refuse it within half a second. Returns its account and whether a key ended; 404 for an unknown key. */
export async function revokeAnyKey(
  access: Access,
  keyId: string,
): Promise<{ readonly accountId: string; readonly changed: boolean }> {
  const accountId = await findKeyOwner(access.database.prisma, keyId)
  if (accountId === null) throw notFound('No key has this id.')
  const revoked = await withAccount(access, accountId, async (tx) => {
    const at = access.clock.now()
    return (await endKey(tx, access, { accountId, keyId }, { at, origin: null, actor: 'operator' })).digests
  })
  access.forget(accountId, revoked)
  // Runs even without a change, because an earlier call may have stopped before this point.
  await endDeadRoles(access.database)
  return { accountId, changed: revoked.length > 0 }
}

/** Deletes the personal data of an account and ends all its keys, tokens and SQL credentials. Returns the number of ended keys. Usage totals stay. */
export async function deleteAccount(access: Access, accountId: string): Promise<number> {
  const now = access.clock.now()
  const revoked = await withAccount(access, accountId, async (tx) => {
    const digests = await revokeKeys(tx, accountId, null, now)
    await revokeSql(tx, access, accountId)
    await anonymiseAccount(tx, access, accountId, now)
    await note(tx, access, accountId, { action: 'account_deleted' })
    return digests.map(({ digest }) => digest)
  })
  access.forget(accountId, revoked)
  await endDeadRoles(access.database)
  return revoked.length
}

/** Runs `work` in a transaction that locks the account; 404 for an unknown or deleted account. */
function withAccount<T>(
  access: Access,
  accountId: string,
  work: (tx: AccessClient, account: AccountRow) => Promise<T>,
): Promise<T> {
  return inTransaction(access.database, async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (account === null) throw notFound('No account has this id.')
    return work(tx, account)
  })
}

function note(
  tx: AccessClient,
  access: Access,
  accountId: string,
  event: Pick<AuditEvent, 'action' | 'keyId' | 'details'>,
): Promise<void> {
  return appendAudit(tx, { ...event, at: access.clock.now(), accountId, origin: null, actor: 'operator' })
}
