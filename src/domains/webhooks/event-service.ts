import { randomUUID } from 'node:crypto'
import { type Given, parseLimit } from '../../core/argument-parsers.js'
import { type ChangePosition, changeCursor, parseChangesCursor } from '../../core/change-position.js'
import { ApiError } from '../../core/errors.js'
import { InFlight } from '../../core/in-flight.js'
import { Problems } from '../../core/problems.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireCaller } from '../../policy/decide.js'
import { throttled } from '../access/accounts/login-service.js'
import { ownershipOf } from '../access/model.js'
import { audit } from '../access/service.js'
import { testMessage } from './delivery/message.js'
import { type AttemptOutcome, sendEvent } from './delivery/send-event.js'
import { slugsLoader } from './loaders.js'
import {
  type DeliveryState,
  noSuchWebhook,
  parseWebhookId,
  REPLAYS_PER_WEBHOOK,
  TESTS_PER_ACCOUNT,
  webhooksPort,
} from './model.js'
import { getWebhook, requireWebhook, type Selected, withWebhook } from './webhook-service.js'
import {
  countDeliveries,
  type DeliveriesRange,
  type DeliverySelect,
  type LockedWebhook,
  listDeliveries,
  loadSecrets,
  reviveDead,
  rewindTo,
  type SelectedDelivery,
  type SelectedWebhook,
  type WebhookSelect,
} from './webhook-store.js'

/** What to send again: the changes after a position, or the dead letters when `after` is null. */
export interface Replay {
  readonly webhookId: string
  readonly after: ChangePosition | null
}

export function parseReplay(input: {
  readonly webhook_id: string
  readonly cursor?: Given<string>
  readonly from?: Given<'dead_letters'>
}): Replay {
  const problems = new Problems()
  const after = parseChangesCursor(problems, input.cursor)
  if ((input.cursor == null) === (input.from == null))
    problems.add('cursor', 'give either cursor or from=dead_letters')
  problems.refuse()
  return { webhookId: parseWebhookId(input.webhook_id), after }
}

/** Number of dead letters that one replay queues again: as many as the window of a webhook has. */
export const REVIVED_AT_ONCE = 200

/** Queues the changes after a position again, or dead letters. */
export async function replay<Select extends WebhookSelect>(
  context: RequestContext,
  { webhookId, after }: Replay,
  selected: Selected<Select>,
): Promise<SelectedWebhook<Select>> {
  await requireWebhook(context, webhookId)
  await throttled(context, [[`webhook-replay:${webhookId}`, REPLAYS_PER_WEBHOOK]], () =>
    withWebhook(context, webhookId, async (tx) => {
      if (after === null) await reviveDead(tx, webhookId, { now: context.now, limit: REVIVED_AT_ONCE })
      else await rewindTo(tx, webhookId, after)
      const from = after === null ? 'dead_letters' : 'cursor'
      await audit(tx, context, { action: 'webhook_replayed', details: { webhook_id: webhookId, from } })
    }),
  )
  return getWebhook(context, webhookId, selected)
}

/** Maximum number of concurrent tests of all accounts in this process. */
const MAX_TESTS = 16
/** Short, because the request waits for the test. */
const TEST_MS = 5_000
const tests = new InFlight()

/** Sends a test event and waits for the response. 503 while too many tests are running. */
export async function testWebhook(context: RequestContext, webhookId: string): Promise<AttemptOutcome> {
  const caller = requireCaller(context.principal)
  const found = await loadSecrets(context.database.prisma, ownershipOf(caller), webhookId)
  if (found === null) throw noSuchWebhook()
  const key = `webhook-tests:${caller.accountId}`
  return throttled(context, [[key, TESTS_PER_ACCOUNT]], () => sendTest(context, found))
}

