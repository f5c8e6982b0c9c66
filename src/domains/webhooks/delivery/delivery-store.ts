import type { Database, Sql } from '../../../platform/database/database.js'
import { DELETED_AT_ONCE, deleteInBatches } from '../../../platform/database/delete-in-batches.js'
import { arraysOf, column, type RowIn, statement } from '../../../platform/database/statement.js'
import type { DeliveryEnd } from '../../../platform/outbox/leased-rows.js'
import type { FeedName } from '../change-feeds.js'
import { accessAt, QUEUE, SHARD_OF_WEBHOOK, WITH_OWNER, WITH_SHARD } from '../conditions.js'
import type { DisabledReason, WebhookState } from '../model.js'

// Plain SQL: Prisma has neither window functions nor updates of several tables that return their rows.

/** Number of due events that one statement returns. */
const DUE_AT_ONCE = 256

const DUE = statement(
  'lacks window function',
  {
    webhookId: 'uuid',
    diffId: 'int8',
    feed: column<FeedName>('text'),
    assetId: 'int4',
    accountId: 'uuid',
    host: 'text',
    shard: 'int4',
    failuresInRow: 'int4',
  },
  `with ready as materialized (
     select w.webhook_id, w.account_id, w.host, w.failures_in_row, ${SHARD_OF_WEBHOOK} as shard
     from webhook as w ${WITH_OWNER}
     where w.state = 'active' and w.not_before <= $1 and ${accessAt('$1')}
       and ${SHARD_OF_WEBHOOK} = any($6::int[])
       and w.account_id <> all($2::uuid[]) and w.host <> all($3::text[])
       and exists (select from webhook_delivery as d where d.webhook_id = w.webhook_id and d.settled_at is null)
   ), heads as (
     select distinct on (d.webhook_id, d.asset_id) d.webhook_id, d.asset_id, d.diff_id, d.feed, d.computed_at, d.state, d.next_attempt_at
     from ready as r join webhook_delivery as d on d.webhook_id = r.webhook_id
     where d.settled_at is null
     order by d.webhook_id, d.asset_id, d.computed_at, d.diff_id
   ), due as (
     select h.webhook_id, h.asset_id, h.diff_id, h.feed, h.next_attempt_at, r.account_id, r.host, r.shard, r.failures_in_row,
       row_number() over (partition by h.webhook_id order by h.computed_at, h.diff_id) as of_webhook
     from heads as h join ready as r on r.webhook_id = h.webhook_id
     where h.state = 'pending' and h.next_attempt_at <= $1
   ), ranked as (
     select d.*, row_number() over (partition by d.account_id order by d.of_webhook, d.next_attempt_at) as of_account
     from due as d where d.of_webhook <= $4::int8
   )
   select webhook_id as "webhookId", diff_id as "diffId", feed, asset_id as "assetId", account_id as "accountId", host, shard,
     failures_in_row as "failuresInRow"
   from ranked where of_account <= $5::int8
   order by of_account, next_attempt_at, diff_id limit ${DUE_AT_ONCE}`,
)

/** A due event that is the first undelivered one of its asset. */
export type DueDelivery = RowIn<typeof DUE>

/** Shards whose events are loaded, accounts and hosts that are skipped because they have enough attempts in flight, and limits per webhook and account. */
export interface DueLimits {
  readonly shards: readonly number[]
  readonly busyAccounts: readonly string[]
  readonly busyHosts: readonly string[]
  readonly perWebhook: number
  readonly perAccount: number
}

/** Loads events that may be sent now, of webhooks whose owners may read them now: of each asset only the first event. */
export function loadDueEvents(sql: Sql, now: Date, limits: DueLimits): Promise<readonly DueDelivery[]> {
  const { shards, busyAccounts, busyHosts, perWebhook, perAccount } = limits
  return sql.rows(DUE, [now, busyAccounts, busyHosts, perWebhook, perAccount, shards])
}

/** An event that this process is sending. No other process has the same attempt number and term. */
export interface OpenEventDelivery {
  readonly webhookId: string
  readonly diffId: number
  readonly attempts: number
  readonly term: number
  readonly url: string
  /** Seeds of the secrets that sign now. */
  readonly seeds: readonly Buffer[]
  readonly failuresInRow: number
}

const OPEN = statement(
  'lacks condition of an update',
  {
    webhookId: 'uuid',
    diffId: 'int8',
    attempts: 'int4',
    term: 'int8',
    url: 'text',
    seed: 'bytea',
    previousSeed: 'bytea?',
    failuresInRow: 'int4',
  },
  `${QUEUE.open(`unnest($3::uuid[], $4::int8[], $5::int8[]) as o (webhook_id, diff_id, term)
     join webhook as w on w.webhook_id = o.webhook_id and w.state = 'active'
     ${WITH_SHARD} and s.term = o.term`)}
   returning ${QUEUE.keyColumns}, d.attempts, s.term, w.url, w.seed,
     case when w.previous_until > $2 then w.previous_seed end as "previousSeed", w.failures_in_row as "failuresInRow"`,
)

/** An event to send under a term of its shard. */
export type ChosenDelivery = Pick<DueDelivery, 'webhookId' | 'diffId'> & { readonly term: number }

