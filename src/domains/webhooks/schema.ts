import { type ArgBuilder, hints, mutationEndpoint, queryEndpoint } from '../../schema-kit/fields.js'
import { cursorArgument, limitArgument } from '../../schema-kit/shared-arguments.js'
import { toPrismaSelect } from '../../schema-kit/to-prisma-select.js'
import { ownAccount } from '../access/service.js'
import { ChangeTypeType } from '../analysis/changes/change-schema.js'
import { AiAnalysisType } from '../analysis/snapshots/snapshot-schema.js'
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
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  parseRotation,
  parseWebhook,
  parseWebhookChange,
  removeWebhook,
  rotateSecret,
} from './webhook-service.js'
import { MAX_URL_LENGTH } from './webhook-url.js'

const TAG = 'webhooks'
const PATH = '/v1/webhooks'
const ONE_PATH = `${PATH}/{webhook_id}`

/** What is read of a webhook whatever is selected. */
const KEY = { webhookId: true } as const

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
    'Sends each change of an analysis to an address by POST, signed as Standard Webhooks has it, at least once and in order per asset; the secret is shown this once. 409 where the tier has no more of them: 1, growth 5, pro and above 20. It has the rights of the key that made or last changed it, and is disabled when that key is revoked; a rotated key hands it to the new one.',
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
  resolve: (request, context, info) => createWebhook(context, request, toPrismaSelect(context, info, KEY)),
})

queryEndpoint('webhooks', {
  summary: 'List webhooks',
  description:
    "The account's webhooks with their state, and how many its tier has; never a secret. A narrowed key sees only its own.",
  access: WEBHOOK_SCOPE,
  cost: 'free',
  rest: { method: 'GET', path: PATH, tag: TAG, table: { rows: 'webhooks' } },
  type: WebhookListType,
  check: () => null,
  resolve: (_, context, info) => ownAccount(context, toPrismaSelect(context, info, { accountId: true })),
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
  resolve: (webhookId, context, info) => getWebhook(context, webhookId, toPrismaSelect(context, info, KEY)),
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
  resolve: (change, context, info) => changeWebhook(context, change, toPrismaSelect(context, info, KEY)),
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
  resolve: (rotation, context, info) => rotateSecret(context, rotation, toPrismaSelect(context, info, KEY)),
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
    state: arg({ type: EventStateType, description: 'Only events of this state.' }),
    limit: limitArgument(arg, 'Events per page.', DELIVERIES_LIMITS),
    cursor: cursorArgument(arg, 'next_cursor of the page before.'),
  }),
  check: (args) => parseDeliveries(args),
  resolve: (query, context, info) =>
    getDeliveries(context, query, toPrismaSelect(context, info, EVENT_KEYS, ['events'])),
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
    from: arg({
      type: ReplayFromType,
      description: 'In place of a cursor.',
      ...hints({ example: 'dead_letters' }),
    }),
  }),
  check: (args) => parseReplay(args),
  resolve: (asked, context, info) => replay(context, asked, toPrismaSelect(context, info, KEY)),
})

mutationEndpoint('test_webhook', {
  summary: 'Test a webhook',
  description:
    'Sends a signed event of type webhook.test and waits for the answer, for 5 seconds at most; it is not tried again. The answer reports a failure.',
  access: WEBHOOK_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: `${ONE_PATH}/test`, tag: TAG },
  errors: ['not_found', 'rate_limit_exceeded', 'service_unavailable'],
  type: TestType,
  args: (arg) => ({ webhook_id: webhookArgument(arg) }),
  check: ({ webhook_id }) => parseWebhookId(webhook_id),
  resolve: (webhookId, context) => testWebhook(context, webhookId),
})
