import { ACCOUNT, API_KEY } from '../../generated/columns.js'
import type { Sql } from '../../platform/database/database.js'
import { column, only, selectList, statement } from '../../platform/database/statement.js'
import type { Tier } from '../../policy/tiers.js'
import type { AccountRow } from './account-store.js'
import type { KeyRow } from './keys/key-store.js'

// Plain SQL: a request of a caller that is not cached waits for one of these reads. Prisma's client needs 3.4 to 5.1 times the
// CPU for the first one (bench sql).

const OF_ACCOUNT = {
  ...only(ACCOUNT, 'accountId', 'email', 'quotaMonth', 'quotaHour'),
  /** One of TIERS by a constraint of the table. */
  tier: column<Tier>('text'),
} as const
const ACCOUNT_LIST = `${selectList(OF_ACCOUNT, 'a')}, coalesce(a.grants, '{}') as grants`

/** The part of an account that decides what its callers may do. */
export type CallerAccount = Omit<AccountRow, 'createdAt'>

const OF_KEY = {
  ...only(API_KEY, 'keyId', 'keyPrefix', 'label', 'isNarrowed'),
  ...only(
    API_KEY,
    'createdAt',
    'expiresAt',
    'revokedAt',
    'lastUsedAt',
    'urlHourlyUnits',
    'clockAsOf',
    'clockBasis',
  ),
} as const

export interface KeyWithAccount extends CallerAccount, KeyRow {
  /** The key's digest, hex. */
  readonly digest: string
}

const BY_DIGEST = statement(
  'hot 3.8',
  {
    ...OF_ACCOUNT,
    ...OF_KEY,
    grants: '_text',
    scopes: '_text',
    urlOperations: '_text',
    urlInterfaces: '_text',
    digest: 'text',
  },
  `select ${ACCOUNT_LIST}, ${selectList(OF_KEY, 'k')}, coalesce(k.scopes, '{}') as scopes,
     coalesce(k.url_operations, '{}') as "urlOperations", coalesce(k.url_interfaces, '{}') as "urlInterfaces",
     encode(k.digest, 'hex') as digest
   from api_key k join account a using (account_id)
   where k.digest = any($1::bytea[]) and a.deleted_at is null`,
)

const BY_ID = statement(
  'hot 3.8',
  { ...OF_ACCOUNT, grants: '_text' },
  `select ${ACCOUNT_LIST} from account a where a.account_id = any($1::uuid[]) and a.deleted_at is null`,
)

/** Finds keys with their accounts by digest (hex), without keys of deleted accounts. */
export async function findKeysByDigest(
  sql: Sql,
  digests: readonly string[],
): Promise<readonly KeyWithAccount[]> {
  return sql.rows(BY_DIGEST, [digests.map((digest) => Buffer.from(digest, 'hex'))])
}

/** Finds accounts by id, without deleted accounts. */
export async function findAccounts(
  sql: Sql,
  accountIds: readonly string[],
): Promise<readonly CallerAccount[]> {
  return sql.rows(BY_ID, [accountIds])
}

/** Records when keys were used. A use within a minute of the recorded one, even by another node, writes nothing. */
export async function touchKeys(sql: Sql, uses: ReadonlyMap<string, Date>): Promise<void> {
  await sql.rows(
    `update api_key k set last_used_at = u.at
     from unnest($1::uuid[], $2::timestamptz[]) as u (key_id, at)
     where k.key_id = u.key_id and coalesce(k.last_used_at <= u.at - interval '1 minute', true)`,
    [[...uses.keys()], [...uses.values()]],
  )
}