/** Marks events as open for an attempt. Events that must no longer be sent or belong to another node are not returned. */
export async function openDeliveries(
  sql: Sql,
  node: string,
  now: Date,
  chosen: readonly ChosenDelivery[],
): Promise<readonly OpenEventDelivery[]> {
  const columns = arraysOf(chosen, 'webhookId', 'diffId', 'term')
  const rows = await sql.rows(OPEN, [node, now, ...columns])
  return rows.map(({ seed, previousSeed, ...row }) => ({
    ...row,
    seeds: previousSeed === null ? [seed] : [seed, previousSeed],
  }))
}

/** How an attempt ended. */
export interface EventDeliveryEnd extends DeliveryEnd {
  readonly state: 'delivered' | 'dead' | 'pending'
  readonly status: number | null
  /** The whole webhook waits until then; null for no wait. */
  readonly holdUntil: Date | null
  /** The receiver responded with 410: it wants no further events. */
  readonly isGone: boolean
}

/** Number of dead letters without a delivery between them that disables a webhook. */
export const MAX_DEAD_IN_ROW = 50
/** Days of failures without a delivery that disable a webhook. */
export const MAX_FAILING_DAYS = 3

// It locks the row of the webhook first, as a replay and a removal do, to avoid deadlocks.
const SETTLE = statement(
  'lacks row lock',
  { state: column<WebhookState>('text'), reason: column<DisabledReason | null>('text?') },
  `with locked as materialized (
     select webhook_id from webhook where webhook_id = $3::uuid for no key update
   ), settled as (
     ${QUEUE.settle("d.webhook_id = l.webhook_id and d.state = 'open'", { set: ', last_status = $9', from: 'from locked as l' })}
     returning d.webhook_id
   ), counted as (
     select w.webhook_id, $5 = 'delivered' as is_delivered, coalesce(w.failing_since, $6::timestamptz) as failing_since,
       w.dead_in_row + ($5 = 'dead')::int as dead_in_row
     from webhook as w join settled as s on s.webhook_id = w.webhook_id
   ), judged as (
     select c.*, case when c.is_delivered then null when $11::bool then 'gone'
       when c.dead_in_row >= ${MAX_DEAD_IN_ROW} then 'failing'
       when c.failing_since < $6::timestamptz - interval '${MAX_FAILING_DAYS} days' then 'failing' end as reason
     from counted as c
   )
   update webhook as w set
     failures_in_row = case when j.is_delivered then 0 else w.failures_in_row + 1 end,
     dead_in_row = case when j.is_delivered then 0 else j.dead_in_row end,
     failing_since = case when j.is_delivered then null else j.failing_since end,
     last_success_at = case when j.is_delivered then $6::timestamptz else w.last_success_at end,
     last_failure_at = case when j.is_delivered then w.last_failure_at else $6::timestamptz end,
     last_error = case when j.is_delivered then w.last_error else $8 end,
     not_before = case when j.is_delivered then w.not_before else greatest(w.not_before, $10::timestamptz) end,
     state = case when j.reason is not null and w.state = 'active' then 'disabled' else w.state end,
     disabled_reason = case when w.state = 'active' then j.reason else w.disabled_reason end
   from judged as j where w.webhook_id = j.webhook_id
   returning w.state, w.disabled_reason as reason`,
)

/** Stores the result of an attempt; null when another process owns the event now or the event was withdrawn. */
export async function settleEventDelivery(sql: Sql, delivery: OpenEventDelivery, end: EventDeliveryEnd) {
  const { status, holdUntil, isGone } = end
  const [row] = await sql.rows(SETTLE, [...QUEUE.endValues(delivery, end), status, holdUntil, isGone])
  return row ?? null
}

const BACKLOG = statement(
  'lacks deadline',
  { pending: 'int8', dead: 'int8' },
  `select (select count(*) from webhook_delivery where settled_at is null) as pending,
     (select count(*) from webhook_delivery where state = 'dead') as dead`,
)

/** Counts undelivered events and dead letters of all webhooks. */
export async function loadBacklog(sql: Sql): Promise<{ readonly pending: number; readonly dead: number }> {
  const [row] = await sql.rows(BACKLOG, [], { withinMs: 2_000 })
  return row ?? { pending: 0, dead: 0 }
}

/** Days for which events are listed after they were delivered or given up. */
const DELIVERY_RETENTION_DAYS = { delivered: 3, dead: 30 } as const

const DELETE_OLD = statement(
  'lacks row lock',
  { webhookId: 'uuid' },
  `with old as (
     select webhook_id, diff_id from webhook_delivery
     where settled_at < $1::timestamptz - interval '${DELIVERY_RETENTION_DAYS.delivered} days'
       and (state = 'delivered' or settled_at < $1::timestamptz - interval '${DELIVERY_RETENTION_DAYS.dead} days')
     limit ${DELETED_AT_ONCE} for update skip locked
   )
   delete from webhook_delivery as d using old as o
   where d.webhook_id = o.webhook_id and d.diff_id = o.diff_id returning d.webhook_id as "webhookId"`,
)

/** Deletes events after their retention time; returns their number. */
export function deleteOldDeliveries(database: Database, now: Date): Promise<number> {
  return deleteInBatches(database, async (tx) => (await tx.rows(DELETE_OLD, [now])).length)
}
