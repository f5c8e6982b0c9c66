import { builder } from '../../graphql/builder.js'
import { describedEnum } from '../../graphql/described-enum.js'
import { type ArgBuilder, hints, mutationEndpoint, queryEndpoint } from '../../graphql/fields.js'
import { cursorArgument, limitArgument } from '../../graphql/shared-arguments.js'
import { cursorOfPlace } from '../analysis/changes/change-item-service.js'
import { ChangeTypeType } from '../analysis/changes/change-schema.js'
import { AiAnalysisType } from '../analysis/snapshots/snapshot-schema.js'
import {
  DELIVERIES_LIMITS,
  type DeliveriesPage,
  getDeliveries,
  parseDeliveries,
  parseReplay,
  REVIVED_AT_ONCE,
  replay,
  testWebhook,
} from './event-service.js'
import { MAX_WEBHOOK_ASSETS, OVERLAP_HOURS, parseWebhookId, WEBHOOK_SCOPE } from './model.js'
import type { AttemptOutcome } from './send-event.js'
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  getWebhooks,
  parseRotation,
  parseWebhook,
  parseWebhookChange,
  removeWebhook,
  rotateSecret,
  type WebhookWithSecret,
} from './webhook-service.js'
import type { DeliveryRow, WebhookRow } from './webhook-store.js'
import { MAX_URL_LENGTH } from './webhook-url.js'

const StateType = describedEnum('WebhookState', 'Whether a webhook delivers.', {
  active: 'Events are delivered.',
  paused: 'Its owner has paused it; what changes meanwhile is delivered after it is resumed.',
  disabled: 'The gateway has disabled it, as disabled_reason says; resume it with state active.',
})

const WantedStateType = describedEnum('WebhookWantedState', 'What its owner wants of a webhook.', {
  active: 'Deliver, also what has changed meanwhile.',
  paused: 'Keep events back.',
})

const ReasonType = describedEnum('WebhookDisabledReason', 'Why the gateway has disabled a webhook.', {
  gone: 'The receiver answered 410.',
  failing: 'Nothing was delivered for three days of failures, or 50 events in a row were given up.',
  access_lost: 'The account, or the key that made or last changed it, may not read the changes any more.',
  over_limit: 'The tier of the account has fewer webhooks.',
})

const EventStateType = describedEnum('WebhookEventState', 'How far an event is.', {
  pending: 'It is to be sent, at next_attempt_at or when the events before it of its asset are done.',
  open: 'An attempt is under way.',
  delivered: 'The receiver answered 2xx.',
  dead: 'All attempts failed: a dead letter, which a replay sends again.',
})

const ReplayFromType = describedEnum('WebhookReplayFrom', 'What is queued again.', {
  dead_letters: 'Events that were given up.',
})

const WebhookType = builder.objectRef<WebhookRow>('Webhook').implement({
  description: 'An address that gets the changes of analyses by POST.',
  fields: (t) => ({
    webhook_id: t.exposeString('webhookId', { description: 'UUID of the webhook.' }),
    url: t.exposeString('url', { description: 'Where events are sent.' }),
    state: t.expose('state', { type: StateType, description: 'Whether it delivers.' }),
    disabled_reason: t.expose('disabledReason', {
      type: ReasonType,
      nullable: true,
      description: 'Why the gateway has disabled it; null: it has not.',
    }),
    asset_ids: t.exposeStringList('assets', {
      description: 'Slugs of the assets whose changes it gets; empty: of all.',
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
      resolve: ({ cursorAt, cursorId }) =>
        cursorId === 0 ? null : cursorOfPlace({ computedAt: cursorAt, diffId: cursorId }),
    }),
    pending: t.exposeInt('pending', { description: 'Events that are still to be delivered, at most 400.' }),
    dead_letters: t.exposeInt('deadLetters', { description: 'Events given up in the last 30 days.' }),
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
  }),
})

const WithSecretType = builder.objectRef<WebhookWithSecret>('WebhookWithSecret').implement({
  description: 'A webhook with its signing secret, for the only time.',
  fields: (t) => ({
    webhook: t.expose('webhook', { type: WebhookType, description: 'The webhook.' }),
    secret: t.exposeString('secret', {
      description:
        'whsec_ and 32 bytes in base64, as libraries of Standard Webhooks take it. It is shown this once.',
    }),
  }),
})

