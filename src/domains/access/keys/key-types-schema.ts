import type { AsOf } from '../../../core/as-of.js'
import { COMPAT_INTERFACES } from '../../../policy/compat-interfaces.js'
import type { UrlUse } from '../../../policy/principal.js'
import { storedTier } from '../../../policy/tiers.js'
import { builder } from '../../../schema-kit/builder.js'
import { hints } from '../../../schema-kit/fields.js'
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
import { accessPort } from '../model.js'
import { TierType } from '../tier-schema.js'
import { keyClockOf } from './key-clock-model.js'
import { type ApiKeyCreateResponse, isActive } from './key-model.js'
import { quotaPerHour, shownScopesOf, usedThisHour } from './key-service.js'
import { MAX_URL_OPERATIONS, urlUseOf } from './url-use-model.js'

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

export const UrlUseInputType = builder.inputType('ApiKeyUrlUseInput', {
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

export const ClockInputType = builder.inputType('ApiKeyClockInput', {
  description: 'The instant as of which a key is answered.',
  fields: (t) => ({
    as_of: t.field({ type: 'DateTime', required: true, description: 'The instant, not in the future.' }),
    basis: t.field({
      type: KnowledgeBasisType,
      description: 'Since when a fact counts as known: observed when omitted. It never changes.',
    }),
  }),
})

export const ApiKeyListItemType = builder.prismaObject('ApiKey', {
  variant: 'ApiKeyListItem',
  description: 'An API key, without the key text.',
  select: { keyId: true },
})

export const ApiKeyInfoType = builder.prismaObject('ApiKey', {
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

export const ApiKeyCreateResponseType = builder
  .objectRef<ApiKeyCreateResponse>('ApiKeyCreateResponse')
  .implement({
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

export const ApiKeyListResponseType = builder.objectRef<ApiKeyList>('ApiKeyListResponse').implement({
  description: 'Keys of the account.',
  fields: (t) =>
    shownFields(t, {
      keys: shownAs([ApiKeyListItemType])('Active keys first, then the newest; at most 200.'),
      total: integer('Number of keys that the account ever had, including those not listed.'),
    }),
})