async function sendTest(
  { ports, now, principal }: RequestContext,
  found: LockedWebhook,
): Promise<AttemptOutcome> {
  const caller = requireCaller(principal)
  if (tests.total >= MAX_TESTS) {
    const retryAfter = Math.ceil((now.getTime() + TEST_MS) / 1_000)
    throw new ApiError('service_unavailable', {
      message: 'Too many webhook tests are running; try again in a few seconds.',
      retryAfter,
    })
  }
  const { signatures, rules, privateHosts, localHosts } = ports.get(webhooksPort)
  const message = testMessage(randomUUID(), now)
  const headers = signatures.headersOf({ ...message, at: now }, seedsAt(found, now))
  const end = tests.begin(caller.accountId)
  try {
    return await sendEvent(
      { url: found.url, headers, body: message.body },
      { timeoutMs: Math.min(TEST_MS, rules.timeoutMs), privateHosts, localHosts },
    )
  } finally {
    end()
  }
}

function seedsAt({ seed, previousSeed, previousUntil }: LockedWebhook, now: Date): readonly Uint8Array[] {
  return previousSeed !== null && previousUntil !== null && previousUntil > now
    ? [seed, previousSeed]
    : [seed]
}

export const DELIVERIES_LIMITS = { min: 1, max: 200, default: 50 } as const

export interface DeliveriesQuery extends DeliveriesRange {
  readonly webhookId: string
}

export function parseDeliveries(input: {
  readonly webhook_id: string
  readonly state?: Given<DeliveryState>
  readonly limit?: Given<number>
  readonly cursor?: Given<string>
}): DeliveriesQuery {
  const problems = new Problems()
  const limit = parseLimit(problems, input.limit, DELIVERIES_LIMITS)
  const before = parseChangesCursor(problems, input.cursor)
  problems.refuse()
  return { webhookId: parseWebhookId(input.webhook_id), state: input.state ?? null, before, limit }
}

/** Columns that are read of every event: its position among the changes and its asset. */
export const EVENT_KEYS = { computedAt: true, diffId: true, assetId: true } as const satisfies DeliverySelect

type EventKeys = SelectedDelivery<typeof EVENT_KEYS>

export interface DeliveriesPage<Delivery> {
  readonly query: DeliveriesQuery
  readonly deliveries: readonly Delivery[]
  readonly nextCursor: string | null
}

/**
 * Gets selected columns of a page of the events of a webhook, the newest first. 404 for a webhook that the caller may not see.
 * Events of removed assets are omitted, like their changes in other lists, so a page may have fewer events than its limit.
 */
export async function getDeliveries<Select extends typeof EVENT_KEYS>(
  context: RequestContext,
  query: DeliveriesQuery,
  selected: { readonly select: Select },
): Promise<DeliveriesPage<SelectedDelivery<Select>>> {
  const { webhookId, limit } = query
  const ownership = ownershipOf(requireCaller(context.principal))
  const range = { ...query, limit: limit + 1 }
  const found = await listDeliveries(context.database.prisma, { ...ownership, webhookId }, range, selected)
  // An empty list does not tell whether the caller may see the webhook.
  if (found.length === 0) await requireWebhook(context, webhookId)
  const page = found.slice(0, limit) as (SelectedDelivery<Select> & EventKeys)[] // what Select has at least
  const slugs = await Promise.all(page.map(({ assetId }) => getSlug(assetId, context)))
  const deliveries = page.filter((_, at) => slugs[at] != null)
  const last = page.at(-1)
  return { query: query, deliveries, nextCursor: found.length > limit && last ? eventCursor(last) : null }
}

/** Slug of an asset; null when the asset was removed. */
export async function getSlug(assetId: number, context: RequestContext): Promise<string | null> {
  const [slug = null] = (await slugsLoader(context).load([assetId])) ?? []
  return slug
}

export function eventCursor({
  computedAt,
  diffId,
}: {
  readonly computedAt: Date
  readonly diffId: bigint | number
}): string {
  return changeCursor({ computedAt, diffId: Number(diffId) })
}

/** Number of events on all pages. */
export function countPageDeliveries(
  { database }: RequestContext,
  { query }: Pick<DeliveriesPage<unknown>, 'query'>,
): Promise<number> {
  return countDeliveries(database.prisma, query)
}
