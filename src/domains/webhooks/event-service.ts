import { randomUUID } from 'node:crypto'
import { type Given, readLimit } from '../../core/argument-readers.js'
import { ApiError } from '../../core/errors.js'
import { Problems } from '../../core/problems.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireCaller } from '../../policy/decide.js'
import { audit, throttle } from '../access/service.js'
import { cursorOfPlace } from '../analysis/changes/change-item-service.js'
import { readChangesCursor } from '../analysis/changes/change-service.js'
import { testMessage } from './message.js'
import {
  type ChangeCursor,
  type DeliveryState,
  noSuchWebhook,
  parseWebhookId,
  REPLAYS_PER_WEBHOOK,
  TESTS_PER_ACCOUNT,
  webhooksPort,
} from './model.js'
import { type AttemptOutcome, sendEvent } from './send-event.js'
import { getWebhook, readPlace, requireWebhook, type Selected, withWebhook } from './webhook-service.js'
import {
  countDeliveries,
  type DeliveriesRange,
  type DeliveryRow,
  type LockedWebhook,
  listDeliveries,
  readSecrets,
  reviveDead,
  type SelectedWebhook,
  updateWebhook,
  type WebhookSelect,
  withdrawBehind,
} from './webhook-store.js'

/** From a place among the changes, or the dead letters alone. */
export interface Replay {
  readonly webhookId: string
  readonly after: ChangeCursor | null
}

export function parseReplay(asked: {
  readonly webhook_id: string
  readonly cursor?: Given<string>
  readonly from?: Given<'dead_letters'>
}): Replay {
  const problems = new Problems()
  const after = readPlace(problems, asked.cursor)
  if ((asked.cursor == null) === (asked.from == null))
    problems.add('cursor', 'give either cursor or from=dead_letters')
  problems.refuse()
  return { webhookId: parseWebhookId(asked.webhook_id), after }
}

/** Dead letters that one replay queues again: no more changes are queued while so many are to be delivered. */
export const REVIVED_AT_ONCE = 200

/** Queues the changes behind a place again, or dead letters. */
export async function replay<Select extends WebhookSelect>(
  context: RequestContext,
  { webhookId, after }: Replay,
  selected: Selected<Select>,
): Promise<SelectedWebhook<Select>> {
  await requireWebhook(context, webhookId)
  await throttle(context, `webhook-replay:${webhookId}`, REPLAYS_PER_WEBHOOK)
  await withWebhook(context, webhookId, async (tx) => {
    if (after === null) await reviveDead(tx, webhookId, { now: context.now, limit: REVIVED_AT_ONCE })
    else {
      await withdrawBehind(tx, webhookId, after)
      await updateWebhook(tx, webhookId, { ...after, cursorId: BigInt(after.cursorId) })
    }
    const from = after === null ? 'dead_letters' : 'cursor'
    await audit(tx, context, { action: 'webhook_replayed', details: { webhook_id: webhookId, from } })
  })
  return getWebhook(context, webhookId, selected)
}

/** Tests of all accounts that this process makes at once. */
const MAX_TESTS = 16
/** Requests wait for it. */
const TEST_MS = 5_000
let testsUnderWay = 0

/** Sends an event that says it is a test, and waits for the answer. 503 while too many are under way. */
export async function testWebhook(context: RequestContext, webhookId: string): Promise<AttemptOutcome> {
  const { database, ports, now } = context
  const { accountId } = requireCaller(context.principal)
  const found = await readSecrets(database.prisma, accountId, webhookId)
  if (found === null) throw noSuchWebhook()
  await throttle(context, `webhook-tests:${accountId}`, TESTS_PER_ACCOUNT)
  if (testsUnderWay >= MAX_TESTS) {
    const retryAfter = Math.ceil((now.getTime() + TEST_MS) / 1_000)
    throw new ApiError('service_unavailable', { message: 'Too many tests are under way.', retryAfter })
  }
  const { signatures, rules, privateHosts } = ports.get(webhooksPort)
  const message = testMessage(randomUUID(), now)
  const headers = signatures.headersOf({ ...message, at: now }, seedsAt(found, now))
  testsUnderWay += 1
  try {
    return await sendEvent(
      { url: found.url, headers, body: message.body },
      { timeoutMs: Math.min(TEST_MS, rules.timeoutMs), privateHosts },
    )
  } finally {
    testsUnderWay -= 1
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

export function parseDeliveries(asked: {
  readonly webhook_id: string
  readonly state?: Given<DeliveryState>
  readonly limit?: Given<number>
  readonly cursor?: Given<string>
}): DeliveriesQuery {
  const problems = new Problems()
  const limit = readLimit(problems, asked.limit, DELIVERIES_LIMITS)
  const before = readChangesCursor(problems, asked.cursor)
  problems.refuse()
  return { webhookId: parseWebhookId(asked.webhook_id), state: asked.state ?? null, before, limit }
}

export interface DeliveriesPage {
  readonly asked: DeliveriesQuery
  readonly deliveries: readonly DeliveryRow[]
  readonly nextCursor: string | null
}

/** A page of the events of a webhook, the newest first; 404 for those of other accounts. */
export async function getDeliveries(
  context: RequestContext,
  asked: DeliveriesQuery,
): Promise<DeliveriesPage> {
  const { webhookId, ...range } = asked
  await requireWebhook(context, webhookId)
  const found = await listDeliveries(context.database, webhookId, { ...range, limit: range.limit + 1 })
  const deliveries = found.slice(0, range.limit)
  const last = deliveries.at(-1)
  return { asked, deliveries, nextCursor: found.length > range.limit && last ? cursorOfPlace(last) : null }
}

/** Events on all pages of the one that was read. */
export function countDeliveriesOf({ database }: RequestContext, { asked }: DeliveriesPage): Promise<number> {
  return countDeliveries(database.prisma, asked)
}
