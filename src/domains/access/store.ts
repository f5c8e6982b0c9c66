import { randomUUID } from 'node:crypto'
import type { Sql, Transaction } from '../../platform/database.js'
import type { Tier } from '../../policy/tiers.js'

/** Whether key k works at $n. */
const isActive = (n: number) =>
  `(coalesce(k.revoked_at > $${n}, true) and coalesce(k.expires_at > $${n}, true))`

/** An account that is not deleted. */
export interface AccountRow {
  readonly accountId: string
  readonly email: string | null
  readonly tier: Tier
  readonly grants: readonly string[]
  readonly quotaMonth: number | null
  readonly quotaHour: number | null
  readonly createdAt: Date
}

export interface KeyRow {
  readonly keyId: string
  readonly keyPrefix: string
  readonly label: string
  readonly scopes: readonly string[]
  readonly isNarrowed: boolean
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
}

export interface NewKeyRow extends Omit<KeyRow, 'revokedAt' | 'lastUsedAt'> {
  readonly accountId: string
  readonly digest: Uint8Array
  readonly idempotencyKey: string | null
  readonly requestSha256: string | null
}

const ACCOUNT = `a.account_id as "accountId", a.email, a.tier, a.grants, a.quota_month as "quotaMonth",
  a.quota_hour as "quotaHour", a.created_at as "createdAt"`

const KEY = `k.key_id as "keyId", k.key_prefix as "keyPrefix", k.label, k.scopes, k.is_narrowed as "isNarrowed",
  k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt"`

export interface KeyWithAccount extends AccountRow, KeyRow {
  /** The key's digest, hex. */
  readonly digest: string
}

/** Keys, with their accounts, by digest (hex); keys of deleted accounts are left out. */
export async function findKeysByDigest(
  sql: Sql,
  digests: readonly string[],
): Promise<readonly KeyWithAccount[]> {
  return sql.rows(
    `select ${ACCOUNT}, ${KEY}, encode(k.digest, 'hex') as digest from api_key k join account a using (account_id)
     where k.digest = any($1::bytea[]) and a.deleted_at is null`,
    [digests.map((digest) => Buffer.from(digest, 'hex'))],
  )
}

export async function findAccounts(sql: Sql, accountIds: readonly string[]): Promise<readonly AccountRow[]> {
  return sql.rows(
    `select ${ACCOUNT} from account a where a.account_id = any($1::uuid[]) and a.deleted_at is null`,
    [accountIds],
  )
}

/** An account on tier free with nothing granted, not stored yet. */
export function newAccount(now: Date): AccountRow {
  const none = { email: null, quotaMonth: null, quotaHour: null }
  return { accountId: randomUUID(), ...none, tier: 'free', grants: [], createdAt: now }
}

/** Makes an account and answers true, or false when the e-mail is taken. */
export async function insertAccount(
  tx: Transaction,
  account: AccountRow & { readonly passwordHash: string | null },
): Promise<boolean> {
  const rows = await tx.rows(
    `insert into account (account_id, email, password_hash, tier, grants, quota_month, quota_hour, created_at)
     values ($1, $2, $3, $4, $5::text[], $6, $7, $8) on conflict (email) do nothing returning account_id`,
    [
      account.accountId,
      account.email,
      account.passwordHash,
      account.tier,
      account.grants,
      account.quotaMonth,
      account.quotaHour,
      account.createdAt,
    ],
  )
  return rows.length === 1
}

/** The account, or null; nobody else changes it or its keys until the transaction ends. */
export async function lockAccount(tx: Transaction, accountId: string): Promise<AccountRow | null> {
  const [row] = await tx.rows<AccountRow>(
    `select ${ACCOUNT} from account a where a.account_id = $1 and a.deleted_at is null for no key update`,
    [accountId],
  )
  return row ?? null
}

export async function findAccountByEmail(
  sql: Sql,
  email: string,
): Promise<(AccountRow & { readonly passwordHash: string | null }) | null> {
  const [row] = await sql.rows<AccountRow & { passwordHash: string | null }>(
    `select ${ACCOUNT}, a.password_hash as "passwordHash" from account a
     where a.email = $1 and a.deleted_at is null`,
    [email],
  )
  return row ?? null
}

