import { requireCaller } from '../../../policy/decide.js'
import { ApiMetaType, EMPTY_META } from '../../../schema-kit/api-meta.js'
import { builder } from '../../../schema-kit/builder.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import { type Envelope, FreshnessType } from '../../../schema-kit/envelope.js'
import { hints, mutationEndpoint, queryEndpoint } from '../../../schema-kit/fields.js'
import { instant, integer, shownAs, shownFields, text, uuid } from '../../../schema-kit/shown-fields.js'
import { toPrismaSelect } from '../../../schema-kit/to-prisma-select.js'
import { makerText } from '../model.js'
import {
  EXPIRY_DAYS,
  isCredentialActive,
  MAX_SQL_LABEL_LENGTH,
  parseCredentialId,
  parseSqlCredentialRequest,
  SQL_SCOPE,
  type SqlCredentialCreated,
} from './sql-credential-model.js'
import { createSqlCredential, listSqlCredentials, revokeSqlCredential } from './sql-credential-service.js'
import type { CredentialEndReason } from './sql-credential-store.js'

const TEXTS = {
  credential_id: 'UUID of the credential.',
  username: 'Login role in PostgreSQL.',
  created_at: 'When the credential was created.',
}

const MAKER_TEXT =
  'Who created it: the prefix of a key, or `login` for an access token. Revoking the key ends the credential.'

const EndReasonType = describedEnum('SqlCredentialsDisabledReason', 'Why the gateway has ended a login.', {
  access_lost: 'The key that created it was revoked, or the account may no longer have SQL credentials.',
  limits: 'Its sessions exceeded a limit and were ended three times within an hour.',
})

const SqlCredentialsListItemType = builder.prismaObject('SqlCredential', {
  variant: 'SqlCredentialsListItem',
  description: 'A PostgreSQL login to the star schema, without its password.',
  select: { credentialId: true },
  fields: (t) =>
    shownFields(t, {
      credential_id: uuid(TEXTS.credential_id, 'credentialId'),
      username: text(TEXTS.username, 'roleName'),
      label: text.orNull('Name that the owner gave the credential; null when it has no name.'),
      created_at: instant(TEXTS.created_at, 'createdAt'),
      expires_at: instant('When the credential expires. Open sessions end then.', 'expiresAt'),
      last_used_at: instant.orNull(
        'When a session was last seen, recorded at most once a minute. Sessions shorter than half a second may be missed. Null when no session was seen yet.',
        'lastUsedAt',
      ),
      created_by: t.string({
        description: MAKER_TEXT,
        select: { key: { select: { keyPrefix: true } } },
        resolve: ({ key }) => makerText(key),
      }),
      created_by_key_id: uuid.orNull(
        'UUID of the key that created it; null when an access token created it.',
        'keyId',
      ),
      disabled_reason: t.field({
        type: EndReasonType,
        nullable: true,
        description: 'Why the gateway ended it; null when the gateway did not end it.',
        select: { disabledReason: true },
        resolve: ({ disabledReason }) => disabledReason as CredentialEndReason | null, // by a constraint of the table
      }),
      is_active: t.boolean({
        description: 'False after the credential has expired or was revoked.',
        select: { expiresAt: true, revokedAt: true },
        resolve: (credential, _args, { now }) => isCredentialActive(credential, now),
      }),
    }),
})

const SqlCredentialsType = builder.objectRef<SqlCredentialCreated>('SqlCredentials').implement({
  description: 'A new PostgreSQL login to the star schema. Only this response contains the password.',
  fields: (t) =>
    shownFields(t, {
      credential_id: uuid(TEXTS.credential_id),
      username: text(TEXTS.username),
      password: text('32 letters and digits. The password is shown only once.'),
      host: text('Host of the PostgreSQL server.'),
      port: integer('Port of the PostgreSQL server.'),
      database: text('Database to connect to.'),
      schema: text('The only schema that the login can read: star_public.'),
      created_at: instant(TEXTS.created_at),
      expires_at: instant('When the credential expires. Open sessions end then.'),
      note: text('Says that the password cannot be read again, and the limits of the login.'),
    }),
})

