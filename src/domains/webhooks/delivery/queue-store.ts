import type { Sql } from '../../../platform/database/database.js'
import { column, statement } from '../../../platform/database/statement.js'
import { TIERS } from '../../../policy/tiers.js'
import { CHANGE_FEEDS, type FeedName } from '../change-feeds.js'
import {
  accessAt,
  eventTypeIn,
  hasEventsOf,
  IS_OF_NODE,
  isOfSource,
  newestChanges,
  ofAllFeeds,
  QUEUE,
  WITH_OWNER,
  WITH_SHARD,
} from '../conditions.js'
import { type DisabledReason, WEBHOOKS_PER_TIER } from '../model.js'

// Plain SQL: each statement does the work of all webhooks, with row locks and updates that return their rows.

// The plan of a parameter cannot use the partial index of open events.
const WORK = statement(
  'lacks literal in a condition',
  { isAny: 'bool' },
  `select exists (select from webhook where state = 'active')
     or exists (select from webhook_delivery where state = 'open') as "isAny"`,
)

/** Whether any webhook is active or any event is open. */
export async function hasWork(sql: Sql): Promise<boolean> {
  const [row] = await sql.rows(WORK)
  return row?.isAny ?? false
}

const RECOVER = statement(
  'lacks condition of an update',
  { webhookId: 'uuid' },
  `${QUEUE.recover(
    "d.state = 'open' and d.webhook_id = w.webhook_id",
    "state = 'pending', next_attempt_at = $2",
    `from webhook as w ${WITH_SHARD}`,
  )}
   returning d.webhook_id as "webhookId"`,
)

/** Makes events due again whose attempt was lost with its process or its lease; returns their number. */
export async function recoverLost(sql: Sql, node: string, now: Date): Promise<number> {
  return (await sql.rows(RECOVER, [node, now])).length
}

const LOST = statement(
  'lacks window function',
  { webhookId: 'uuid', reason: column<DisabledReason | null>('text?') },
  `update webhook as w set state = 'disabled', disabled_reason = j.reason
   from (
     select w.webhook_id, case
       when not (${accessAt('$2')}) then 'access_lost'
       when row_number() over (partition by w.account_id order by w.created_at, w.webhook_id)
         > ($4::int[])[array_position($3::text[], a.tier)] then 'over_limit' end as reason
     from webhook as w ${WITH_OWNER} where w.state = 'active'
   ) as j
   where w.webhook_id = j.webhook_id and j.reason is not null and w.state = 'active' and ${IS_OF_NODE}
   returning w.webhook_id as "webhookId", w.disabled_reason as reason`,
)

/** Disables webhooks whose account or key may no longer read the changes, or whose tier allows fewer webhooks. */
export function disableLost(sql: Sql, node: string, now: Date) {
  const limits = TIERS.map((tier) => WEBHOOKS_PER_TIER[tier])
  return sql.rows(LOST, [node, now, TIERS, limits])
}

/** Number of webhooks that one statement queues events for. */
const WEBHOOKS_AT_ONCE = 100

/** The next changes of a feed for webhook `w`: those after its cursor, of one of its assets and types. */
function nextChanges(feed: FeedName): string {
  const { changes, isSelected } = CHANGE_FEEDS[feed]
  return `select c.diff_id, '${feed}' as feed, c.computed_at, c.asset_id from ${changes.table} as c
    where ${hasEventsOf(feed)} and ${isOfSource(feed, '$2')}
      and (c.computed_at, c.diff_id) > (w.cursor_at, w.cursor_id)
      and (coalesce(cardinality(w.asset_ids), 0) = 0 or c.asset_id = any(w.asset_ids))
      and ${eventTypeIn(feed)} = any(w.event_types) and ${isSelected}
    order by c.computed_at, c.diff_id limit greatest(w.capacity, 0)`
}

/**
 * Queues the next changes of all feeds for webhooks whose window is not full, and moves their cursors: after the last
 * queued change, or after the newest change when all matching ones are queued. The same statement reads the newest change,
 * and positions of all feeds rise with each commit, so no change is skipped.
 */
const QUEUE_CHANGES = statement(
  'bulk',
  { webhooks: 'int8', events: 'int8' },
  `with newest as materialized (
     select c.computed_at, c.diff_id from (${newestChanges('$2')}) as c
     order by c.computed_at desc, c.diff_id desc limit 1
   ), behind as materialized (
     select w.webhook_id, w.cursor_at, w.cursor_id, w.event_types, w.asset_ids, w.analysis_type, w.change_type,
       $4::int8 - (select count(*) from webhook_delivery as d
                   where d.webhook_id = w.webhook_id and d.settled_at is null) as capacity
     from webhook as w, newest as n
     where w.state = 'active' and (w.cursor_at, w.cursor_id) < (n.computed_at, n.diff_id) and ${IS_OF_NODE}
       and (select count(*) from webhook_delivery as d
            where d.webhook_id = w.webhook_id and d.settled_at is null) < $4::int8
     order by w.webhook_id limit ${WEBHOOKS_AT_ONCE} for update of w skip locked
   ), found as materialized (
     select w.webhook_id, c.diff_id, c.feed, c.computed_at, c.asset_id
     from behind as w cross join lateral (
       ${ofAllFeeds(nextChanges)}
       order by computed_at, diff_id limit greatest(w.capacity, 0)
     ) as c
   ), queued as (
     insert into webhook_delivery (webhook_id, diff_id, feed, computed_at, asset_id, next_attempt_at)
     select webhook_id, diff_id, feed, computed_at, asset_id, $3 from found on conflict do nothing
   ), moved as (
     update webhook as w set
       cursor_at = case when f.events < b.capacity then n.computed_at else f.last_at end,
       cursor_id = case when f.events < b.capacity then n.diff_id else f.last_id end
     from newest as n, behind as b cross join lateral (
       select count(*) as events,
         (array_agg(f.computed_at order by f.computed_at desc, f.diff_id desc))[1] as last_at,
         (array_agg(f.diff_id order by f.computed_at desc, f.diff_id desc))[1] as last_id
       from found as f where f.webhook_id = b.webhook_id
     ) as f
     where w.webhook_id = b.webhook_id and b.capacity > 0
   )
   select (select count(*) from behind) as webhooks, (select count(*) from found) as events`,
)

export interface QueueOptions {
  /** Of the analyses; null while there are none. */
  readonly source: string | null
  readonly now: Date
  /** Maximum number of unsettled events of a webhook. */
  readonly window: number
}

/** Queues changes; returns true when more webhooks are behind than one statement handles. */
export async function queueChanges(
  sql: Sql,
  node: string,
  { source, now, window }: QueueOptions,
): Promise<boolean> {
  const [row] = await sql.rows(QUEUE_CHANGES, [node, source, now, window])
  return (row?.webhooks ?? 0) >= WEBHOOKS_AT_ONCE
}
