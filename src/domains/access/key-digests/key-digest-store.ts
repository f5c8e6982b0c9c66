import type { Sql } from '../../../platform/database/database.js'
import { statement } from '../../../platform/database/statement.js'
import { activeAt } from '../key-store.js'
import type { AccessClient } from '../transaction.js'

/** A key whose digest is stored with another pepper, or without its name. Digests are hex. */
export interface DigestMove {
  readonly keyId: string
  /** The stored digest. */
  readonly from: string
  /** The digest of the same key with the current pepper; may be equal. */
  readonly to: string
}

// Plain SQL: one statement for many rows, and locks that never wait.
const MOVE = statement(
  { keyId: 'uuid' },
  `with moves as (select * from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as m (key_id, digest_from, digest_to)),
   held as (select k.key_id from api_key k join moves m on k.key_id = m.key_id and k.digest = m.digest_from
     for update of k skip locked)
   update api_key k set digest = m.digest_to, pepper_id = $4
   from moves m join held h on h.key_id = m.key_id
   where k.key_id = m.key_id and k.digest = m.digest_from
   returning k.key_id as "keyId"`,
)

/**
 * Stores digests of the current pepper and returns the ids of the keys. A key that has another digest than the stated one by now
 * stays as it is, and so does one that another transaction holds.
 */
export async function moveDigests(
  sql: Sql,
  moves: readonly DigestMove[],
  pepperId: string,
): Promise<ReadonlySet<string>> {
  const bytes = (digests: readonly string[]) => digests.map((digest) => Buffer.from(digest, 'hex'))
  const rows = await sql.rows(MOVE, [
    moves.map(({ keyId }) => keyId),
    bytes(moves.map(({ from }) => from)),
    bytes(moves.map(({ to }) => to)),
    pepperId,
  ])
  return new Set(rows.map(({ keyId }) => keyId))
}

/** Rows that one statement marks, so that it holds its locks for some milliseconds only. */
const MARK_BATCH = 1_000

/**
 * Names the pepper of keys of earlier versions: every digest without a name is of the pepper before the first rotation. Returns
 * their number.
 */
export async function markDigests(sql: Sql, pepperId: string): Promise<number> {
  for (let marked = 0; ; ) {
    // Plain SQL: Prisma has no limit on updates and no row locks.
    const rows = await sql.rows(
      `update api_key set pepper_id = $1 where pepper_id is null and key_id in
         (select key_id from api_key where pepper_id is null limit ${MARK_BATCH} for no key update skip locked)
       returning key_id`,
      [pepperId],
    )
    if (rows.length === 0) return marked
    marked += rows.length
  }
}

/** Active keys by the pepper of their digest. */
export interface DigestCounts {
  readonly current: number
  /** Of the previous pepper; also keys of earlier versions that were not used since. */
  readonly previous: number
  /** Of peppers that this node does not accept: nobody can use these keys. */
  readonly lost: number
}

/** Counts active keys by pepper. `accepted` names the peppers of the node, the current one first. */
export async function countDigests(
  client: AccessClient,
  now: Date,
  [current, ...others]: readonly [string, ...string[]],
): Promise<DigestCounts> {
  const groups = await client.apiKey.groupBy({ by: ['pepperId'], where: activeAt(now), _count: true })
  const counts = { current: 0, previous: 0, lost: 0 }
  for (const { pepperId, _count } of groups) {
    if (pepperId === current) counts.current += _count
    else if (pepperId === null || others.includes(pepperId)) counts.previous += _count
    else counts.lost += _count
  }
  return counts
}

/** Active keys whose digest is not of the current pepper, those used last first; never used ones come last. */
export function listOtherDigests(client: AccessClient, now: Date, currentId: string, limit: number) {
  return client.apiKey.findMany({
    where: { AND: [activeAt(now), { OR: [{ pepperId: null }, { pepperId: { not: currentId } }] }] },
    select: { keyId: true, accountId: true, keyPrefix: true, label: true, lastUsedAt: true },
    orderBy: [{ lastUsedAt: { sort: 'desc', nulls: 'last' } }, { keyId: 'asc' }],
    take: limit,
  })
}