/** Newest first, of one tier where given; deleted accounts are left out. */
export async function listAccounts(
  sql: Sql,
  now: Date,
  page: { readonly limit: number; readonly offset: number; readonly tier?: Tier },
): Promise<readonly (AccountRow & { readonly activeKeys: number })[]> {
  return sql.rows(
    `select ${ACCOUNT}, (select count(*) from api_key k where k.account_id = a.account_id and ${isActive(1)})
       as "activeKeys"
     from account a where a.deleted_at is null and a.tier = coalesce($4, a.tier)
     order by a.created_at desc, a.account_id limit $2 offset $3`,
    [now, page.limit, page.offset, page.tier ?? null],
  )
}

/** Accounts that are not deleted, of one tier where given. */
export async function countAccounts(sql: Sql, tier: Tier | null): Promise<number> {
  const [row] = await sql.rows<{ count: number }>(
    'select count(*) as count from account where deleted_at is null and tier = coalesce($1, tier)',
    [tier],
  )
  return row?.count ?? 0
}

/** The account by id (UUID) or e-mail (lower case), deleted or not; a deleted one has lost its e-mail. */
export async function findAccountEvenDeleted(
  sql: Sql,
  by: { readonly accountId: string } | { readonly email: string },
): Promise<(AccountRow & { readonly deletedAt: Date | null }) | null> {
  const [column, value] = 'email' in by ? ['a.email', by.email] : ['a.account_id', by.accountId]
  const [row] = await sql.rows<AccountRow & { deletedAt: Date | null }>(
    `select ${ACCOUNT}, a.deleted_at as "deletedAt" from account a where ${column} = $1`,
    [value],
  )
  return row ?? null
}

/** Overwrites what decides an account's rights and quotas. */
export async function updateAccount(tx: Transaction, account: AccountRow): Promise<void> {
  await tx.rows(
    `update account set tier = $2, grants = $3::text[], quota_month = $4, quota_hour = $5 where account_id = $1`,
    [account.accountId, account.tier, account.grants, account.quotaMonth, account.quotaHour],
  )
}

/** Takes everything personal from an account (labels are free text, so they go too); its usage stays. */
export async function anonymiseAccount(tx: Transaction, accountId: string, now: Date): Promise<void> {
  await tx.rows(
    `update account set email = null, password_hash = null, deleted_at = $2 where account_id = $1`,
    [accountId, now],
  )
  await tx.rows(`update api_key set label = '', idempotency_key = null where account_id = $1`, [accountId])
}

export async function insertKey(tx: Transaction, key: NewKeyRow): Promise<void> {
  await tx.rows(
    `insert into api_key (key_id, account_id, digest, key_prefix, label, scopes, is_narrowed, created_at, expires_at,
       idempotency_key, request_sha256)
     values ($1, $2, $3, $4, $5, $6::text[], $7, $8, $9, $10, $11)`,
    [
      key.keyId,
      key.accountId,
      key.digest,
      key.keyPrefix,
      key.label,
      key.scopes,
      key.isNarrowed,
      key.createdAt,
      key.expiresAt,
      key.idempotencyKey,
      key.requestSha256,
    ],
  )
}

/** An account's keys, those that work first, then the newest. */
export async function listKeys(
  sql: Sql,
  accountId: string,
  now: Date,
  limit: number,
): Promise<{ readonly rows: readonly KeyRow[]; readonly total: number }> {
  const rows = await sql.rows<KeyRow & { total: number }>(
    `select ${KEY}, count(*) over () as total from api_key k where k.account_id = $1
     order by ${isActive(2)} desc, k.created_at desc, k.key_id limit $3`,
    [accountId, now, limit],
  )
  return { rows, total: rows[0]?.total ?? 0 }
}

/** One key of the account, or null: also for keys of other accounts. */
export async function findKey(sql: Sql, accountId: string, keyId: string): Promise<KeyRow | null> {
  const [row] = await sql.rows<KeyRow>(
    `select ${KEY} from api_key k where k.account_id = $1 and k.key_id = $2`,
    [accountId, keyId],
  )
  return row ?? null
}

/** The account that a key belongs to, or null. */
export async function findKeyOwner(sql: Sql, keyId: string): Promise<string | null> {
  const [row] = await sql.rows<{ accountId: string }>(
    'select account_id as "accountId" from api_key where key_id = $1',
    [keyId],
  )
  return row?.accountId ?? null
}