mutationEndpoint('create_sql_credentials', {
  summary: 'Create SQL credentials',
  description:
    'Creates a read-only PostgreSQL login to the schema star_public; the password is shown only once. The login ends when the key that creates it ends; after a rotation it belongs to the new key. Limits: 5 s for a statement, 30 s for an idle transaction, 60 s for a transaction, 15 min for a session, 5 connections. A login whose sessions are ended three times within an hour is disabled. 409 when the account has 3 active credentials. 503 when this installation does not offer SQL credentials; the message says what its operator has to change.',
  access: SQL_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: '/v1/billing/sql-credentials', tag: 'sql', status: 201 },
  errors: ['forbidden', 'conflict', 'rate_limit_exceeded', 'service_unavailable'],
  type: SqlCredentialsType,
  args: (arg) => ({
    label: arg.string({
      description: 'Name of the credential (optional), at most 100 characters.',
      ...hints({ example: 'Power BI', maxLength: MAX_SQL_LABEL_LENGTH }),
    }),
    expires_in_days: arg.int({
      description:
        'Days until the credential expires. It cannot expire later than the key that creates it: 422 when the number leads beyond that. When omitted, the credential expires with the key at the latest.',
      ...hints({
        minimum: EXPIRY_DAYS.min,
        maximum: EXPIRY_DAYS.max,
        example: 30,
        defaultText: String(EXPIRY_DAYS.default),
      }),
    }),
  }),
  check: (args, { principal, now }) => parseSqlCredentialRequest(args, requireCaller(principal), now),
  resolve: (request, context) => createSqlCredential(context, request),
})

interface ListedCredentials extends Omit<Envelope<readonly SqlCredentialsItem[]>, '_meta'> {
  readonly _meta: null
}

type SqlCredentialsItem = typeof SqlCredentialsListItemType.$inferType

const SqlCredentialsListType = builder.objectRef<ListedCredentials>('SqlCredentialsList').implement({
  description: 'The SQL credentials of an account.',
  fields: (t) =>
    shownFields(t, {
      data: t.field({
        type: [SqlCredentialsListItemType],
        description: 'Active credentials first, then the newest.',
        resolve: ({ data }) => data as never,
      }),
      meta: shownAs(ApiMetaType)('What is known about the answer.'),
      _meta: shownAs(FreshnessType).orNull('Always null: credentials have no data age.'),
    }),
})

queryEndpoint('sql_credentials', {
  summary: 'List SQL credentials',
  keywords: ['database login', 'SQL access', 'Power BI', 'Tableau'],
  description:
    "The account's SQL credentials, active ones first, then the newest; at most 100. Passwords are never listed. A narrowed key sees only the credentials that it created. Credentials are listed for 90 days after they end.",
  access: SQL_SCOPE,
  cost: 'free',
  rest: {
    method: 'GET',
    path: '/v1/billing/sql-credentials',
    tag: 'sql',
    table: { rows: 'data', total: 'meta.total' },
  },
  type: SqlCredentialsListType,
  check: () => null,
  resolve: async (_, context, info): Promise<ListedCredentials> => {
    const selected = toPrismaSelect(context, info, { credentialId: true }, { path: ['data'] })
    const { credentials, total } = await listSqlCredentials(context, selected)
    const data_quality = credentials.length === 0 ? 'empty' : 'full'
    const meta = { ...EMPTY_META, data_quality, total, has_next: credentials.length < total } as const
    return { data: credentials as ListedCredentials['data'], meta, _meta: null } // the rest is resolved from the model
  },
})

mutationEndpoint('revoke_sql_credentials', {
  summary: 'Revoke SQL credentials',
  description:
    'Ends a login of the account and its open sessions within a second. A narrowed key can end only the logins that it created. Repeating the call changes nothing. Returns true.',
  access: SQL_SCOPE,
  cost: 'free',
  rest: { method: 'DELETE', path: '/v1/billing/sql-credentials/{credential_id}', tag: 'sql', status: 204 },
  errors: ['not_found', 'service_unavailable'],
  type: 'Boolean',
  args: (arg) => ({
    credential_id: arg.string({
      required: true,
      description: 'UUID of a credential of your account; 404 for any other UUID.',
      ...hints({ example: '3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b', maxLength: 36 }),
    }),
  }),
  check: ({ credential_id }) => parseCredentialId(credential_id),
  resolve: async (credentialId, context) => {
    await revokeSqlCredential(context, credentialId)
    return true
  },
})
