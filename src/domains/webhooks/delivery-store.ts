import type { Sql } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import { TIERS, type Tier } from '../../policy/tiers.js'
import { effectiveScopes } from '../access/model.js'
import { type DisabledReason, WEBHOOK_SCOPE, WEBHOOKS_PER_TIER, type WebhookState } from './model.js'

// Plain SQL: the work of every webhook in one statement each, with row locks and updates that answer with their rows.

/** The name of the lease that the dispatcher holds. */
export const WEBHOOKS_LEASE = 'webhooks'

const LEASED = `exists (select from schedule_lease where name = '${WEBHOOKS_LEASE}' and term = $1)`

/** The tiers that carry the scope. */
const SCOPE_TIERS: readonly Tier[] = TIERS.filter((tier) =>
  effectiveScopes({ tier, grants: [] }, null).has(WEBHOOK_SCOPE),
)

/** Whether the account, and the key that made the webhook, may read the changes now. */
const accessAt = (now: string, tiers: string) =>
  `a.deleted_at is null and (a.tier = any(${tiers}::text[]) or '${WEBHOOK_SCOPE}' = any(a.grants))
   and (w.key_id is null or coalesce(
     (k.revoked_at is null or k.revoked_at > ${now}) and (k.expires_at is null or k.expires_at > ${now})
     and (not k.is_narrowed or '${WEBHOOK_SCOPE}' = any(k.scopes)), false))`
const WITH_OWNER =
  'join account as a on a.account_id = w.account_id left join api_key as k on k.key_id = w.key_id'

const WORK = statement(
  { isAny: 'bool' },
  `select exists (select from webhook where state = 'active')
     or exists (select from webhook_delivery where state = 'open') as "isAny"`,
)

/** Whether there is anything to look after. */
export async function hasWork(sql: Sql): Promise<boolean> {
  const [row] = await sql.rows(WORK)
  return row?.isAny ?? false
}

const TOUCHED = { webhookId: 'uuid' } as const

/** What a process left open that was killed or lost the lease, or did not learn that it had opened. */
const RECOVER = statement(
  TOUCHED,
  `update webhook_delivery set state = 'pending', next_attempt_at = $2
   where state = 'open' and (term <> $1 or opened_at < $2::timestamptz - interval '10 minutes') and ${LEASED}
   returning webhook_id as "webhookId"`,
)

/** Makes attempts due again whose process is gone; answers how many. */
export async function recoverLeft(sql: Sql, term: number, now: Date): Promise<number> {
  return (await sql.rows(RECOVER, [term, now])).length
}

const LOST = statement(
  { webhookId: 'uuid', reason: column<DisabledReason | null>('text?') },
  `update webhook as w set state = 'disabled', disabled_reason = j.reason
   from (
     select w.webhook_id, case
       when not (${accessAt('$2', '$3')}) then 'access_lost'
       when row_number() over (partition by w.account_id order by w.created_at, w.webhook_id)
         > ($5::int[])[array_position($4::text[], a.tier)] then 'over_limit' end as reason
     from webhook as w ${WITH_OWNER} where w.state = 'active'
   ) as j
   where w.webhook_id = j.webhook_id and j.reason is not null and w.state = 'active' and ${LEASED}
   returning w.webhook_id as "webhookId", w.disabled_reason as reason`,
)

/** Disables webhooks whose account or key may not read the changes any more, or whose tier has fewer of them. */
export function disableLost(sql: Sql, term: number, now: Date) {
  const limits = TIERS.map((tier) => WEBHOOKS_PER_TIER[tier])
  return sql.rows(LOST, [term, now, SCOPE_TIERS, TIERS, limits])
}

/** Webhooks that one statement queues events for. */
const WEBHOOKS_AT_ONCE = 100

/**
 * Queues the next changes for webhooks that have room, and moves their cursors: behind the last one queued, or behind the
 * newest change where all that match are queued. The newest is read with them, and changes rise with each commit, so that
 * none is passed over.
 */
