import { randomUUID } from 'node:crypto'
import { type Given, parseWhole } from '../../core/argument-parsers.js'
import { ApiError } from '../../core/errors.js'
import { formatCount } from '../../core/format-count.js'
import { Problems } from '../../core/problems.js'
import { HOUR_MS } from '../../core/time.js'
import { hostOf } from '../../platform/http-client/public-address.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireAccess, requireCaller } from '../../policy/decide.js'
import type { Scope } from '../../policy/scopes.js'
import { throttled } from '../access/accounts/login-service.js'
import { loadKeyBounds } from '../access/keys/key-service.js'
import { effectiveScopes, ownershipOf, type Rights } from '../access/model.js'
import { audit, withOwnAccount } from '../access/service.js'
import { scopesOfEvents } from './change-feeds.js'
import { undeliveredLoader } from './loaders.js'
import {
  CHANGES_START,
  CREATIONS_PER_ACCOUNT,
  noSuchWebhook,
  OVERLAP_HOURS,
  parseWebhookId,
  ROTATIONS_PER_WEBHOOK,
  WEBHOOK_SCOPE,
  WEBHOOKS_PER_TIER,
  webhooksPort,
} from './model.js'
import { addUrlFault, type WebhookRequest } from './webhook-request-service.js'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  findWebhooks,
  insertWebhook,
  type LockedWebhook,
  loadNewestPosition,
  lockWebhook,
  renewPending,
  type SelectedWebhook,
  updateWebhook,
  type WebhookSelect,
} from './webhook-store.js'

/** Selected columns of a webhook, for Prisma's client. */
export interface Selected<Select extends WebhookSelect> {
  readonly select: Select
}

/** Creates a webhook of the caller's account. 409 when the tier allows no further webhook. */
export async function createWebhook<Select extends WebhookSelect>(
  context: RequestContext,
  request: WebhookRequest,
  selected: Selected<Select>,
): Promise<SelectedWebhook<Select>> {
  const key = `webhooks:${requireCaller(context.principal).accountId}`
  const webhookId = await throttled(context, [[key, CREATIONS_PER_ACCOUNT]], () =>
    storeWebhook(context, request),
  )
  return getWebhook(context, webhookId, selected)
}

/** Returns the id of the new webhook. */
async function storeWebhook(
  context: RequestContext,
  { url, filter, after }: WebhookRequest,
): Promise<string> {
  const { now, ports, database, datasets } = context
  const caller = requireCaller(context.principal)
  const source = datasets.get('analysis')?.source ?? null
  const { signatures } = ports.get(webhooksPort)
  const webhookId = randomUUID()
  const seed = signatures.newSeed()
  // Loaded before the transaction, which may use only its own client.
  const start = after ?? (await loadNewestPosition(database, source)) ?? CHANGES_START
  await withOwnAccount(context, async (tx, account) => {
    const bounds = await loadKeyBounds(tx, caller, now)
    assertScopes(context, account, bounds.narrowedTo, filter.eventTypes)
    const most = WEBHOOKS_PER_TIER[account.tier]
    if ((await countWebhooks(tx, account.accountId)) >= most) {
      throw new ApiError('conflict', {
        message: `An account on tier ${account.tier} can have at most ${formatCount(most, 'webhook')}; delete one first.`,
      })
    }
    await insertWebhook(tx, {
      webhookId,
      accountId: account.accountId,
      keyId: caller.keyId,
      url,
      host: hostOf(new URL(url)),
      filter,
      seed,
      after: start,
      createdAt: now,
    })
    await audit(tx, context, { action: 'webhook_created', details: { webhook_id: webhookId } })
  })
  return webhookId
}

/** Throws a 403 without a scope of these events. The principal may be half a second old, so the stored rights count. */
function assertScopes(
  { principal }: RequestContext,
  rights: Rights,
  narrowedTo: readonly string[] | null,
  eventTypes: readonly string[],
): void {
  const caller = { ...requireCaller(principal), scopes: effectiveScopes(rights, narrowedTo) }
  const needed: readonly Scope[] = [WEBHOOK_SCOPE, ...scopesOfEvents(eventTypes)]
  for (const scope of needed) requireAccess(caller, scope)
}

/** Gets selected columns of a webhook; 404 for a webhook that the caller may not see. */
export async function getWebhook<Select extends WebhookSelect>(
  context: RequestContext,
  webhookId: string,
  selected: Selected<Select>,
): Promise<SelectedWebhook<Select>> {
  const ownership = ownershipOf(requireCaller(context.principal))
  const webhook = await findWebhook(context.database.prisma, ownership, webhookId, selected)
  if (webhook === null) throw noSuchWebhook()
  return webhook
}

/** Selected columns of webhooks that the caller may see, in any order. */
export function getWebhooks<Select extends WebhookSelect>(
  context: RequestContext,
  webhookIds: readonly string[],
  selected: Selected<Select>,
): Promise<readonly SelectedWebhook<Select>[]> {
  return findWebhooks(
    context.database.prisma,
    ownershipOf(requireCaller(context.principal)),
    webhookIds,
    selected,
  )
}

