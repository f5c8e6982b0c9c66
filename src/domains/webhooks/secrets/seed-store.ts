import type { Sql } from '../../../platform/database/database.js'
import { statement } from '../../../platform/database/statement.js'

/** The stored seeds of a webhook. */
export interface WebhookSeeds {
  readonly webhookId: string
  readonly seed: Buffer
  readonly previousSeed: Buffer | null
}

/** Seeds of another pepper than the one that begins these bytes; see `WebhookSignatures` for their forms. */
const isOfOther = (column: string) =>
  `not (octet_length(${column}) in (40, 68) and substr(${column}, 1, 8) = $1)`

const OF_OTHER_PEPPERS = statement(
  { webhookId: 'uuid', seed: 'bytea', previousSeed: 'bytea?' },
  `select webhook_id as "webhookId", seed, previous_seed as "previousSeed" from webhook
   where webhook_id > $2::uuid and (${isOfOther('seed')} or (previous_seed is not null and ${isOfOther('previous_seed')}))
   order by webhook_id limit $3`,
)

/** Lists webhooks with a seed of another pepper than the named one, in the order of their ids after the given one. */
export function listSeedsOfOtherPeppers(
  sql: Sql,
  pepperId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly WebhookSeeds[]> {
  return sql.rows(OF_OTHER_PEPPERS, [Buffer.from(pepperId, 'hex'), after, limit])
}

/** A webhook with the seeds that are stored and those that replace them. */
export interface SeedChange {
  readonly from: WebhookSeeds
  readonly to: Pick<WebhookSeeds, 'seed' | 'previousSeed'>
}

/**
 * Replaces seeds and returns the number of changed webhooks. A webhook that has other seeds than the stated ones by now stays as
 * it is, and so does one that another transaction holds.
 */
export async function replaceSeeds(sql: Sql, changes: readonly SeedChange[]): Promise<number> {
  // Plain SQL: one statement for many rows, and locks that never wait.
  const rows = await sql.rows(
    `with changes as (
       select * from unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[])
         as c (webhook_id, seed_from, previous_from, seed_to, previous_to)),
     held as (select w.webhook_id from webhook w join changes c using (webhook_id)
       where w.seed = c.seed_from and w.previous_seed is not distinct from c.previous_from
       for no key update of w skip locked)
     update webhook w set seed = c.seed_to, previous_seed = c.previous_to
     from changes c join held h using (webhook_id)
     where w.webhook_id = c.webhook_id
     returning w.webhook_id`,
    [
      changes.map(({ from }) => from.webhookId),
      changes.map(({ from }) => from.seed),
      changes.map(({ from }) => from.previousSeed),
      changes.map(({ to }) => to.seed),
      changes.map(({ to }) => to.previousSeed),
    ],
  )
  return rows.length
}

const COUNT = statement(
  { webhooks: 'int4' },
  `select count(*)::int as webhooks from webhook
   where ${isOfOther('seed')} or (previous_until > $2 and ${isOfOther('previous_seed')})`,
)

/** Counts webhooks whose secret needs another pepper than the named one. A previous secret that has ended does not count. */
export async function countSeedsOfOtherPeppers(sql: Sql, pepperId: string, now: Date): Promise<number> {
  const [row] = await sql.rows(COUNT, [Buffer.from(pepperId, 'hex'), now])
  return row?.webhooks ?? 0
}
