import type { ChangePosition } from '../../core/change-position.js'
import type { Prisma } from '../../generated/prisma/client.js'
import type { Sql } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { column, type RowIn, statement } from '../../platform/database/statement.js'
import type { AccountListener } from '../access/listener-model.js'
import type { Ownership } from '../access/model.js'
import { CHANGE_FEEDS, type EventType } from './change-feeds.js'
import { eventTypeIn, newestChanges, ofAllFeeds } from './conditions.js'
import type { DeliveryState, WebhookFilter, WebhookState } from './model.js'

/** Prisma's client, outside or inside a transaction. */
type Client = PrismaModels

/** A webhook works only as long as the key that created it; a key that replaces that one takes its webhooks over. */
export const webhooksOfAccount: AccountListener = {
  async keysEnded(tx, { accountId, keyIds }) {
    await tx.webhook.updateMany({
      where: { accountId, keyId: { in: [...keyIds] }, state: { not: 'disabled' } },
      data: { state: 'disabled', disabledReason: 'access_lost' },
    })
  },
  async keyReplaced(tx, { accountId, keyId }, nextKeyId) {
    await tx.webhook.updateMany({ where: { accountId, keyId }, data: { keyId: nextKeyId } })
  },
  async accountDeleted(tx, accountId) {
    // The foreign key deletes their events too.
    await tx.webhook.deleteMany({ where: { accountId } })
  },
}

export type WebhookSelect = Prisma.WebhookSelect
export type SelectedWebhook<Select extends WebhookSelect> = Prisma.WebhookGetPayload<{ select: Select }>

/** Finds selected columns of a webhook; null for a webhook that the caller may not see. */
export async function findWebhook<Select extends WebhookSelect>(
  client: Client,
  ownership: Ownership,
  webhookId: string,
  { select }: { readonly select: Select },
): Promise<SelectedWebhook<Select> | null> {
  const row = await client.webhook.findFirst({ where: { ...ownership, webhookId }, select })
  return row as SelectedWebhook<Select> | null // Prisma infers it from a `select` that is known, not from a generic one
}

/** Selected columns of webhooks that the caller may see, in any order. */
export async function findWebhooks<Select extends WebhookSelect>(
  client: Client,
  ownership: Ownership,
  webhookIds: readonly string[],
  { select }: { readonly select: Select },
): Promise<readonly SelectedWebhook<Select>[]> {
  const where = { ...ownership, webhookId: { in: [...webhookIds] } }
  return (await client.webhook.findMany({ where, select })) as readonly SelectedWebhook<Select>[] // as above
}

// Plain SQL: Prisma's client passes 'dead' as a parameter, and such a plan cannot use the partial indexes: 35 ms instead of
// 1.3 ms for 20 webhooks with 5,000 events each.
const UNDELIVERED = statement(
  'lacks literal in a condition',
  { webhookId: 'uuid', pending: 'int8', deadLetters: 'int8' },
  `select d.webhook_id as "webhookId", count(*) filter (where d.settled_at is null) as pending,
     count(*) filter (where d.state = 'dead') as "deadLetters"
   from webhook_delivery as d
   where d.webhook_id = any($1::uuid[]) and (d.settled_at is null or d.state = 'dead') group by d.webhook_id`,
)

