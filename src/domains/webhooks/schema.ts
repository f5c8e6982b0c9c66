import { parseUuid } from '../../core/identifiers.js'
import { type ArgBuilder, hints, mutationEndpoint, queryEndpoint } from '../../schema-kit/fields.js'
import { defineNode, orderByKeys } from '../../schema-kit/nodes.js'
import { cursorArgument, limitArgument } from '../../schema-kit/shared-arguments.js'
import { toPrismaSelect } from '../../schema-kit/to-prisma-select.js'
import { ownAccount } from '../access/service.js'
import { ChangeTypeType } from '../analysis/changes/change-schema.js'
import { AiAnalysisType } from '../analysis/snapshots/snapshot-schema.js'
import { scopesOfEvents, WEBHOOK_EVENT_TYPES } from './change-feeds.js'
import {
  DELIVERIES_LIMITS,
  EVENT_KEYS,
  getDeliveries,
  parseDeliveries,
  parseReplay,
  REVIVED_AT_ONCE,
  replay,
  testWebhook,
} from './event-service.js'
import { MAX_WEBHOOK_ASSETS, OVERLAP_HOURS, parseWebhookId, WEBHOOK_SCOPE } from './model.js'
import {
  EventStateType,
  EventsType,
  ReplayFromType,
  TestType,
  WantedStateType,
  WebhookListType,
  WebhookType,
  WithSecretType,
} from './types-schema.js'
import { parseWebhook } from './webhook-request-service.js'
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  getWebhooks,
  parseRotation,
  parseWebhookChange,
  removeWebhook,
  rotateSecret,
} from './webhook-service.js'
import { MAX_URL_LENGTH } from './webhook-url.js'

const TAG = 'webhooks'
const PATH = '/v1/webhooks'
const ONE_PATH = `${PATH}/{webhook_id}`

/** Columns of a webhook that are always read. */
const KEY = { webhookId: true } as const

const webhookArgument = (arg: ArgBuilder) =>
  arg.string({
    required: true,
    description: 'UUID of a webhook of your account; 404 for any other UUID.',
    ...hints({ example: '3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b', maxLength: 36 }),
  })

const URL_TEXT =
  'an https URL without user, password and fragment, on port 443 or a port from 1024, with a publicly reachable host'
const URL_HINTS = hints({ example: 'https://hooks.example.com/changes', maxLength: MAX_URL_LENGTH })

mutationEndpoint('create_webhook', {
  summary: 'Create a webhook',
  description:
    'Creates a webhook: the gateway sends each change of an analysis or of a corporate action to your URL by POST, at least once and in order per asset, signed according to Standard Webhooks. Events of corporate actions need instruments:read too. The secret is shown only once. 409 when the account has as many webhooks as its tier allows: starter 1, growth 5, pro and above 20. A webhook has the rights of the key that created or last changed it. Revoking that key disables the webhook; after a rotation the webhook belongs to the new key.',
  access: WEBHOOK_SCOPE,
  partScopes: scopesOfEvents(WEBHOOK_EVENT_TYPES).filter((scope) => scope !== WEBHOOK_SCOPE),
  cost: 'metered',
  rest: { method: 'POST', path: PATH, tag: TAG, status: 201 },
  errors: ['forbidden', 'not_found', 'conflict', 'rate_limit_exceeded'],
  type: WithSecretType,
  args: (arg) => ({
    url: arg.string({
      required: true,
      description: `URL that events are sent to: ${URL_TEXT}.`,
      ...URL_HINTS,
    }),
    event_types: arg.stringList({
      description: `Types of events to send: ${WEBHOOK_EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}. When omitted, only changes of analyses are sent.`,
      ...hints({ maximum: WEBHOOK_EVENT_TYPES.length, maxLength: 40, example: ['corporate_action.created'] }),
    }),
    asset_ids: arg.stringList({
      description: 'Slugs of assets: send only their changes. When omitted, changes of all assets are sent.',
      ...hints({ maximum: MAX_WEBHOOK_ASSETS, maxLength: 64, example: ['bitcoin'] }),
    }),
    analysis_type: arg({ type: AiAnalysisType, description: 'Of analyses, send only changes of this type.' }),
    change_type: arg({
      type: ChangeTypeType,
      description: 'Of analyses, send only changes with this dominant reason.',
    }),
    cursor: cursorArgument(
      arg,
      'Cursor of an event or of a page of changes: send the changes after it. When omitted, only changes from now on are sent.',
    ),
  }),
  check: (args, context) => parseWebhook(args, context),
  resolve: (request, context, info) => createWebhook(context, request, toPrismaSelect(context, info, KEY)),
})

queryEndpoint('webhooks', {
  summary: 'List webhooks',
  keywords: ['list of webhooks', 'push notifications'],
  description:
    "The account's webhooks with their state, and how many webhooks the tier allows. Secrets are never listed. A narrowed key sees only the webhooks that it created.",
  access: WEBHOOK_SCOPE,
  cost: 'free',
  rest: { method: 'GET', path: PATH, tag: TAG, table: { rows: 'webhooks' } },
  type: WebhookListType,
  check: () => null,
  resolve: (_, context, info) => ownAccount(context, toPrismaSelect(context, info, { accountId: true })),
})

defineNode(WebhookType, {
  servedBy: 'webhook',
  keyOf: ({ webhookId }) => webhookId,
  isKey: (text) => parseUuid(text) === text,
  load: async (ids, context, info) => {
    const select = toPrismaSelect(context, info, KEY, { typeName: WebhookType.name })
    return orderByKeys(ids, await getWebhooks(context, ids, select), ({ webhookId }) => webhookId)
  },
})

