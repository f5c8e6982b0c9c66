import { createHash, randomUUID } from 'node:crypto'
import { ApiError, unauthorized } from '../../../core/errors.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { ApiKeyMode } from '../../../platform/secrets/api-key-format.js'
import { loadKeyHour } from '../../../platform/usage/key-hours.js'
import { requireCaller } from '../../../policy/decide.js'
import type { Caller } from '../../../policy/principal.js'
import { policiesOf } from '../../../policy/quota.js'
import { isScope, SCOPE_NAMES, type Scope } from '../../../policy/scopes.js'
import type { AccountRow } from '../account-store.js'
import { endKey, handOver } from '../key-possessions.js'
import { type Access, accessPort, effectiveScopes, type Rights, usagePort } from '../model.js'
import { audit, endRolesNow, ownAccount, withOwnAccount } from '../service.js'
import type { AccessClient } from '../transaction.js'
import { assertAdvances, keyClockOf, type RequestedClock } from './key-clock-model.js'
import {
  type ApiKeyCreateResponse,
  assertScopesHeld,
  earlierEnd,
  isActive,
  type KeyRequest,
  keyEndOf,
  MAX_ACTIVE_KEYS,
  noSuchKey,
  outlives,
  parseIdempotencyKey,
  RAW_KEY_WARNING,
} from './key-model.js'
import {
  countActiveKeys,
  findKey,
  findKeyByIdempotency,
  findSelectedKey,
  findSelectedKeys,
  insertKey,
  type KeyOrigin,
  type KeyRow,
  type KeySelect,
  listKeys,
  moveKeyClock,
  revokeKeys,
  type SelectedKey,
} from './key-store.js'
import { urlUseOf } from './url-use-model.js'

/**
 * Creates a key of the caller's account and returns its text, which cannot be read again. The new key holds no more scopes
 * than its creator and does not expire later: by default it has the narrowing and the end of its creator. 409 when the
 * Idempotency-Key was used before or the account has too many keys.
 */
export async function createApiKey(
  context: RequestContext,
  request: KeyRequest,
): Promise<ApiKeyCreateResponse> {
  const caller = requireCaller(context.principal)
  const idempotencyKey = parseIdempotencyKey(context.idempotencyKey)
  const requestSha256 = createHash('sha256').update(JSON.stringify(request)).digest('hex')
  return withOwnAccount(context, async (tx, account) => {
    if (idempotencyKey !== null) await assertNoReplay(tx, caller.accountId, idempotencyKey, requestSha256)
    const bounds = await loadKeyBounds(tx, caller, context.now)
    const created = await issueKey(tx, context.ports.get(accessPort), account, context.now, {
      ...request,
      scopes: request.scopes ?? bounds.narrowedTo,
      expiresAt: earlierEnd(request.expiresAt, bounds.endsAt),
      makerKeyId: caller.keyId,
      idempotency: idempotencyKey === null ? null : { key: idempotencyKey, requestSha256 },
    })
    await audit(tx, context, { action: 'key_created', keyId: created.key_id })
    return created
  })
}

async function assertNoReplay(
  tx: AccessClient,
  accountId: string,
  key: string,
  sha256: string,
): Promise<void> {
  const earlier = await findKeyByIdempotency(tx, accountId, key)
  if (earlier === null) return
  const why =
    earlier.requestSha256 === sha256
      ? `This request has already created the key ${earlier.keyId}; its text was shown then and cannot be shown again.`
      : `This Idempotency-Key was used with another body, which created the key ${earlier.keyId}; use a new Idempotency-Key.`
  throw new ApiError('conflict', { message: why, details: [{ field: 'key_id', message: earlier.keyId }] })
}

/** Limits of a key that the caller creates. */
interface Bounds {
  /** Null: all scopes of the account. */
  readonly narrowedTo: readonly Scope[] | null
  /** Null: no end. */
  readonly endsAt: Date | null
}

/**
 * Loads the limits of new keys. It reads in the transaction, because the principal may be half a second old: a key that has
 * ended since then must not create another key and gets a 401.
 */
export async function loadKeyBounds(tx: AccessClient, caller: Caller, now: Date): Promise<Bounds> {
  if (caller.keyId === null) return { narrowedTo: null, endsAt: null }
  const own = await findKey(tx, caller.accountId, caller.keyId)
  if (own === null || !isActive(own, now))
    throw unauthorized('X-API-Key', 'was revoked or has expired; use another key')
  return { narrowedTo: narrowingOf(own), endsAt: keyEndOf(own) }
}

/** The scopes that a key is narrowed to; null when it is not narrowed. */
function narrowingOf(key: KeyRow): readonly Scope[] | null {
  return key.isNarrowed ? key.scopes.filter(isScope) : null
}

