import { parseUuid } from '../../../core/identifiers.js'
import { requireCaller } from '../../../policy/decide.js'
import { MAX_SCOPE_LENGTH, SCOPE_NAMES } from '../../../policy/scopes.js'
import { storedTier } from '../../../policy/tiers.js'
import { builder } from '../../../schema-kit/builder.js'
import { hints, mutationEndpoint, queryEndpoint } from '../../../schema-kit/fields.js'
import { defineNode, orderByKeys } from '../../../schema-kit/nodes.js'
import {
  instant,
  integer,
  shownAs,
  shownFields,
  text,
  texts,
  uuid,
} from '../../../schema-kit/shown-fields.js'
import { toPrismaSelect } from '../../../schema-kit/to-prisma-select.js'
import { accessPort } from '../model.js'
import { TierType } from '../tier-schema.js'
import {
  type ApiKeyCreateResponse,
  GRACE_SECONDS,
  isActive,
  MAX_LABEL_LENGTH,
  parseGraceSeconds,
  parseKeyId,
  parseKeyRequest,
} from './key-model.js'
import {
  createApiKey,
  getApiKey,
  getApiKeys,
  listApiKeys,
  quotaPerHour,
  revokeApiKey,
  rotateApiKey,
  shownScopesOf,
  usedThisHour,
} from './key-service.js'

const TEXTS = {
  key_id: 'UUID of the key.',
  key_prefix: 'First 16 characters of the key, to distinguish keys.',
  label: 'Name that the owner gave the key.',
  tier: 'Tier of the account.',
  scopes: 'Scopes that the key holds now. Scopes that give access to nothing in this version are not listed.',
  created_at: 'When the key was created.',
  expires_at: 'When the key expires; null when it does not expire.',
}

const ApiKeyListItemType = builder.prismaObject('ApiKey', {
  variant: 'ApiKeyListItem',
  description: 'An API key, without the key text.',
  select: { keyId: true },
})

const ApiKeyInfoType = builder.prismaObject('ApiKey', {
  variant: 'ApiKeyInfo',
  description:
    'An API key with its usage in the current hour. All keys of an account share the quotas of the account.',
  select: { keyId: true },
  fields: (t) =>
    shownFields(t, {
      id: uuid('UUID of the key, the same as key_id.', 'keyId'),
      usage_current_window: t.int({
        description: 'Units that this key has used in the current clock hour (UTC).',
        select: { keyId: true },
        resolve: ({ keyId }, _args, context) => usedThisHour(keyId, context),
      }),
      quota_per_hour: t.int({
        description: 'Units that the account has per clock hour.',
        resolve: (_key, _args, context) => quotaPerHour(context),
      }),
    }),
})

for (const type of [ApiKeyListItemType, ApiKeyInfoType])
  builder.prismaObjectFields(type, (t) =>
    shownFields(t, {
      key_id: uuid(TEXTS.key_id, 'keyId'),
      key_prefix: text(TEXTS.key_prefix, 'keyPrefix'),
      label: text(TEXTS.label),
      tier: t.field({
        type: TierType,
        description: TEXTS.tier,
        select: { account: { select: { tier: true } } },
        resolve: ({ account }) => storedTier(account.tier),
      }),
      scopes: t.field({
        type: ['String'],
        description: TEXTS.scopes,
        select: { isNarrowed: true, scopes: true, account: { select: { tier: true, grants: true } } },
        resolve: ({ account, ...key }, _args, { ports }) =>
          shownScopesOf(key, { ...account, tier: storedTier(account.tier) }, ports.get(accessPort)),
      }),
      created_at: instant(TEXTS.created_at, 'createdAt'),
      expires_at: instant.orNull(TEXTS.expires_at, 'expiresAt'),
      last_used_at: instant.orNull(
        'Last use, recorded at most once a minute; null when the key has not been used.',
        'lastUsedAt',
      ),
      created_by_key_id: uuid.orNull(
        'UUID of the key that created it, which ends this key when it is revoked; null when an access token or an operator created it.',
        'makerKeyId',
      ),
      is_active: t.boolean({
        description:
          'False after the key has expired or was revoked; true during the grace period of a rotation.',
        select: { expiresAt: true, revokedAt: true },
        resolve: (key, _args, { now }) => isActive(key, now),
      }),
    }),
  )

const ApiKeyCreateResponseType = builder.objectRef<ApiKeyCreateResponse>('ApiKeyCreateResponse').implement({
  description: 'A new API key. Only this response contains the key text.',
  fields: (t) =>
    shownFields(t, {
      key_id: uuid(TEXTS.key_id),
      key_prefix: text(TEXTS.key_prefix),
      label: text(TEXTS.label),
      tier: shownAs(TierType)(TEXTS.tier),
      scopes: texts(TEXTS.scopes),
      created_at: instant(TEXTS.created_at),
      expires_at: instant.orNull(TEXTS.expires_at),
      raw_key: text('The key text. Send it as X-API-Key. It is shown only once.'),
      warning: text('Says that the key cannot be read again.'),
    }),
})

interface ApiKeyList {
  readonly keys: readonly (typeof ApiKeyListItemType.$inferType)[]
  readonly total: number
}

const ApiKeyListResponseType = builder.objectRef<ApiKeyList>('ApiKeyListResponse').implement({
  description: 'Keys of the account.',
  fields: (t) =>
    shownFields(t, {
      keys: shownAs([ApiKeyListItemType])('Active keys first, then the newest; at most 200.'),
      total: integer('Number of keys that the account ever had, including those not listed.'),
    }),
})

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
  }),
  check: (args, { principal, ports, now }) => {
    const { servedScopes } = ports.get(accessPort)
    return parseKeyRequest(args, requireCaller(principal), { now, servedScopes })
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