const WebhookListType = builder
  .objectRef<{ readonly webhooks: readonly WebhookRow[]; readonly limit: number }>('WebhookListResponse')
  .implement({
    description: 'Webhooks of the account.',
    fields: (t) => ({
      webhooks: t.expose('webhooks', { type: [WebhookType], description: 'The oldest first.' }),
      limit: t.exposeInt('limit', { description: 'Webhooks that the tier of the account has at most.' }),
    }),
  })

const EventType = builder.objectRef<DeliveryRow>('WebhookEvent').implement({
  description: 'An event of a webhook: a change of an analysis.',
  fields: (t) => ({
    event_id: t.string({
      description: 'What webhook-id says in the request, at each attempt.',
      resolve: ({ toSnapshotId }) => `change_${toSnapshotId}`,
    }),
    cursor: t.string({
      description: 'Its place in the feed: a replay with it sends what follows.',
      resolve: (row) => cursorOfPlace(row),
    }),
    asset_id: t.exposeString('asset', { description: 'Slug of the asset.' }),
    state: t.expose('state', { type: EventStateType, description: 'How far it is.' }),
    attempts: t.exposeInt('attempts', { description: 'Attempts so far.' }),
    next_attempt_at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'No attempt before this instant; null: there is none to come.',
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

const EventsType = builder.objectRef<DeliveriesPage>('WebhookEventsResponse').implement({
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
  }),
})

const TestType = builder.objectRef<AttemptOutcome>('WebhookTestResult').implement({
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

const TAG = 'webhooks'
const PATH = '/v1/webhooks'
const ONE_PATH = `${PATH}/{webhook_id}`

const webhookArgument = (arg: ArgBuilder) =>
  arg.string({
    required: true,
    description: 'UUID of a webhook of the account; 404 for any other.',
    ...hints({ example: '3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b', maxLength: 36 }),
  })

const URL_TEXT =
  'https, without user, password and fragment, port 443 or one from 1024 on, a host of the public Internet'
const URL_HINTS = hints({ example: 'https://hooks.example.com/changes', maxLength: MAX_URL_LENGTH })

mutationEndpoint('create_webhook', {
  summary: 'Create a webhook',
  description:
    'Sends each change of an analysis to an address by POST, signed as Standard Webhooks has it, at least once and in order per asset; the secret is shown this once. 409 where the tier has no more of them: 1, growth 5, pro and above 20. It has the rights of the key that made or last changed it.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: PATH, tag: TAG, status: 201 },
  errors: ['forbidden', 'not_found', 'conflict', 'rate_limit_exceeded'],
  type: WithSecretType,
  args: (arg) => ({
    url: arg.string({ required: true, description: `Where events are sent: ${URL_TEXT}.`, ...URL_HINTS }),
    asset_ids: arg.stringList({
      description: 'Slugs: only changes of these assets. Left out: of all.',
      ...hints({ maximum: MAX_WEBHOOK_ASSETS, maxLength: 64, example: ['bitcoin'] }),
    }),
    analysis_type: arg({ type: AiAnalysisType, description: 'Only this kind of analysis.' }),
    change_type: arg({ type: ChangeTypeType, description: 'Only changes of this dominant reason.' }),
    cursor: cursorArgument(
      arg,
      'Cursor of an event or a page of changes: begins with what follows. Left out: only changes from now on.',
    ),
  }),
  check: (args, context) => parseWebhook(args, context),
  resolve: (request, context) => createWebhook(context, request),
})

queryEndpoint('webhooks', {
  summary: 'List webhooks',
  description: "The account's webhooks with their state, and how many its tier has; never a secret.",
  access: WEBHOOK_SCOPE,
  cost: 'free',
  rest: { method: 'GET', path: PATH, tag: TAG },
  type: WebhookListType,
  check: () => null,
  resolve: (_, context) => getWebhooks(context),
})

queryEndpoint('webhook', {
  summary: 'One webhook',
  description:
    'One webhook of the account: its state, cursor, failures, and how many events wait or were given up.',
  access: WEBHOOK_SCOPE,
  cost: 'free',
  rest: { method: 'GET', path: ONE_PATH, tag: TAG },
  errors: ['not_found'],
  type: WebhookType,
  args: (arg) => ({ webhook_id: webhookArgument(arg) }),
  check: ({ webhook_id }) => parseWebhookId(webhook_id),
  resolve: (webhookId, context) => getWebhook(context, webhookId),
})

mutationEndpoint('update_webhook', {
  summary: 'Change a webhook',
  description:
    'Pauses, resumes or redirects it. A resumed one delivers what has changed meanwhile; what waits is due at once. It has the rights of the key that asks from then on.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: ONE_PATH, tag: TAG },
  errors: ['forbidden', 'not_found'],
  type: WebhookType,
  args: (arg) => ({
    webhook_id: webhookArgument(arg),
    state: arg({ type: WantedStateType, description: 'active resumes a paused or disabled one.' }),
    url: arg.string({ description: `Where events are sent from now on: ${URL_TEXT}.`, ...URL_HINTS }),
  }),
  check: (args, context) => parseWebhookChange(args, context),
  resolve: (change, context) => changeWebhook(context, change),
})

mutationEndpoint('rotate_webhook_secret', {
  summary: 'Rotate the secret of a webhook',
  description:
    'A new secret, shown this once. For the overlap each event carries two signatures, by the new and by the old one.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: `${ONE_PATH}/rotate-secret`, tag: TAG },
  errors: ['forbidden', 'not_found', 'rate_limit_exceeded'],
  type: WithSecretType,
  args: (arg) => ({
    webhook_id: webhookArgument(arg),
    overlap_hours: arg.int({
      defaultValue: OVERLAP_HOURS.default,
      description: 'Hours that the old secret still signs; 0: it ends at once.',
      ...hints({ minimum: OVERLAP_HOURS.min, maximum: OVERLAP_HOURS.max }),
    }),
  }),
  check: (args) => parseRotation(args),
  resolve: (rotation, context) => rotateSecret(context, rotation),
})

mutationEndpoint('delete_webhook', {
  summary: 'Delete a webhook',
  description:
    'Ends a webhook with all its events. An attempt that is under way ends by itself. True when done.',
  access: WEBHOOK_SCOPE,
  cost: 'free',
  rest: { method: 'DELETE', path: ONE_PATH, tag: TAG, status: 204 },
  errors: ['not_found'],
  type: 'Boolean',
  args: (arg) => ({ webhook_id: webhookArgument(arg) }),
  check: ({ webhook_id }) => parseWebhookId(webhook_id),
  resolve: async (webhookId, context) => {
    await removeWebhook(context, webhookId)
    return true
  },
})

queryEndpoint('webhook_events', {
  summary: 'Events of a webhook',
  description: 'What was delivered, what waits and what was given up (state=dead), the newest first.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'GET', path: `${ONE_PATH}/events`, tag: TAG },
  errors: ['not_found'],
  type: EventsType,
  args: (arg) => ({
    webhook_id: webhookArgument(arg),
    state: arg({ type: EventStateType, description: 'Only events of this state.' }),
    limit: limitArgument(arg, 'Events per page.', DELIVERIES_LIMITS),
    cursor: cursorArgument(arg, 'next_cursor of the page before.'),
  }),
  check: (args) => parseDeliveries(args),
  resolve: (query, context) => getDeliveries(context, query),
})

mutationEndpoint('replay_webhook', {
  summary: 'Replay events of a webhook',
  description: `Sends the changes behind a cursor again, those delivered too, with the same ids; or dead letters again, ${REVIVED_AT_ONCE} at a time, the oldest first.`,
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: `${ONE_PATH}/replay`, tag: TAG },
  errors: ['forbidden', 'not_found', 'rate_limit_exceeded'],
  type: WebhookType,
  args: (arg) => ({
    webhook_id: webhookArgument(arg),
    cursor: cursorArgument(arg, 'Cursor of an event or a page of changes: what follows is sent again.'),
    from: arg({ type: ReplayFromType, description: 'In place of a cursor.' }),
  }),
  check: (args) => parseReplay(args),
  resolve: (asked, context) => replay(context, asked),
})

mutationEndpoint('test_webhook', {
  summary: 'Test a webhook',
  description:
    'Sends a signed event of type webhook.test and waits for the answer, for 5 seconds at most; it is not tried again. A failure is told in the answer.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: `${ONE_PATH}/test`, tag: TAG },
  errors: ['not_found', 'rate_limit_exceeded', 'service_unavailable'],
  type: TestType,
  args: (arg) => ({ webhook_id: webhookArgument(arg) }),
  check: ({ webhook_id }) => parseWebhookId(webhook_id),
  resolve: (webhookId, context) => testWebhook(context, webhookId),
})