/** Throws 404 when the caller may not see the webhook. */
export async function requireWebhook(context: RequestContext, webhookId: string): Promise<void> {
  await getWebhook(context, webhookId, { select: { webhookId: true } })
}

export interface WebhookChange {
  readonly webhookId: string
  readonly url: string | null
  readonly state: 'active' | 'paused' | null
}

/** Parses a change of a webhook; 422 when it changes nothing. */
export function parseWebhookChange(
  input: {
    readonly webhook_id: string
    readonly url?: Given<string>
    readonly state?: Given<'active' | 'paused'>
  },
  context: RequestContext,
): WebhookChange {
  const { url = null, state = null } = input
  const problems = new Problems()
  if (url !== null) addUrlFault(problems, url, context)
  if (url === null && state === null) problems.add('state', 'give state, url or both')
  problems.refuse()
  return { webhookId: parseWebhookId(input.webhook_id), url, state }
}

/** Failure counters of a webhook after its owner has changed it. */
const RENEWED = { failuresInRow: 0, deadInRow: 0, failingSince: null } as const

/**
 * Changes URL and state. From then on the webhook has the rights of the key of this request. When it is resumed or its URL
 * changes, pending events are due now with a new set of attempts.
 */
export async function changeWebhook<Select extends WebhookSelect>(
  context: RequestContext,
  { webhookId, url, state }: WebhookChange,
  selected: Selected<Select>,
): Promise<SelectedWebhook<Select>> {
  const { now } = context
  const caller = requireCaller(context.principal)
  await withWebhook(context, webhookId, async (tx, before) => {
    const isResumed = state === 'active' && before.state !== 'active'
    await updateWebhook(tx, webhookId, {
      ...RENEWED,
      keyId: caller.keyId,
      notBefore: now,
      ...(url !== null && { url, host: hostOf(new URL(url)) }),
      ...(state !== null && { state, disabledReason: null }),
    })
    if (isResumed || url !== null) await renewPending(tx, webhookId, now)
    const details = { webhook_id: webhookId, state, has_new_url: url === null ? 'no' : 'yes' }
    await audit(tx, context, { action: 'webhook_updated', details })
  })
  return getWebhook(context, webhookId, selected)
}

/** Runs `work` in a transaction that locks the account and the webhook; 404 for a webhook that the caller may not see. */
export async function withWebhook(
  context: RequestContext,
  webhookId: string,
  work: (tx: Parameters<typeof lockWebhook>[0], webhook: LockedWebhook) => Promise<void>,
): Promise<void> {
  await withOwnAccount(context, async (tx, account) => {
    const caller = requireCaller(context.principal)
    const bounds = await loadKeyBounds(tx, caller, context.now)
    const webhook = await lockWebhook(tx, ownershipOf(caller), webhookId)
    assertScopes(context, account, bounds.narrowedTo, webhook?.eventTypes ?? [])
    if (webhook === null) throw noSuchWebhook()
    await work(tx, webhook)
  })
  // An earlier mutation of the same operation may have counted its events.
  undeliveredLoader(context).clear(webhookId)
}

export interface Rotation {
  readonly webhookId: string
  readonly overlapHours: number
}

export function parseRotation(input: {
  readonly webhook_id: string
  readonly overlap_hours?: Given<number>
}): Rotation {
  const problems = new Problems()
  const overlapHours = parseWhole(problems, 'overlap_hours', input.overlap_hours, OVERLAP_HOURS)
  problems.refuse()
  return { webhookId: parseWebhookId(input.webhook_id), overlapHours }
}

/** Creates a new secret. During the overlap the old secret signs too. */
export async function rotateSecret<Select extends WebhookSelect>(
  context: RequestContext,
  { webhookId, overlapHours }: Rotation,
  selected: Selected<Select>,
): Promise<SelectedWebhook<Select>> {
  const { signatures } = context.ports.get(webhooksPort)
  // Checked first, so that the throttle counts only ids of existing webhooks.
  await requireWebhook(context, webhookId)
  const seed = signatures.newSeed()
  await throttled(context, [[`webhook-rotation:${webhookId}`, ROTATIONS_PER_WEBHOOK]], () =>
    withWebhook(context, webhookId, async (tx, before) => {
      const hasOverlap = overlapHours > 0
      await updateWebhook(tx, webhookId, {
        seed: Uint8Array.from(seed),
        previousSeed: hasOverlap ? Uint8Array.from(before.seed) : null,
        previousUntil: hasOverlap ? new Date(context.now.getTime() + overlapHours * HOUR_MS) : null,
      })
      const details = { webhook_id: webhookId, overlap_hours: overlapHours }
      await audit(tx, context, { action: 'webhook_secret_rotated', details })
    }),
  )
  return getWebhook(context, webhookId, selected)
}

/** Deletes a webhook and its events; 404 for a webhook that the caller may not see. */
export async function removeWebhook(context: RequestContext, webhookId: string): Promise<void> {
  const ownership = ownershipOf(requireCaller(context.principal))
  await withOwnAccount(context, async (tx) => {
    if (!(await deleteWebhook(tx, ownership, webhookId))) throw noSuchWebhook()
    await audit(tx, context, { action: 'webhook_deleted', details: { webhook_id: webhookId } })
  })
}