interface KeyToIssue extends KeyRequest, KeyOrigin {
  readonly idempotency: { readonly key: string; readonly requestSha256: string } | null
  readonly mode?: ApiKeyMode
}

/** Creates and stores a key. The account must be locked or new. */
export async function issueKey(
  tx: AccessClient,
  access: Access,
  account: AccountRow,
  now: Date,
  { label, scopes, expiresAt, urlUse = null, clock = null, makerKeyId, idempotency, mode }: KeyToIssue,
): Promise<ApiKeyCreateResponse> {
  if ((await countActiveKeys(tx, account.accountId, now)) >= MAX_ACTIVE_KEYS) {
    throw new ApiError('conflict', {
      message: `An account has at most ${MAX_ACTIVE_KEYS} active keys; revoke one first.`,
    })
  }
  const { rawKey, keyPrefix: prefix, ...hashed } = access.newKey(mode)
  const key = {
    keyId: randomUUID(),
    keyPrefix: prefix,
    label,
    scopes: scopes ?? [],
    isNarrowed: scopes !== null,
    createdAt: now,
    expiresAt,
    makerKeyId,
    urlOperations: urlUse?.operations ?? [],
    urlInterfaces: urlUse?.interfaces ?? [],
    urlHourlyUnits: urlUse?.hourlyUnits ?? null,
    clockAsOf: clock?.at ?? null,
    clockBasis: clock?.basis ?? null,
  }
  await insertKey(tx, {
    ...key,
    ...hashed,
    accountId: account.accountId,
    idempotencyKey: idempotency?.key ?? null,
    requestSha256: idempotency?.requestSha256 ?? null,
  })
  return {
    key_id: key.keyId,
    key_prefix: key.keyPrefix,
    label,
    tier: account.tier,
    scopes: shownScopesOf(key, account, access),
    url_use: urlUse,
    clock,
    created_at: now,
    expires_at: expiresAt,
    raw_key: rawKey,
    warning: RAW_KEY_WARNING,
  }
}

/** The scopes that the key holds now, in the order of the scope table. */
function scopesOf(key: Pick<KeyRow, 'isNarrowed' | 'scopes'>, rights: Rights): readonly Scope[] {
  const held = effectiveScopes(rights, key.isNarrowed ? key.scopes : null)
  return SCOPE_NAMES.filter((scope) => held.has(scope))
}

/** The scopes of the key that give access to something in this version. */
export function shownScopesOf(
  key: Pick<KeyRow, 'isNarrowed' | 'scopes'>,
  rights: Rights,
  { servedScopes }: Pick<Access, 'servedScopes'>,
): readonly Scope[] {
  return scopesOf(key, rights).filter((scope) => servedScopes.has(scope))
}

/** Maximum number of listed keys: all active ones and the same number of ended ones. */
const MAX_LISTED_KEYS = 2 * MAX_ACTIVE_KEYS

/** Lists selected columns of the account's keys, active keys first; at most 200. `total` counts all keys. */
export async function listApiKeys<Select extends KeySelect>(
  context: RequestContext,
  { select }: { readonly select: Select },
): Promise<{ readonly keys: readonly SelectedKey<Select>[]; readonly total: number }> {
  const { database, now } = context
  const { accountId, _count } = await ownAccount(context, KEY_COUNT)
  const keys = await listKeys(database.prisma, accountId, { now, limit: MAX_LISTED_KEYS, select })
  return { keys, total: _count.keys }
}

const KEY_COUNT = { select: { accountId: true, _count: { select: { keys: true } } } } as const

/** Gets selected columns of keys of the caller's account, in any order. */
export async function getApiKeys<Select extends KeySelect>(
  context: RequestContext,
  keyIds: readonly string[],
  selected: { readonly select: Select },
): Promise<readonly SelectedKey<Select>[]> {
  const { accountId } = await ownAccount(context, { select: { accountId: true } })
  return findSelectedKeys(context.database.prisma, accountId, keyIds, selected)
}

/** Gets selected columns of one key; 404 unless it belongs to the caller's account. */
export async function getApiKey<Select extends KeySelect>(
  context: RequestContext,
  keyId: string,
  selected: { readonly select: Select },
): Promise<SelectedKey<Select>> {
  const { accountId } = await ownAccount(context, { select: { accountId: true } })
  const key = await findSelectedKey(context.database.prisma, accountId, keyId, selected)
  if (key === null) throw noSuchKey()
  return key
}

/** The hour window of the caller's account, which all its keys share. */
function hourOf({ principal, now }: RequestContext) {
  const policies = policiesOf(requireCaller(principal), 'metered', now)
  return policies.filter(({ name }) => name === 'hour')
}

