import type { Sql } from '../../platform/database/database.js'
import type { AccountRow } from './account-store.js'
import type { KeyRow } from './key-store.js'

// Plain SQL: a caller that is not cached waits for one of these reads. Prisma's client takes 3.4 to 5 times the CPU for the
// first (measured on PostgreSQL, Node 20: 0.7 to 2.2 ms against 0.2 to 0.5 ms).

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

/** Accounts by id; deleted ones are left out. */
export async function findAccounts(sql: Sql, accountIds: readonly string[]): Promise<readonly AccountRow[]> {
  return sql.rows(
    `select ${ACCOUNT} from account a where a.account_id = any($1::uuid[]) and a.deleted_at is null`,
    [accountIds],
  )
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
