import type { AsOf } from '../../../core/as-of.js'
import { parseUuid } from '../../../core/identifiers.js'
import { COMPAT_INTERFACES } from '../../../policy/compat-interfaces.js'
import { requireCaller } from '../../../policy/decide.js'
import type { UrlUse } from '../../../policy/principal.js'
import { MAX_SCOPE_LENGTH, SCOPE_NAMES } from '../../../policy/scopes.js'
import { storedTier } from '../../../policy/tiers.js'
import { builder } from '../../../schema-kit/builder.js'
import { hints, mutationEndpoint, queryEndpoint } from '../../../schema-kit/fields.js'
import { defineNode, orderByKeys } from '../../../schema-kit/nodes.js'
import { KnowledgeBasisType } from '../../../schema-kit/shared-arguments.js'
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
import { keyClockOf, parseKeyClock } from './key-clock-model.js'
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
  advanceApiKey,
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
import { MAX_URL_OPERATIONS, parseUrlUse, urlUseOf } from './url-use-model.js'

const TEXTS = {
  key_id: 'UUID of the key.',
  key_prefix: 'First 16 characters of the key, to distinguish keys.',
  label: 'Name that the owner gave the key.',
  tier: 'Tier of the account.',
  scopes: 'Scopes that the key holds now. Scopes that give access to nothing in this version are not listed.',
  url_use:
    'What a key for addresses may read: it may stand in the query as `token`, only reads, and is refused elsewhere. Null for another key.',
  clock: 'The instant as of which this key is answered. Null for a key without a clock.',
  created_at: 'When the key was created.',
  expires_at: 'When the key expires; null when it does not expire.',
}

const UrlUseType = builder.objectRef<UrlUse>('ApiKeyUrlUse').implement({
  description: 'What a key for addresses may read. It may nothing else.',
  fields: (t) =>
    shownFields(t, {
      operations: texts('Operations, by any address that reads them.'),
      interfaces: texts('Compatible interfaces.'),
      hourly_units: integer('Units per clock hour, of those of the account.', 'hourlyUnits'),
    }),
})

const UrlUseInputType = builder.inputType('ApiKeyUrlUseInput', {
  description: 'What a key for addresses may read.',
  fields: (t) => ({
    operations: t.stringList({
      description: 'Operations that GET reads below /v1.',
      ...hints({ maximum: MAX_URL_OPERATIONS, maxLength: 64, example: ['forex'] }),
    }),
    interfaces: t.stringList({
      description: `Compatible interfaces: ${COMPAT_INTERFACES.join(', ')}.`,
      ...hints({ maximum: COMPAT_INTERFACES.length, maxLength: 64, example: ['frankfurter'] }),
    }),
    hourly_units: t.int({
      required: true,
      description: 'Units per clock hour, at most those of the account.',
      ...hints({ minimum: 1, example: 10 }),
    }),
  }),
})

const ClockType = builder.objectRef<AsOf>('ApiKeyClock').implement({
  description: 'The instant as of which a key is answered.',
  fields: (t) =>
    shownFields(t, {
      as_of: instant('Nothing that became known later is in an answer.', 'at'),
      basis: shownAs(KnowledgeBasisType)('Since when a fact counts as known.'),
    }),
})

const ClockInputType = builder.inputType('ApiKeyClockInput', {
  description: 'The instant as of which a key is answered.',
  fields: (t) => ({
    as_of: t.field({ type: 'DateTime', required: true, description: 'The instant, not in the future.' }),
    basis: t.field({
      type: KnowledgeBasisType,
      description: 'Since when a fact counts as known: observed when omitted. It never changes.',
    }),
  }),
})

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
      url_use: t.field({
        type: UrlUseType,
        nullable: true,
        description: TEXTS.url_use,
        select: { urlOperations: true, urlInterfaces: true, urlHourlyUnits: true },
        resolve: (key) => urlUseOf(key),
      }),
      clock: t.field({
        type: ClockType,
        nullable: true,
        description: TEXTS.clock,
        select: { clockAsOf: true, clockBasis: true },
        resolve: (key) => keyClockOf(key),
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
      url_use: shownAs(UrlUseType).orNull(TEXTS.url_use),
      clock: shownAs(ClockType).orNull(TEXTS.clock),
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