/** Units that a key has used in the current hour. Flushes first, so that unwritten usage of this node counts. */
export async function usedThisHour(keyId: string, context: RequestContext): Promise<number> {
  await context.ports.get(usagePort).flush()
  return loadKeyHour(context.database.prisma, keyId, context.now)
}

/** Units that the account has per hour. */
export function quotaPerHour(context: RequestContext): number {
  return hourOf(context)[0]?.quota ?? 0
}

/**
 * Creates a key with label, scopes and expiry of an old key and ends the old key after `graceSeconds`. Webhooks and SQL
 * credentials of the old key move to the new one. 403 when the old key holds more scopes than the caller or expires later, so
 * that rotation gives no additional rights. 409 when the old key has ended or is being rotated.
 */
export async function rotateApiKey(
  context: RequestContext,
  { keyId, graceSeconds }: { readonly keyId: string; readonly graceSeconds: number },
): Promise<ApiKeyCreateResponse> {
  const { now } = context
  const caller = requireCaller(context.principal)
  const access = context.ports.get(accessPort)
  const { created, digests } = await withOwnAccount(context, async (tx, account) => {
    const old = await findKey(tx, account.accountId, keyId)
    if (old === null) throw noSuchKey()
    assertScopesHeld(caller, scopesOf(old, account))
    const bounds = await loadKeyBounds(tx, caller, now)
    assertEndsWithinOld(old, bounds)
    if (old.revokedAt !== null || !isActive(old, now)) {
      throw new ApiError('conflict', {
        message: 'This key has expired, was revoked or is already being rotated; create a new key instead.',
      })
    }
    const end = new Date(now.getTime() + graceSeconds * 1_000)
    const ended = await revokeKeys(tx, account.accountId, [keyId], end)
    const next = await issueKey(tx, access, account, now, {
      label: old.label,
      scopes: narrowestOf(bounds.narrowedTo, narrowingOf(old)),
      expiresAt: old.expiresAt,
      urlUse: urlUseOf(old),
      clock: keyClockOf(old),
      // Who holds the key of this request learns the text of the new key.
      makerKeyId: caller.keyId === null || caller.keyId === keyId ? old.makerKeyId : caller.keyId,
      idempotency: null,
    })
    await handOver(tx, access, { accountId: account.accountId, keyId }, next.key_id)
    const details = { new_key_id: next.key_id, grace_seconds: graceSeconds }
    await audit(tx, context, { action: 'key_rotated', keyId, details })
    return { created: next, digests: ended.map(({ digest }) => digest) }
  })
  access.forget(caller.accountId, digests)
  return created
}

function assertEndsWithinOld(old: KeyRow, { endsAt }: Bounds): void {
  if (!outlives(old.expiresAt, endsAt)) return
  throw new ApiError('forbidden', {
    message: `A key cannot create a key that expires later: your key ends at ${endsAt?.toISOString()}, the rotated key would end later.`,
  })
}

/** Scopes in both lists; null means all. Scopes that the account's tier does not include now are kept. */
function narrowestOf(a: readonly Scope[] | null, b: readonly Scope[] | null): readonly Scope[] | null {
  if (a === null || b === null) return a ?? b
  return b.filter((scope) => a.includes(scope))
}

/**
 * Ends a key of the caller's account now, with the keys that were made with it, and with their webhooks and SQL credentials.
 * Repeating it changes nothing. 404 for keys of other accounts.
 */
export async function revokeApiKey(context: RequestContext, keyId: string): Promise<void> {
  const { accountId } = requireCaller(context.principal)
  const { digests, hasEndedSql } = await withOwnAccount(context, async (tx) => {
    if ((await findKey(tx, accountId, keyId)) === null) throw noSuchKey()
    const ending = { at: context.now, origin: context.clientAddress, actor: 'self' } as const
    return endKey(tx, context.ports.get(accessPort), { accountId, keyId }, ending)
  })
  context.ports.get(accessPort).forget(accountId, digests)
  if (hasEndedSql) await endRolesNow(context)
}

/**
 * Moves the clock of a key of the caller's account forward. 404 for keys of other accounts, 409 for a key without a clock, 422 for
 * an earlier instant or one in the future.
 */
export async function advanceApiKey(
  context: RequestContext,
  { keyId, clock }: { readonly keyId: string; readonly clock: RequestedClock },
): Promise<void> {
  const { accountId } = requireCaller(context.principal)
  const digest = await withOwnAccount(context, async (tx) => {
    const key = await findKey(tx, accountId, keyId)
    if (key === null) throw noSuchKey()
    assertAdvances(keyClockOf(key), clock, context.now)
    const details = { clock_as_of: clock.as_of.toISOString() }
    await audit(tx, context, { action: 'key_advanced', keyId, details })
    return moveKeyClock(tx, keyId, clock.as_of)
  })
  if (digest !== null) context.ports.get(accessPort).forget(accountId, [digest])
}
