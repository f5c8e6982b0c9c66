import { requireCaller } from '../../policy/decide.js'
import { storedTier } from '../../policy/tiers.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { makerText, ownershipOf } from '../access/model.js'
import { cursorOfPlace } from '../analysis/changes/change-item-service.js'
import { ChangeTypeType } from '../analysis/changes/change-schema.js'
import { AiAnalysisType } from '../analysis/snapshots/snapshot-schema.js'
import type { AttemptOutcome } from './delivery/send-event.js'
import {
  countPageDeliveries,
  type DeliveriesPage,
  EVENT_KEYS,
  eventCursor,
  getSlug,
} from './event-service.js'
import { slugsLoader, undeliveredLoader } from './loaders.js'
import {
  type DeliveryState,
  type DisabledReason,
  WEBHOOKS_PER_TIER,
  type WebhookState,
  webhooksPort,
} from './model.js'

const StateType = describedEnum('WebhookState', 'Whether a webhook delivers.', {
  active: 'Events are delivered.',
  paused: 'Its owner has paused it; what changes meanwhile is delivered after it is resumed.',
  disabled: 'The gateway has disabled it, as disabled_reason says; resume it with state active.',
})

export const WantedStateType = describedEnum('WebhookWantedState', 'What its owner wants of a webhook.', {
  active: 'Deliver, also what has changed meanwhile.',
  paused: 'Keep events back.',
})

const ReasonType = describedEnum('WebhookDisabledReason', 'Why the gateway has disabled a webhook.', {
  gone: 'The receiver answered 410.',
  failing: 'Nothing was delivered for three days of failures, or 50 events in a row were given up.',
  access_lost: 'The account, or the key that made or last changed it, may not read the changes any more.',
  over_limit: 'The tier of the account has fewer webhooks.',
})

export const EventStateType = describedEnum('WebhookEventState', 'How far an event is.', {
  pending: 'It is to be sent, at next_attempt_at or when the events before it of its asset are done.',
  open: 'An attempt is under way.',
  delivered: 'The receiver answered 2xx.',
  dead: 'All attempts failed: a dead letter, which a replay sends again.',
})

export const ReplayFromType = describedEnum('WebhookReplayFrom', 'What is queued again.', {
  dead_letters: 'Events that were given up.',
})

export const WebhookType = builder.prismaObject('Webhook', {
  description: 'An address that gets the changes of analyses by POST.',
  select: { webhookId: true },
  fields: (t) => ({
    webhook_id: t.expose('webhookId', { type: 'UUID', description: 'UUID of the webhook.' }),
    url: t.expose('url', { type: 'URL', description: 'Where events are sent.' }),
    state: t.field({
      type: StateType,
      description: 'Whether it delivers.',
      select: { state: true },
      resolve: ({ state }) => state as WebhookState, // by a constraint of the table
    }),
    disabled_reason: t.field({
      type: ReasonType,
      nullable: true,
      description: 'Why the gateway has disabled it; null: it has not.',
      select: { disabledReason: true },
      resolve: ({ disabledReason }) => disabledReason as DisabledReason | null, // as above
    }),
    asset_ids: t.stringList({
      description: 'Slugs of the assets whose changes it gets; empty: of all.',
      select: { assetIds: true },
      resolve: async ({ assetIds }, _args, context) =>
        assetIds.length === 0 ? [] : ((await slugsLoader(context).load(assetIds)) ?? []),
    }),
    analysis_type: t.expose('analysisType', {
      type: AiAnalysisType,
      nullable: true,
      description: 'The kind of analysis it is narrowed to; null: all.',
    }),
    change_type: t.expose('changeType', {
      type: ChangeTypeType,
      nullable: true,
      description: 'The dominant reason it is narrowed to; null: all.',
    }),
    cursor: t.string({
      nullable: true,
      description: 'Cursor up to which the changes are queued or delivered; null: none was yet.',
      select: { cursorAt: true, cursorId: true },
      resolve: ({ cursorAt, cursorId }) =>
        cursorId === 0n ? null : cursorOfPlace({ computedAt: cursorAt, diffId: Number(cursorId) }),
    }),
    // Two counts of one relation, which a `select` of Prisma cannot have.
    pending: t.int({
      description: 'Events that are still to be delivered, at most 400.',
      resolve: async ({ webhookId }, _args, context) =>
        (await undeliveredLoader(context).load(webhookId))?.pending ?? 0,
    }),
    dead_letters: t.int({
      description: 'Events given up in the last 30 days.',
      resolve: async ({ webhookId }, _args, context) =>
        (await undeliveredLoader(context).load(webhookId))?.deadLetters ?? 0,
    }),
    failures_in_row: t.exposeInt('failuresInRow', {
      description: 'Failed attempts since the last delivery.',
    }),
    last_success_at: t.expose('lastSuccessAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The last delivery; null: none yet.',
    }),
    last_failure_at: t.expose('lastFailureAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The last failed attempt; null: none yet.',
    }),
    last_error: t.exposeString('lastError', {
      nullable: true,
      description: 'What it was; null: no attempt has failed yet.',
    }),
    previous_secret_until: t.expose('previousUntil', {
      type: 'DateTime',
      nullable: true,
      description:
        'Until then events carry a signature by the secret before the last rotation too; null: none.',
    }),
    created_at: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    created_by: t.string({
      description:
        'Who made or last changed it: the prefix of a key, or login for an access token. Revoking the key disables it.',
      select: { key: { select: { keyPrefix: true } } },
      resolve: ({ key }) => makerText(key),
    }),
    created_by_key_id: t.expose('keyId', {
      type: 'UUID',
      nullable: true,
      description: 'UUID of that key; null: it was made or last changed with an access token.',
    }),
  }),
})

