import { leasedRows } from '../../platform/outbox/leased-rows.js'
import { declareShardedWork } from '../../platform/outbox/shard-statements.js'
import type { Scope } from '../../policy/scopes.js'
import { TIERS } from '../../policy/tiers.js'
import { effectiveScopes } from '../access/model.js'
import { CHANGE_FEEDS, eventTypesOf, FEED_NAMES, type FeedName } from './change-feeds.js'

export const WEBHOOK_SHARDS = 16

/** Nodes share the webhooks by accounts, so that one node counts the attempts of an account and the order of its events. */
export const WEBHOOK_WORK = declareShardedWork({
  name: 'webhooks',
  nodes: 'webhook_node',
  shards: 'webhook_shard',
})

/** SQL: the shard of the account of webhook `w`. The last byte of an account's id is random. */
export const SHARD_OF_WEBHOOK = `(get_byte(uuid_send(w.account_id), 15) % ${WEBHOOK_SHARDS})`

/** SQL, to be joined: the shard of webhook `w` as `s`. */
export const WITH_SHARD = `join webhook_shard as s on s.shard = ${SHARD_OF_WEBHOOK}`

const IS_HELD = 's.node = $1::uuid'

/** SQL condition: the node in `$1` has the shard of webhook `w`. */
export const IS_OF_NODE = `exists (select from webhook_shard as s where s.shard = ${SHARD_OF_WEBHOOK} and ${IS_HELD})`

/** The queue has one row for each event of each webhook. `$1` of its statements is the node that has the shard, `s`. */
export const QUEUE = leasedRows({
  table: 'webhook_delivery',
  term: 's.term',
  isHeld: IS_HELD,
  key: { webhookId: 'uuid', diffId: 'int8' },
})

const sqlArray = (texts: readonly string[]) => `array[${texts.map((text) => `'${text}'`).join(', ')}]::text[]`

/** SQL condition: the account, and the key that created the webhook, have the scope. */
function hasScope(scope: Scope): string {
  const tiers = TIERS.filter((tier) => effectiveScopes({ tier, grants: [] }, null).has(scope))
  return `(a.tier = any(${sqlArray(tiers)}) or '${scope}' = any(a.grants))
    and (w.key_id is null or not k.is_narrowed or '${scope}' = any(k.scopes))`
}

/** SQL condition: the webhook `w` has events of the feed. */
export const hasEventsOf = (feed: FeedName) => `w.event_types && ${sqlArray(eventTypesOf(feed))}`

const mayRead = (feed: FeedName) => `(not ${hasEventsOf(feed)} or ${hasScope(CHANGE_FEEDS[feed].scope)})`

/**
 * SQL condition: the account, and the key that created the webhook, may read the changes now: those of each feed of its
 * events.
 */
export const accessAt = (now: string) =>
  `a.deleted_at is null and (w.key_id is null or coalesce(
     (k.revoked_at is null or k.revoked_at > ${now}) and (k.expires_at is null or k.expires_at > ${now}), false))
   and coalesce(${FEED_NAMES.map(mayRead).join(' and ')}, false)`

/** Account and key of a webhook. */
export const WITH_OWNER =
  'join account as a on a.account_id = w.account_id left join api_key as k on k.key_id = w.key_id'

/** SQL: the selects of all feeds, one after another. */
export const ofAllFeeds = (select: (feed: FeedName) => string) =>
  FEED_NAMES.map((feed) => `(${select(feed)})`).join('\nunion all\n')

/** SQL: the type of the event of a change `c`. */
export function eventTypeIn(feed: FeedName): string {
  const cases = Object.entries(CHANGE_FEEDS[feed].events).map(([type, is]) => `when ${is} then '${type}'`)
  return `case ${cases.join(' ')} end`
}

/** SQL condition: the change `c` is served, where the analyses are of the source. */
export function isOfSource(feed: FeedName, source: string): string {
  return CHANGE_FEEDS[feed].changes.isOfOneSource ? `c.source = ${source}` : 'true'
}

/** SQL: the position of the newest change of each feed; of analyses only those of the source. */
export const newestChanges = (source: string) =>
  ofAllFeeds(
    (
      feed,
    ) => `select c.computed_at, c.diff_id from ${CHANGE_FEEDS[feed].changes.table} as c where ${isOfSource(feed, source)}
      order by c.computed_at desc, c.diff_id desc limit 1`,
  )