export async function findKeyByIdempotency(
  sql: Sql,
  accountId: string,
  idempotencyKey: string,
): Promise<{ readonly keyId: string; readonly requestSha256: string | null } | null> {
  const [row] = await sql.rows<{ keyId: string; requestSha256: string | null }>(
    `select key_id as "keyId", request_sha256 as "requestSha256" from api_key
     where account_id = $1 and idempotency_key = $2`,
    [accountId, idempotencyKey],
  )
  return row ?? null
}

export async function countActiveKeys(sql: Sql, accountId: string, now: Date): Promise<number> {
  const [row] = await sql.rows<{ count: number }>(
    `select count(*) as count from api_key k where k.account_id = $1 and ${isActive(2)}`,
    [accountId, now],
  )
  return row?.count ?? 0
}

/**
 * Ends one key, or all keys of the account (null), at `at`; a key that ends earlier keeps its end.
 * Answers the digests of the keys it changed.
 */
export async function revokeKeys(
  tx: Transaction,
  accountId: string,
  keyId: string | null,
  at: Date,
): Promise<readonly Uint8Array[]> {
  const rows = await tx.rows<{ digest: Uint8Array }>(
    `update api_key set revoked_at = $3 where account_id = $1 and key_id = coalesce($2::uuid, key_id)
     and coalesce(revoked_at > $3, true) returning digest`,
    [accountId, keyId, at],
  )
  return rows.map((row) => row.digest)
}

/** Notes uses of keys; a use within a minute of the one noted before (maybe by another node) writes nothing. */
export async function touchKeys(sql: Sql, uses: ReadonlyMap<string, Date>): Promise<void> {
  await sql.rows(
    `update api_key k set last_used_at = u.at
     from unnest($1::uuid[], $2::timestamptz[]) as u (key_id, at)
     where k.key_id = u.key_id and coalesce(k.last_used_at <= u.at - interval '1 minute', true)`,
    [[...uses.keys()], [...uses.values()]],
  )
}

export type AuditAction =
  | 'register'
  | 'login'
  | 'login_failed'
  | 'key_created'
  | 'key_rotated'
  | 'key_revoked'
  | 'tier_changed'
  | 'grant_changed'
  | 'account_deleted'

export interface AuditEvent {
  readonly at: Date
  readonly action: AuditAction
  readonly accountId: string | null
  readonly keyId?: string
  /** Keyed hash of the address; null for operators. */
  readonly origin: string | null
  readonly actor: 'self' | 'operator'
  /** Never an e-mail, a password or a key. */
  readonly details?: Readonly<Record<string, string | number | null>>
}

/** Adds to the audit; within the transaction of what it tells of. */
export async function appendAudit(sql: Sql, event: AuditEvent): Promise<void> {
  await sql.rows(
    `insert into audit_event (event_id, at, action, account_id, key_id, origin, actor, details)
     values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)`,
    [
      randomUUID(),
      event.at,
      event.action,
      event.accountId,
      event.keyId ?? null,
      event.origin,
      event.actor,
      event.details === undefined ? null : JSON.stringify(event.details),
    ],
  )
}

/** What is shown of an event: not the hash of where it came from. */
export interface AuditRow extends Pick<AuditEvent, 'at' | 'action' | 'actor'> {
  readonly keyId: string | null
  readonly details: NonNullable<AuditEvent['details']> | null
}

/** An account's events, newest first. */
export async function listAudit(sql: Sql, accountId: string, limit: number): Promise<readonly AuditRow[]> {
  return sql.rows(
    `select at, action, key_id as "keyId", actor, details from audit_event
     where account_id = $1 order by at desc, event_id limit $2`,
    [accountId, limit],
  )
}

/** Days that the audit is kept. */
export const AUDIT_DAYS = 90

/** Drops events older than 90 days and answers how many. */
export async function purgeAudit(sql: Sql, now: Date): Promise<number> {
  const before = new Date(now.getTime() - AUDIT_DAYS * 86_400_000)
  const [row] = await sql.rows<{ count: number }>(
    `with gone as (delete from audit_event where at < $1 returning 1) select count(*) as count from gone`,
    [before],
  )
  return row?.count ?? 0
}
