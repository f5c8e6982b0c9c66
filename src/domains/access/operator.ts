import type { ApiKeyMode } from '../../core/api-key-format.js'
import { ApiError, notFound } from '../../core/errors.js'
import type { Scope } from '../../policy/scopes.js'
import type { Tier } from '../../policy/tiers.js'
import { issueKey } from './keys.js'
import type { Access, ApiKeyCreateResponse } from './model.js'
import {
  type AccountRow,
  type AuditEvent,
  appendAudit,
  insertAccount,
  lockAccount,
  newAccount,
  updateAccount,
} from './store.js'

/** What operators do from scripts; there is no route to any of it. */
export interface AccountWithKey {
  readonly tier: Tier
  readonly label: string
  /** Lower case; without one nobody can log in to the account. */
  readonly email?: string
  readonly grants?: readonly Scope[]
  /** Narrows the key; the account keeps all that its tier has. */
  readonly scopes?: readonly Scope[]
  /** The installation's own mode when left out. */
  readonly mode?: ApiKeyMode
}

/** A new account with one key, whose text is shown this once. 409 when the e-mail is taken. */
export async function createAccountWithKey(
  access: Access,
  asked: AccountWithKey,
): Promise<ApiKeyCreateResponse & { readonly account_id: string }> {
  const now = access.clock.now()
  const { tier, label, email = null, grants = [], scopes = null, mode } = asked
  const account = { ...newAccount(now), tier, email, grants }
  return access.database.transaction(async (tx) => {
    if (!(await insertAccount(tx, { ...account, passwordHash: null }))) {
      throw new ApiError('conflict', { message: 'An account with this e-mail exists.' })
    }
    const request = { label, scopes, expiresAt: null, idempotency: null, ...(mode && { mode }) }
    const key = await issueKey(tx, access, account, now, request)
    const event = { at: now, accountId: account.accountId, origin: null, actor: 'operator' } as const
    await appendAudit(tx, { ...event, action: 'register', details: { tier } })
    await appendAudit(tx, { ...event, action: 'key_created', keyId: key.key_id })
    return { ...key, account_id: account.accountId }
  })
}

/** Changes the tier; keys follow within half a second. 404 for an unknown or deleted account. */
export function setTier(access: Access, accountId: string, tier: Tier): Promise<void> {
  return change(access, accountId, (account) => ({
    next: { ...account, tier },
    event: { action: 'tier_changed', details: { from: account.tier, to: tier } },
  }))
}

/** Enters the quotas of an enterprise contract; null takes them out. */
export function setContract(
  access: Access,
  accountId: string,
  contract: { readonly month: number; readonly hour: number } | null,
): Promise<void> {
  const quotas = { quotaMonth: contract?.month ?? null, quotaHour: contract?.hour ?? null }
  return change(access, accountId, (account) => ({
    next: { ...account, ...quotas },
    event: {
      action: 'tier_changed',
      details: { quota_month: quotas.quotaMonth, quota_hour: quotas.quotaHour },
    },
  }))
}

/** Gives an account a scope that its tier does not carry; giving it twice changes nothing. */
export function addGrant(access: Access, accountId: string, scope: Scope): Promise<void> {
  return change(access, accountId, (account) => ({
    next: { ...account, grants: [...new Set([...account.grants, scope])] },
    event: { action: 'grant_changed', details: { added: scope } },
  }))
}

/** Takes a granted scope back; what the tier carries stays. */
export function removeGrant(access: Access, accountId: string, scope: Scope): Promise<void> {
  return change(access, accountId, (account) => ({
    next: { ...account, grants: account.grants.filter((grant) => grant !== scope) },
    event: { action: 'grant_changed', details: { removed: scope } },
  }))
}

interface Change {
  readonly next: AccountRow
  readonly event: Pick<AuditEvent, 'action' | 'details'>
}

async function change(
  access: Access,
  accountId: string,
  decide: (account: AccountRow) => Change,
): Promise<void> {
  await access.database.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (account === null) throw notFound('There is no such account.')
    const { next, event } = decide(account)
    await updateAccount(tx, next)
    await appendAudit(tx, { ...event, at: access.clock.now(), accountId, origin: null, actor: 'operator' })
  })
}