queryEndpoint('webhook', {
  summary: 'One webhook',
  keywords: ['one webhook'],
  description:
    'One webhook of the account: its state, cursor, failures, and its numbers of pending events and dead letters.',
  access: WEBHOOK_SCOPE,
  cost: 'free',
  rest: { method: 'GET', path: ONE_PATH, tag: TAG },
  errors: ['not_found'],
  type: WebhookType,
  args: (arg) => ({ webhook_id: webhookArgument(arg) }),
  check: ({ webhook_id }) => parseWebhookId(webhook_id),
  resolve: (webhookId, context, info) => getWebhook(context, webhookId, toPrismaSelect(context, info, KEY)),
})

mutationEndpoint('update_webhook', {
  summary: 'Change a webhook',
  description:
    'Pauses a webhook, resumes it or changes its URL. After it is resumed, it also delivers the changes of the meantime, and pending events are due at once. From then on the webhook has the rights of the key or token of this request.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: ONE_PATH, tag: TAG },
  errors: ['forbidden', 'not_found'],
  type: WebhookType,
  args: (arg) => ({
    webhook_id: webhookArgument(arg),
    state: arg({
      type: WantedStateType,
      description: '`active` resumes a paused or disabled webhook; `paused` pauses it.',
    }),
    url: arg.string({ description: `URL that events are sent to from now on: ${URL_TEXT}.`, ...URL_HINTS }),
  }),
  check: (args, context) => parseWebhookChange(args, context),
  resolve: (change, context, info) => changeWebhook(context, change, toPrismaSelect(context, info, KEY)),
})

mutationEndpoint('rotate_webhook_secret', {
  summary: 'Rotate the secret of a webhook',
  description:
    'Creates a new secret, which is shown only once. During the overlap each event carries two signatures: one by the new secret and one by the old secret.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: `${ONE_PATH}/rotate-secret`, tag: TAG },
  errors: ['forbidden', 'not_found', 'rate_limit_exceeded'],
  type: WithSecretType,
  args: (arg) => ({
    webhook_id: webhookArgument(arg),
    overlap_hours: arg.int({
      defaultValue: OVERLAP_HOURS.default,
      description: 'Hours for which the old secret still signs events too; 0 ends it at once.',
      ...hints({ minimum: OVERLAP_HOURS.min, maximum: OVERLAP_HOURS.max }),
    }),
  }),
  check: (args) => parseRotation(args),
  resolve: (rotation, context, info) => rotateSecret(context, rotation, toPrismaSelect(context, info, KEY)),
})

mutationEndpoint('delete_webhook', {
  summary: 'Delete a webhook',
  description:
    'Deletes a webhook and all its events. An attempt that has already started still completes. Returns true.',
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
  keywords: ['delivered events', 'dead letters', 'failed deliveries'],
  description: 'Pending events, delivered events and dead letters (state=dead), the newest first.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: {
    method: 'GET',
    path: `${ONE_PATH}/events`,
    tag: TAG,
    table: { rows: 'events', total: 'total', paging: { by: 'cursor', member: 'next_cursor' } },
  },
  errors: ['not_found'],
  type: EventsType,
  args: (arg) => ({
    webhook_id: webhookArgument(arg),
    state: arg({ type: EventStateType, description: 'List only events in this state.' }),
    limit: limitArgument(arg, 'Events per page.', DELIVERIES_LIMITS),
    cursor: cursorArgument(arg, '`next_cursor` of the previous page.'),
  }),
  check: (args) => parseDeliveries(args),
  resolve: (query, context, info) =>
    getDeliveries(context, query, toPrismaSelect(context, info, EVENT_KEYS, { path: ['events'] })),
})

mutationEndpoint('replay_webhook', {
  summary: 'Replay events of a webhook',
  description: `Sends the changes after a cursor again, including delivered ones, with the same ids. With from=dead_letters it sends dead letters again instead, the ${REVIVED_AT_ONCE} oldest per request.`,
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: `${ONE_PATH}/replay`, tag: TAG },
  errors: ['forbidden', 'not_found', 'rate_limit_exceeded'],
  type: WebhookType,
  args: (arg) => ({
    webhook_id: webhookArgument(arg),
    cursor: cursorArgument(
      arg,
      'Cursor of an event or of a page of changes: the changes after it are sent again.',
    ),
    from: arg({
      type: ReplayFromType,
      description: 'Give either this or a cursor.',
      ...hints({ example: 'dead_letters' }),
    }),
  }),
  check: (args) => parseReplay(args),
  resolve: (parsed, context, info) => replay(context, parsed, toPrismaSelect(context, info, KEY)),
})

mutationEndpoint('test_webhook', {
  summary: 'Test a webhook',
  description:
    'Sends a signed event of type webhook.test and waits at most 5 seconds for the response of the receiver. It is not retried. A failure of the receiver is reported in the result, not as an error.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: `${ONE_PATH}/test`, tag: TAG },
  errors: ['not_found', 'rate_limit_exceeded', 'service_unavailable'],
  type: TestType,
  args: (arg) => ({ webhook_id: webhookArgument(arg) }),
  check: ({ webhook_id }) => parseWebhookId(webhook_id),
  resolve: (webhookId, context) => testWebhook(context, webhookId),
})