/** Counts pending events and dead letters by webhook; a webhook without such events is not in the map. */
export async function countUndelivered(
  sql: Sql,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, RowIn<typeof UNDELIVERED>>> {
  const rows = await sql.rows(UNDELIVERED, [webhookIds])
  return new Map(rows.map((row) => [row.webhookId, row]))
}

const EVENT_NAMES = statement(
  'lacks computed value',
  { diffId: 'int8', changeId: 'uuid', eventType: column<EventType>('text') },
  ofAllFeeds((feed) => {
    const { changes, changeId } = CHANGE_FEEDS[feed]
    return `select c.diff_id as "diffId", c.${changeId} as "changeId", ${eventTypeIn(feed)} as "eventType"
      from ${changes.table} as c where c.diff_id = any($1::int8[])`
  }),
)

/** The UUID of a change, and the type of its event. */
export type EventName = RowIn<typeof EVENT_NAMES>

/** Loads the UUID of the change and the type of events, by the number of the change as text. */
export async function loadEventNames(
  sql: Sql,
  diffIds: readonly number[],
): Promise<ReadonlyMap<string, EventName>> {
  const rows = await sql.rows(EVENT_NAMES, [diffIds])
  return new Map(rows.map((row) => [String(row.diffId), row]))
}

/** Lists slugs of assets in alphabetical order. */
export function listSlugs(
  client: Client,
  assetIds: readonly number[],
): Promise<readonly { readonly assetId: number; readonly slug: string }[]> {
  const where = { assetId: { in: [...assetIds] } }
  return client.asset.findMany({ where, select: { assetId: true, slug: true }, orderBy: { slug: 'asc' } })
}

const NEWEST_POSITION = statement(
  'lacks union',
  { computedAt: 'timestamptz', diffId: 'int8' },
  `select c.computed_at as "computedAt", c.diff_id as "diffId" from (${newestChanges('$1')}) as c
   order by c.computed_at desc, c.diff_id desc limit 1`,
)

/** Loads the position of the newest change of all feeds; null when there is no change. */
export async function loadNewestPosition(sql: Sql, source: string | null): Promise<ChangePosition | null> {
  const [newest] = await sql.rows(NEWEST_POSITION, [source])
  return newest ?? null
}

export function countWebhooks(tx: Client, accountId: string): Promise<number> {
  return tx.webhook.count({ where: { accountId } })
}

export interface NewWebhook {
  readonly webhookId: string
  readonly accountId: string
  readonly keyId: string | null
  readonly url: string
  readonly host: string
  readonly filter: WebhookFilter
  readonly seed: Buffer
  /** Changes after it are sent. */
  readonly after: ChangePosition
  readonly createdAt: Date
}

export async function insertWebhook(
  tx: Client,
  { filter, seed, after, ...webhook }: NewWebhook,
): Promise<void> {
  const { eventTypes, assetIds, ...narrowing } = filter
  const data = {
    ...webhook,
    ...narrowing,
    ...cursorOf(after),
    eventTypes: [...eventTypes],
    assetIds: [...assetIds],
    seed: Uint8Array.from(seed),
    notBefore: webhook.createdAt,
  }
  await tx.webhook.create({ data, select: { webhookId: true } })
}

/** State of a webhook before a change. */
export interface LockedWebhook {
  readonly state: WebhookState
  readonly eventTypes: readonly string[]
  readonly url: string
  readonly seed: Uint8Array
  readonly previousSeed: Uint8Array | null
  readonly previousUntil: Date | null
}

const LOCKED = {
  state: true,
  eventTypes: true,
  url: true,
  seed: true,
  previousSeed: true,
  previousUntil: true,
} as const

/** Locks the webhook until the transaction ends, so that no event is queued meanwhile; null for a webhook that the caller may not see. */
export async function lockWebhook(
  tx: Client,
  ownership: Ownership,
  webhookId: string,
): Promise<LockedWebhook | null> {
  // Prisma has no row locks.
  await tx.$queryRaw`select 1 as locked from webhook where webhook_id = ${webhookId}::uuid
    and account_id = ${ownership.accountId}::uuid for update`
  return loadSecrets(tx, ownership, webhookId)
}

/** Loads URL, state and secrets without a lock. */
export async function loadSecrets(
  client: Client,
  ownership: Ownership,
  webhookId: string,
): Promise<LockedWebhook | null> {
  const row = await client.webhook.findFirst({ where: { ...ownership, webhookId }, select: LOCKED })
  return row as LockedWebhook | null // its states by a constraint of the table
}

export async function updateWebhook(
  tx: Client,
  webhookId: string,
  data: Prisma.WebhookUncheckedUpdateInput,
): Promise<void> {
  await tx.webhook.update({ where: { webhookId }, data, select: { webhookId: true } })
}

/** Deletes a webhook with its events; returns false when the caller may not see it. */
export async function deleteWebhook(tx: Client, ownership: Ownership, webhookId: string): Promise<boolean> {
  const { count } = await tx.webhook.deleteMany({ where: { ...ownership, webhookId } })
  return count > 0
}

/** Makes pending events due now with a new set of attempts. */
export async function renewPending(tx: Client, webhookId: string, now: Date): Promise<void> {
  const data = { attempts: 0, nextAttemptAt: now }
  await tx.webhookDelivery.updateMany({ where: { webhookId, state: 'pending' }, data })
}

/** Deletes every event after a position, and queues the changes again from there. */
export async function rewindTo(tx: Client, webhookId: string, position: ChangePosition): Promise<void> {
  const { computedAt, diffId } = position
  await tx.$executeRaw`delete from webhook_delivery where webhook_id = ${webhookId}::uuid
    and (computed_at, diff_id) > (${computedAt}::timestamptz, ${diffId}::int8)`
  await updateWebhook(tx, webhookId, cursorOf(position))
}

function cursorOf({ computedAt, diffId }: ChangePosition) {
  return { cursorAt: computedAt, cursorId: BigInt(diffId) }
}

/** Queues dead letters again, the oldest first; returns their number. */
export async function reviveDead(
  tx: Client,
  webhookId: string,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<number> {
  return tx.$executeRaw`update webhook_delivery as d set state = 'pending', attempts = 0, settled_at = null,
      next_attempt_at = ${now}::timestamptz
    from (
      select diff_id from webhook_delivery where webhook_id = ${webhookId}::uuid and state = 'dead'
      order by computed_at, diff_id limit ${limit}
    ) as o
    where d.webhook_id = ${webhookId}::uuid and d.diff_id = o.diff_id and d.state = 'dead'`
}

export type DeliverySelect = Prisma.WebhookDeliverySelect
export type SelectedDelivery<Select extends DeliverySelect> = Prisma.WebhookDeliveryGetPayload<{
  select: Select
}>

export interface DeliveriesRange {
  readonly state: DeliveryState | null
  /** Only events before this position; null to start at the newest. */
  readonly before: ChangePosition | null
  readonly limit: number
}

/** Counts the events of a webhook, of one state or of all (null). */
export function countDeliveries(
  prisma: PrismaModels,
  { webhookId, state }: { readonly webhookId: string; readonly state: DeliveryState | null },
): Promise<number> {
  return prisma.webhookDelivery.count({ where: state === null ? { webhookId } : { webhookId, state } })
}

/** Lists selected columns of the events of a webhook, the newest first; empty for a webhook that the caller may not see. */
export async function listDeliveries<Select extends DeliverySelect>(
  client: Client,
  { webhookId, ...ownership }: Ownership & { readonly webhookId: string },
  { state, before, limit }: DeliveriesRange,
  { select }: { readonly select: Select },
): Promise<readonly SelectedDelivery<Select>[]> {
  const rows = await client.webhookDelivery.findMany({
    where: {
      webhookId,
      webhook: ownership,
      ...(state !== null && { state }),
      ...(before !== null && olderThan(before)),
    },
    select,
    orderBy: [{ computedAt: 'desc' }, { diffId: 'desc' }],
    take: limit,
  })
  return rows as SelectedDelivery<Select>[] // as above
}

/** Adds a bound on `computedAt` only, because the index scan can start there. */
function olderThan({ computedAt, diffId }: NonNullable<DeliveriesRange['before']>) {
  const OR = [{ computedAt: { lt: computedAt } }, { diffId: { lt: BigInt(diffId) } }]
  return { computedAt: { lte: computedAt }, OR } satisfies Prisma.WebhookDeliveryWhereInput
}