const QUEUE = statement(
  { webhooks: 'int8', events: 'int8' },
  `with newest as materialized (
     select c.computed_at, c.diff_id from analysis_change as c where c.source = $2
     order by c.computed_at desc, c.diff_id desc limit 1
   ), behind as materialized (
     select w.webhook_id, w.cursor_at, w.cursor_id, w.asset_ids, w.analysis_type, w.change_type,
       $4::int8 - (select count(*) from webhook_delivery as d
                   where d.webhook_id = w.webhook_id and d.settled_at is null) as room
     from webhook as w, newest as n
     where w.state = 'active' and (w.cursor_at, w.cursor_id) < (n.computed_at, n.diff_id) and ${LEASED}
       and (select count(*) from webhook_delivery as d
            where d.webhook_id = w.webhook_id and d.settled_at is null) < $4::int8
     order by w.webhook_id limit ${WEBHOOKS_AT_ONCE} for update of w skip locked
   ), found as materialized (
     select b.webhook_id, c.diff_id, c.computed_at, c.asset_id
     from behind as b cross join lateral (
       select c.diff_id, c.computed_at, c.asset_id from analysis_change as c
       where c.source = $2 and (c.computed_at, c.diff_id) > (b.cursor_at, b.cursor_id)
         and (coalesce(cardinality(b.asset_ids), 0) = 0 or c.asset_id = any(b.asset_ids))
         and (b.analysis_type is null or c.analysis_type = b.analysis_type)
         and (b.change_type is null or c.change_type = b.change_type)
       order by c.computed_at, c.diff_id limit greatest(b.room, 0)
     ) as c
   ), queued as (
     insert into webhook_delivery (webhook_id, diff_id, computed_at, asset_id, next_attempt_at)
     select webhook_id, diff_id, computed_at, asset_id, $3 from found on conflict do nothing
   ), moved as (
     update webhook as w set
       cursor_at = case when f.events < b.room then n.computed_at else f.last_at end,
       cursor_id = case when f.events < b.room then n.diff_id else f.last_id end
     from newest as n, behind as b cross join lateral (
       select count(*) as events,
         (array_agg(f.computed_at order by f.computed_at desc, f.diff_id desc))[1] as last_at,
         (array_agg(f.diff_id order by f.computed_at desc, f.diff_id desc))[1] as last_id
       from found as f where f.webhook_id = b.webhook_id
     ) as f
     where w.webhook_id = b.webhook_id and b.room > 0
   )
   select (select count(*) from behind) as webhooks, (select count(*) from found) as events`,
)

export interface QueueOptions {
  readonly source: string
  readonly now: Date
  /** Events of a webhook that are to be delivered at once. */
  readonly window: number
}

/** Queues what has changed; true where more webhooks are behind than one statement takes. */
export async function queueChanges(
  sql: Sql,
  term: number,
  { source, now, window }: QueueOptions,
): Promise<boolean> {
  const [row] = await sql.rows(QUEUE, [term, source, now, window])
  return (row?.webhooks ?? 0) >= WEBHOOKS_AT_ONCE
}

/** The first event of an asset that is still to be delivered, and due. */
export interface DueDelivery {
  readonly webhookId: string
  readonly diffId: number
  readonly assetId: number
  readonly accountId: string
  readonly host: string
  readonly failuresInRow: number
}

/** Due events that are chosen from at once, and of one webhook and of one account among them. */
const DUE_AT_ONCE = 256