export const WithSecretType = builder.prismaObject('Webhook', {
  variant: 'WebhookWithSecret',
  description: 'A webhook with its signing secret, for the only time.',
  select: { webhookId: true },
  fields: (t) => ({
    webhook: t.variant(WebhookType, { description: 'The webhook.' }),
    secret: t.string({
      description:
        'whsec_ and 32 bytes in base64, as libraries of Standard Webhooks take it. It is shown this once.',
      select: { seed: true },
      resolve: ({ seed }, _args, { ports }) => ports.get(webhooksPort).signatures.secretOf(seed),
    }),
  }),
})

export const WebhookListType = builder.prismaObject('Account', {
  variant: 'WebhookList',
  description: 'Webhooks of the account.',
  select: { accountId: true },
  fields: (t) => ({
    webhooks: t.relation('webhooks', {
      type: WebhookType,
      description: 'The oldest first.',
      query: (_args, { principal }) => ({
        where: { ...ownershipOf(requireCaller(principal)) },
        orderBy: [{ createdAt: 'asc' }, { webhookId: 'asc' }],
      }),
    }),
    limit: t.int({
      description: 'Webhooks that the tier of the account has at most.',
      select: { tier: true },
      resolve: ({ tier }) => WEBHOOKS_PER_TIER[storedTier(tier)],
    }),
  }),
})

const EventType = builder.prismaObject('WebhookDelivery', {
  variant: 'WebhookEvent',
  description: 'An event of a webhook: a change of an analysis.',
  select: EVENT_KEYS,
  fields: (t) => ({
    event_id: t.string({
      description: 'What webhook-id says in the request, at each attempt.',
      select: { change: { select: { toSnapshotId: true } } },
      resolve: ({ change }) => `change_${change.toSnapshotId}`,
    }),
    cursor: t.string({
      description: 'Its place among the changes: a replay with it sends those that follow.',
      resolve: (row) => eventCursor(row),
    }),
    asset_id: t.string({
      description: 'Slug of the asset.',
      select: { assetId: true },
      resolve: async ({ assetId }, _args, context) => {
        const slug = await getSlug(assetId, context)
        if (slug === null) throw new Error('an event of an asset that was removed is not listed')
        return slug
      },
    }),
    state: t.field({
      type: EventStateType,
      description: 'How far it is.',
      select: { state: true },
      resolve: ({ state }) => state as DeliveryState, // by a constraint of the table
    }),
    attempts: t.exposeInt('attempts', { description: 'Attempts so far.' }),
    next_attempt_at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'No attempt before this instant; null: there is none to come.',
      select: { state: true, nextAttemptAt: true },
      resolve: ({ state, nextAttemptAt }) => (state === 'pending' ? nextAttemptAt : null),
    }),
    settled_at: t.expose('settledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was delivered or given up; null: not yet.',
    }),
    last_status: t.exposeInt('lastStatus', {
      nullable: true,
      description: 'HTTP status of the last attempt; null: there was no answer.',
    }),
    last_error: t.exposeString('lastError', {
      nullable: true,
      description: 'What failed last; null: nothing.',
    }),
  }),
})

type EventsPage = DeliveriesPage<typeof EventType.$inferType>

export const EventsType = builder.objectRef<EventsPage>('WebhookEventList').implement({
  description: 'A page of the events of a webhook, the newest first.',
  fields: (t) => ({
    events: t.expose('deliveries', {
      type: [EventType],
      description: 'Events; those delivered are listed for 3 days, dead letters for 30.',
    }),
    next_cursor: t.exposeString('nextCursor', {
      nullable: true,
      description: 'Give it as `cursor` for older events; null when there are none.',
    }),
    total: t.int({
      description: 'Events on all pages, of the state that was asked for.',
      resolve: (page, _args, context) => countPageDeliveries(context, page),
    }),
  }),
})

export const TestType = builder.objectRef<AttemptOutcome>('WebhookTestResult').implement({
  description: 'How a receiver answered to a test.',
  fields: (t) => ({
    delivered: t.boolean({
      description: 'Whether it answered 2xx in time.',
      resolve: ({ kind }) => kind === 'delivered',
    }),
    status: t.exposeInt('status', { nullable: true, description: 'HTTP status; null: there was no answer.' }),
    error: t.exposeString('error', { nullable: true, description: 'What failed; null: nothing.' }),
    duration_ms: t.exposeInt('durationMs', { description: 'Milliseconds until the end of the answer.' }),
  }),
})
