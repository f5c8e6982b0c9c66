import { parseUuid } from '../../../core/identifiers.js'
import { requireCaller } from '../../../policy/decide.js'
import { MAX_SCOPE_LENGTH, SCOPE_NAMES } from '../../../policy/scopes.js'
import { hints, mutationEndpoint, queryEndpoint } from '../../../schema-kit/fields.js'
import { defineNode, orderByKeys } from '../../../schema-kit/nodes.js'
import { toPrismaSelect } from '../../../schema-kit/to-prisma-select.js'
import { accessPort } from '../model.js'
import { parseKeyClock } from './key-clock-model.js'
import {
  GRACE_SECONDS,
  MAX_LABEL_LENGTH,
  parseGraceSeconds,
  parseKeyId,
  parseKeyRequest,
} from './key-model.js'
import {
  advanceApiKey,
  createApiKey,
  getApiKey,
  getApiKeys,
  listApiKeys,
  quotaPerHour,
  revokeApiKey,
  rotateApiKey,
} from './key-service.js'
import {
  ApiKeyCreateResponseType,
  ApiKeyInfoType,
  ApiKeyListItemType,
  ApiKeyListResponseType,
  ClockInputType,
  UrlUseInputType,
} from './key-types-schema.js'
import { parseUrlUse } from './url-use-model.js'

mutationEndpoint('create_api_key', {
  summary: 'Create an API key',
  description:
    'Creates an API key of the account; the key text is shown only once. The new key cannot hold a scope that your key or token lacks (403 names the scope) and cannot expire later than it (422). 409 when the Idempotency-Key was used before (the error names the key that it created) or when the account has 100 active keys.',
  access: 'keys:manage',
  cost: 'metered',
  rest: {
    method: 'POST',
    path: '/auth/keys',
    tag: 'access',
    status: 201,
    idempotent: true,
    bodyName: 'ApiKeyCreateRequest',
  },
  errors: ['forbidden', 'conflict'],
  type: ApiKeyCreateResponseType,
  args: (arg) => ({
    label: arg.string({
      required: true,
      description: 'Name of the key, 1 to 100 characters.',
      ...hints({ example: 'dashboard', maxLength: MAX_LABEL_LENGTH }),
    }),
    scopes: arg.stringList({
      description:
        'Restricts the key to these scopes; an empty list gives it no scope. A scope that gives access to nothing in this version is a 422 that lists the available scopes. When omitted, the new key gets all scopes of the key or token that creates it.',
      ...hints({ maximum: SCOPE_NAMES.length, maxLength: MAX_SCOPE_LENGTH, example: ['ai:read'] }),
    }),
    expires_at: arg({
      type: 'DateTime',
      description:
        'When the key expires: in the future, and not after the key that creates it expires. When omitted, the new key expires together with the key that creates it, or never if that key does not expire or an access token creates it.',
    }),
    url_use: arg({
      type: UrlUseInputType,
      description:
        'Makes a key for addresses, for tools that can send no header. It may stand in the query as `token`, only reads what is named here, has its own units per hour of those of the account, and is refused everywhere else.',
    }),
    clock: arg({
      type: ClockInputType,
      description:
        'Makes a key with a clock: every answer to it is as of this instant, and what cannot be asked so is a 422. It only reads.',
    }),
  }),
  check: (args, context) => {
    const { principal, ports, now } = context
    const { servedScopes } = ports.get(accessPort)
    const request = parseKeyRequest(args, requireCaller(principal), { now, servedScopes })
    const urlUse = parseUrlUse(args.url_use, quotaPerHour(context))
    return { ...request, urlUse, clock: parseKeyClock(args.clock, now) }
  },
  resolve: (request, context) => createApiKey(context, request),
})

queryEndpoint('api_keys', {
  summary: 'List API keys',
  description: "The account's keys, active keys first. The key text is never listed.",
  access: 'keys:manage',
  cost: 'free',
  rest: { method: 'GET', path: '/auth/keys', tag: 'access', table: { rows: 'keys', total: 'total' } },
  type: ApiKeyListResponseType,
  check: () => null,
  resolve: (_, context, info) =>
    listApiKeys(context, toPrismaSelect(context, info, { keyId: true }, { path: ['keys'] })),
})

const KEY_ID = 'UUID of a key of your account; 404 for any other UUID.'
const KEY_ID_HINTS = hints({ example: '3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b', maxLength: 36 })