const DUE = statement(
  {
    webhookId: 'uuid',
    diffId: 'int8',
    assetId: 'int4',
    accountId: 'uuid',
    host: 'text',
    failuresInRow: 'int4',
  },
  `with ready as materialized (
     select w.webhook_id, w.account_id, w.host, w.failures_in_row
     from webhook as w ${WITH_OWNER}
     where w.state = 'active' and w.not_before <= $1 and ${accessAt('$1', '$2')}
       and w.account_id <> all($3::uuid[]) and w.host <> all($4::text[])
       and exists (select from webhook_delivery as d where d.webhook_id = w.webhook_id and d.settled_at is null)
   ), heads as (
     select distinct on (d.webhook_id, d.asset_id) d.webhook_id, d.asset_id, d.diff_id, d.computed_at, d.state, d.next_attempt_at
     from ready as r join webhook_delivery as d on d.webhook_id = r.webhook_id
     where d.settled_at is null
     order by d.webhook_id, d.asset_id, d.computed_at, d.diff_id
   ), due as (
     select h.webhook_id, h.asset_id, h.diff_id, h.next_attempt_at, r.account_id, r.host, r.failures_in_row,
       row_number() over (partition by h.webhook_id order by h.computed_at, h.diff_id) as of_webhook
     from heads as h join ready as r on r.webhook_id = h.webhook_id
     where h.state = 'pending' and h.next_attempt_at <= $1
   ), ranked as (
     select d.*, row_number() over (partition by d.account_id order by d.of_webhook, d.next_attempt_at) as of_account
     from due as d where d.of_webhook <= $5::int8
   )
   select webhook_id as "webhookId", diff_id as "diffId", asset_id as "assetId", account_id as "accountId", host,
     failures_in_row as "failuresInRow"
   from ranked where of_account <= $6::int8
   order by of_account, next_attempt_at, diff_id limit ${DUE_AT_ONCE}`,
)

/** What is not to be chosen from, since enough of it is under way. */
export interface DueLimits {
  readonly busyAccounts: readonly string[]
  readonly busyHosts: readonly string[]
  readonly perWebhook: number
  readonly perAccount: number
}

/** Events that may be sent now, of webhooks whose owners may read them now: of each asset only its first. */
export function readDue(sql: Sql, now: Date, limits: DueLimits): Promise<readonly DueDelivery[]> {
  const { busyAccounts, busyHosts, perWebhook, perAccount } = limits
  return sql.rows(DUE, [now, SCOPE_TIERS, busyAccounts, busyHosts, perWebhook, perAccount])
}

/** An event that this process has open: no other has the same figures. */
export interface OpenDelivery {
  readonly webhookId: string
  readonly diffId: number
  readonly attempts: number
  readonly term: number
  readonly url: string
  /** Of the secrets that sign now. */
  readonly seeds: readonly Buffer[]
  readonly failuresInRow: number
}

const OPEN = statement(
  {
    webhookId: 'uuid',
    diffId: 'int8',
    attempts: 'int4',
    url: 'text',
    seed: 'bytea',
    previousSeed: 'bytea?',
    failuresInRow: 'int4',
  },
  `update webhook_delivery as d set state = 'open', attempts = d.attempts + 1, term = $1, opened_at = $2
   from unnest($3::uuid[], $4::int8[]) as p (webhook_id, diff_id)
   join webhook as w on w.webhook_id = p.webhook_id and w.state = 'active'
   where d.webhook_id = p.webhook_id and d.diff_id = p.diff_id and d.state = 'pending' and ${LEASED}
   returning d.webhook_id as "webhookId", d.diff_id as "diffId", d.attempts, w.url, w.seed,
     case when w.previous_until > $2 then w.previous_seed end as "previousSeed", w.failures_in_row as "failuresInRow"`,
)

/** Opens events for an attempt each; those that are no longer to be sent, or another process's, are left out. */
export async function openDeliveries(
  sql: Sql,
  term: number,
  now: Date,
  chosen: readonly Pick<DueDelivery, 'webhookId' | 'diffId'>[],
): Promise<readonly OpenDelivery[]> {
  const ids = [chosen.map(({ webhookId }) => webhookId), chosen.map(({ diffId }) => diffId)]
  const rows = await sql.rows(OPEN, [term, now, ...ids])
  return rows.map(({ seed, previousSeed, ...row }) => ({
    ...row,
    term,
    seeds: previousSeed === null ? [seed] : [seed, previousSeed],
  }))
}

