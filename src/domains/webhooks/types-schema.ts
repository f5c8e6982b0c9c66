import { changeCursor } from '../../core/change-position.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireCaller } from '../../policy/decide.js'
import { storedTier } from '../../policy/tiers.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import type { StoredInteger } from '../../schema-kit/model-rows.js'
import { instant, integer, shownAs, shownFields, text, uuid } from '../../schema-kit/shown-fields.js'
import { makerText, ownershipOf } from '../access/model.js'
import { ChangeTypeType } from '../analysis/changes/change-schema.js'
import { AiAnalysisType } from '../analysis/snapshots/snapshot-schema.js'
import { WEBHOOK_EVENT_TYPES } from './change-feeds.js'
import { eventId } from './delivery/message.js'
import type { AttemptOutcome } from './delivery/send-event.js'
import {
  countPageDeliveries,
  type DeliveriesPage,
  EVENT_KEYS,
  eventCursor,
  getSlug,
} from './event-service.js'
import { eventNamesLoader, slugsLoader, undeliveredLoader } from './loaders.js'
import {
  type DeliveryState,
  type DisabledReason,
  WEBHOOKS_PER_TIER,
  type WebhookState,
  webhooksPort,
} from './model.js'

const StateType = describedEnum('WebhookState', 'Whether a webhook delivers.', {
  active: 'Events are delivered.',
  paused: 'The owner has paused it. Changes of the meantime are delivered after it is resumed.',
  disabled:
    'The gateway has disabled it; `disabled_reason` says why. Set the state to `active` to resume it.',
})

export const WantedStateType = describedEnum('WebhookWantedState', 'State that the owner can set.', {
  active: 'Deliver events, including the changes of the meantime.',
  paused: 'Deliver no events until it is resumed.',
})

const ReasonType = describedEnum('WebhookDisabledReason', 'Why the gateway has disabled a webhook.', {
  gone: 'The receiver answered 410.',
  failing: 'All attempts of three days failed, or 50 events in a row became dead letters.',
  access_lost:
    'The account, or the key that created or last changed the webhook, may no longer read the changes.',
  over_limit: 'The tier of the account allows fewer webhooks.',
})

export const EventStateType = describedEnum('WebhookEventState', 'Delivery state of an event.', {
  pending:
    'It waits until `next_attempt_at` and until earlier events of the same asset are delivered or given up.',
  open: 'An attempt is in progress.',
  delivered: 'The receiver answered 2xx.',
  dead: 'All attempts failed: the event is a dead letter. A replay sends it again.',
})

export const ReplayFromType = describedEnum('WebhookReplayFrom', 'Which events a replay sends again.', {
  dead_letters: 'Dead letters: events whose attempts all failed.',
})