defineNode(ApiKeyListItemType, {
  servedBy: 'api_key',
  keyOf: ({ keyId }) => keyId,
  isKey: (text) => parseUuid(text) === text,
  load: async (keyIds, context, info) => {
    const select = toPrismaSelect(context, info, { keyId: true }, { typeName: ApiKeyListItemType.name })
    return orderByKeys(keyIds, await getApiKeys(context, keyIds, select), ({ keyId }) => keyId)
  },
})

queryEndpoint('api_key', {
  summary: 'One API key',
  description:
    'One key of the account with its usage in the current hour and the hourly quota of the account.',
  access: 'keys:manage',
  cost: 'free',
  rest: { method: 'GET', path: '/auth/keys/{key_id}', tag: 'access' },
  errors: ['not_found'],
  type: ApiKeyInfoType,
  args: (arg) => ({ key_id: arg.string({ required: true, description: KEY_ID, ...KEY_ID_HINTS }) }),
  check: ({ key_id }) => parseKeyId(key_id),
  resolve: (keyId, context, info) =>
    getApiKey(context, keyId, toPrismaSelect(context, info, { keyId: true })),
})

mutationEndpoint('advance_api_key', {
  summary: 'Advance the clock of an API key',
  description:
    'Moves the clock of a key forward; answers are as of the new instant within a second. It cannot be set back, pass the present, or be removed (422). A key cannot advance its own clock. 409 for a key without a clock.',
  access: 'keys:manage',
  cost: 'free',
  rest: { method: 'PATCH', path: '/auth/keys/{key_id}', tag: 'access' },
  errors: ['not_found', 'conflict'],
  type: ApiKeyInfoType,
  args: (arg) => ({
    key_id: arg.string({ required: true, description: KEY_ID, ...KEY_ID_HINTS }),
    clock: arg({
      type: ClockInputType,
      required: true,
      description: 'The later instant.',
      ...hints({ example: { as_of: '2026-11-20T12:00:00Z' } }),
    }),
  }),
  check: ({ key_id, clock }) => ({ keyId: parseKeyId(key_id), clock }),
  resolve: async (advance, context, info) => {
    await advanceApiKey(context, advance)
    return getApiKey(context, advance.keyId, toPrismaSelect(context, info, { keyId: true }))
  },
})

mutationEndpoint('rotate_api_key', {
  summary: 'Rotate an API key',
  description:
    'Creates a key with the label, scopes and expiry of an old key and ends the old key after the grace period. Keys that the old key made go on; they end when the new key is revoked. 403 when the old key holds a scope that the key or token of this request lacks, or expires later than it. 409 when the old key has ended or is being rotated.',
  access: 'keys:manage',
  cost: 'metered',
  rest: { method: 'POST', path: '/auth/keys/{key_id}/rotate', tag: 'access', status: 201 },
  errors: ['forbidden', 'not_found', 'conflict'],
  type: ApiKeyCreateResponseType,
  args: (arg) => ({
    key_id: arg.string({ required: true, description: KEY_ID, ...KEY_ID_HINTS }),
    grace_seconds: arg.int({
      defaultValue: 0,
      description: 'Grace period: seconds for which the old key still works.',
      ...hints({ minimum: GRACE_SECONDS.min, maximum: GRACE_SECONDS.max, example: 3600 }),
    }),
  }),
  check: ({ key_id, grace_seconds }) => ({
    graceSeconds: parseGraceSeconds(grace_seconds),
    keyId: parseKeyId(key_id),
  }),
  resolve: (rotation, context) => rotateApiKey(context, rotation),
})

mutationEndpoint('revoke_api_key', {
  summary: 'Revoke an API key',
  description:
    'Revokes a key of the account, and all keys that were made with it or with one of those; they stop working within a second. Repeating the call changes nothing. Returns true.',
  access: 'keys:manage',
  cost: 'free',
  rest: { method: 'DELETE', path: '/auth/keys/{key_id}', tag: 'access', status: 204 },
  errors: ['not_found'],
  type: 'Boolean',
  args: (arg) => ({ key_id: arg.string({ required: true, description: KEY_ID, ...KEY_ID_HINTS }) }),
  check: ({ key_id }) => parseKeyId(key_id),
  resolve: async (keyId, context) => {
    await revokeApiKey(context, keyId)
    return true
  },
})