/** How an attempt ended. */
export interface DeliveryEnd {
  readonly state: 'delivered' | 'dead' | 'pending'
  readonly at: Date
  /** Of an event that is pending again. */
  readonly nextAttemptAt: Date | null
  readonly status: number | null
  readonly error: string | null
  /** The whole webhook waits until then; null: it does not. */
  readonly holdUntil: Date | null
  /** The receiver wants nothing more. */
  readonly isGone: boolean
}

/** Dead letters without a delivery between them, after which a webhook is disabled. */
export const MAX_DEAD_IN_ROW = 50
/** Days without a delivery, while there are failures, after which it is. */
export const MAX_FAILING_DAYS = 3

// The row of the webhook is locked first, as a replay and a removal do.
const SETTLE = statement(
  { state: column<WebhookState>('text'), reason: column<DisabledReason | null>('text?') },
  `with locked as materialized (
     select webhook_id from webhook where webhook_id = $2::uuid for no key update
   ), settled as (
     update webhook_delivery as d set state = $5, settled_at = case when $5 = 'pending' then null else $6::timestamptz end,
       next_attempt_at = coalesce($7::timestamptz, d.next_attempt_at), last_status = $8, last_error = $9
     from locked as l
     where d.webhook_id = l.webhook_id and d.diff_id = $3 and d.term = $1 and d.attempts = $4 and d.state = 'open'
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
     last_error = case when j.is_delivered then w.last_error else $9 end,
     not_before = case when j.is_delivered then w.not_before else greatest(w.not_before, $10::timestamptz) end,
     state = case when j.reason is not null and w.state = 'active' then 'disabled' else w.state end,
     disabled_reason = case when w.state = 'active' then j.reason else w.disabled_reason end
   from judged as j where w.webhook_id = j.webhook_id
   returning w.state, w.disabled_reason as reason`,
)

/** Writes how an attempt ended; null where it is another's by now, or the event was withdrawn. */
export async function settleDelivery(sql: Sql, delivery: OpenDelivery, end: DeliveryEnd) {
  const { term, webhookId, diffId, attempts } = delivery
  const { state, at, nextAttemptAt, status, error, holdUntil, isGone } = end
  const facts = [
    term,
    webhookId,
    diffId,
    attempts,
    state,
    at,
    nextAttemptAt,
    status,
    error,
    holdUntil,
    isGone,
  ]
  const [row] = await sql.rows(SETTLE, facts)
  return row ?? null
}

const BACKLOG = statement(
  { pending: 'int8', dead: 'int8' },
  `select (select count(*) from webhook_delivery where settled_at is null) as pending,
     (select count(*) from webhook_delivery where state = 'dead') as dead`,
)

/** Events that are still to be delivered, and dead letters, of all webhooks. */
export async function readBacklog(sql: Sql): Promise<{ readonly pending: number; readonly dead: number }> {
  const [row] = await sql.rows(BACKLOG, [], { withinMs: 2_000 })
  return row ?? { pending: 0, dead: 0 }
}

/** Days that events are listed after they were delivered, and after they were given up. */
export const KEPT_DAYS = { delivered: 3, dead: 30 } as const

/** Rows that one statement deletes, so that none runs for long. */
const DELETED_AT_ONCE = 5_000

const DELETE_OLD = statement(
  { count: 'int8' },
  `with old as (
     select webhook_id, diff_id from webhook_delivery
     where settled_at < $1::timestamptz - interval '${KEPT_DAYS.delivered} days'
       and (state = 'delivered' or settled_at < $1::timestamptz - interval '${KEPT_DAYS.dead} days')
     limit ${DELETED_AT_ONCE} for update skip locked
   ), gone as (
     delete from webhook_delivery as d using old as o
     where d.webhook_id = o.webhook_id and d.diff_id = o.diff_id returning 1
   )
   select count(*) as count from gone`,
)

/** Drops events beyond their time; answers how many. */
export async function deleteOldDeliveries(sql: Sql, now: Date): Promise<number> {
  let deleted = 0
  for (;;) {
    const [row] = await sql.rows(DELETE_OLD, [now])
    const count = row?.count ?? 0
    deleted += count
    if (count < DELETED_AT_ONCE) return deleted
  }
}