export const WebhookType = builder.prismaObject('Webhook', {
  description: 'A URL that receives changes of analyses and corporate actions by POST.',
  select: { webhookId: true },
  fields: (t) =>
    shownFields(t, {
      webhook_id: uuid('UUID of the webhook.', 'webhookId'),
      url: shownAs('URL')('URL that events are sent to.'),
      state: t.field({
        type: StateType,
        description: 'Whether the webhook delivers events.',
        select: { state: true },
        resolve: ({ state }) => state as WebhookState, // by a constraint of the table
      }),
      disabled_reason: t.field({
        type: ReasonType,
        nullable: true,
        description: 'Why the gateway has disabled the webhook; null when it has not.',
        select: { disabledReason: true },
        resolve: ({ disabledReason }) => disabledReason as DisabledReason | null, // as above
      }),
      event_types: t.stringList({
        description: `Types of the events that are sent: ${WEBHOOK_EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
        select: { eventTypes: true },
        resolve: ({ eventTypes }) => eventTypes,
      }),
      asset_ids: t.stringList({
        description: 'Slugs of the assets whose changes are sent; empty for all assets.',
        select: { assetIds: true },
        resolve: async ({ assetIds }, _args, context) =>
          assetIds.length === 0 ? [] : ((await slugsLoader(context).load(assetIds)) ?? []),
      }),
      analysis_type: shownAs(AiAnalysisType).orNull(
        'Of analyses, only changes of this type are sent; null for all types.',
        'analysisType',
      ),
      change_type: shownAs(ChangeTypeType).orNull(
        'Of analyses, only changes with this dominant reason are sent; null for all reasons.',
        'changeType',
      ),
      cursor: t.string({
        nullable: true,
        description:
          'Cursor of the last change that was queued or delivered; null when no change was queued yet.',
        select: { cursorAt: true, cursorId: true },
        resolve: ({ cursorAt, cursorId }) =>
          cursorId === 0n ? null : changeCursor({ computedAt: cursorAt, diffId: Number(cursorId) }),
      }),
      // A `select` of Prisma cannot return two counts of one relation.
      pending: t.int({
        description: 'Number of events that are not delivered yet, at most 400.',
        resolve: async ({ webhookId }, _args, context) =>
          (await undeliveredLoader(context).load(webhookId))?.pending ?? 0,
      }),
      dead_letters: t.int({
        description: 'Number of events that became dead letters in the last 30 days.',
        resolve: async ({ webhookId }, _args, context) =>
          (await undeliveredLoader(context).load(webhookId))?.deadLetters ?? 0,
      }),
      failures_in_row: integer('Number of failed attempts since the last delivery.', 'failuresInRow'),
      last_success_at: instant.orNull(
        'When an event was last delivered; null when no event was delivered yet.',
        'lastSuccessAt',
      ),
      last_failure_at: instant.orNull(
        'When an attempt last failed; null when no attempt has failed yet.',
        'lastFailureAt',
      ),
      last_error: text.orNull(
        'Why the last failed attempt failed; null when no attempt has failed yet.',
        'lastError',
      ),
      previous_secret_until: instant.orNull(
        'Until then events also carry a signature by the secret from before the last rotation; null when only the current secret signs.',
        'previousUntil',
      ),
      created_at: instant('When the webhook was created.', 'createdAt'),
      created_by: t.string({
        description:
          'Who created or last changed the webhook: the prefix of a key, or `login` for an access token. Revoking the key disables the webhook.',
        select: { key: { select: { keyPrefix: true } } },
        resolve: ({ key }) => makerText(key),
      }),
      created_by_key_id: uuid.orNull(
        'UUID of that key; null when an access token created or last changed the webhook.',
        'keyId',
      ),
    }),
})

export const WithSecretType = builder.prismaObject('Webhook', {
  variant: 'WebhookWithSecret',
  description: 'A webhook with its signing secret. Only this response contains the secret.',
  select: { webhookId: true },
  fields: (t) => ({
    webhook: t.variant(WebhookType, { description: 'The webhook.' }),
    secret: t.string({
      description:
        '`whsec_` and 32 bytes in base64, the format that libraries of Standard Webhooks expect. It is shown only once.',
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
      description: 'Webhooks, the oldest first.',
      query: (_args, { principal }) => ({
        where: { ...ownershipOf(requireCaller(principal)) },
        orderBy: [{ createdAt: 'asc' }, { webhookId: 'asc' }],
      }),
    }),
    limit: t.int({
      description: 'Number of webhooks that the tier of the account allows.',
      select: { tier: true },
      resolve: ({ tier }) => WEBHOOKS_PER_TIER[storedTier(tier)],
    }),
  }),
})

// Not a relation, which would be a statement for each feed.
async function namesOf({ diffId }: { readonly diffId: StoredInteger }, context: RequestContext) {
  const names = await eventNamesLoader(context).load(Number(diffId))
  if (names === null) throw new Error('a foreign key keeps the change of an event')
  return names
}

const EventType = builder.prismaObject('WebhookDelivery', {
  variant: 'WebhookEvent',
  description: 'An event of a webhook: a change of an analysis or of a corporate action.',
  select: EVENT_KEYS,
  fields: (t) =>
    shownFields(t, {
      event_id: t.string({
        description: 'Value of the header webhook-id, the same in each attempt.',
        resolve: async (row, _args, context) => eventId((await namesOf(row, context)).changeId),
      }),
      event_type: t.string({
        description: 'Type of the event.',
        resolve: async (row, _args, context) => (await namesOf(row, context)).eventType,
      }),
      cursor: t.string({
        description: 'Cursor of the event: a replay with this cursor sends the changes after it.',
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
        description: 'Delivery state.',
        select: { state: true },
        resolve: ({ state }) => state as DeliveryState, // by a constraint of the table
      }),
      attempts: integer('Number of attempts so far.'),
      next_attempt_at: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Earliest time of the next attempt; null when no attempt will follow.',
        select: { state: true, nextAttemptAt: true },
        resolve: ({ state, nextAttemptAt }) => (state === 'pending' ? nextAttemptAt : null),
      }),
      settled_at: instant.orNull(
        'When the event was delivered or given up; null while it is pending.',
        'settledAt',
      ),
      last_status: integer.orNull(
        'HTTP status of the last attempt; null when the receiver did not respond.',
        'lastStatus',
      ),
      last_error: text.orNull(
        'Why the last failed attempt failed; null when no attempt failed.',
        'lastError',
      ),
    }),
})

type EventsPage = DeliveriesPage<typeof EventType.$inferType>

export const EventsType = builder.objectRef<EventsPage>('WebhookEventList').implement({
  description: 'A page of the events of a webhook, the newest first.',
  fields: (t) =>
    shownFields(t, {
      events: shownAs([EventType])(
        'Events of the page. Delivered events are listed for 3 days, dead letters for 30.',
        'deliveries',
      ),
      next_cursor: text.orNull(
        'Cursor of the next page, with older events; null on the last page.',
        'nextCursor',
      ),
      total: t.int({
        description: 'Number of events on all pages, in the requested state.',
        resolve: (page, _args, context) => countPageDeliveries(context, page),
      }),
    }),
})

export const TestType = builder.objectRef<AttemptOutcome>('WebhookTestResult').implement({
  description: 'Response of the receiver to a test event.',
  fields: (t) =>
    shownFields(t, {
      delivered: t.boolean({
        description: 'Whether the receiver responded with a 2xx status in time.',
        resolve: ({ kind }) => kind === 'delivered',
      }),
      status: integer.orNull('HTTP status; null when the receiver did not respond.'),
      error: text.orNull('Why the test failed; null when it succeeded.'),
      duration_ms: integer('Milliseconds until the end of the response.', 'durationMs'),
    }),
})
