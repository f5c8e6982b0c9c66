import { requireCaller } from '../../../policy/decide.js'
import { ApiMetaType, EMPTY_META } from '../../../schema-kit/api-meta.js'
import { builder } from '../../../schema-kit/builder.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import { type Envelope, FreshnessType } from '../../../schema-kit/envelope.js'
import { hints, mutationEndpoint, queryEndpoint } from '../../../schema-kit/fields.js'
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
  created_at: 'When it was made.',
}

const MAKER_TEXT = 'Who made it: the prefix of a key, or login for an access token. Revoking the key ends it.'

const EndReasonType = describedEnum('SqlCredentialsDisabledReason', 'Why the gateway has ended a login.', {
  access_lost: 'The key that made it was revoked, or the account may not have SQL credentials any more.',
  limits: 'Its sessions were ended three times within an hour for what goes beyond its limits.',
})

const SqlCredentialsListItemType = builder.prismaObject('SqlCredential', {
  variant: 'SqlCredentialsListItem',
  description: 'A login to the star schema over a PostgreSQL connection, without its password.',
  select: { credentialId: true },
  fields: (t) => ({
    credential_id: t.expose('credentialId', { type: 'UUID', description: TEXTS.credential_id }),
    username: t.exposeString('roleName', { description: TEXTS.username }),
    label: t.exposeString('label', {
      nullable: true,
      description: 'Name that its owner gave it; null: none.',
    }),
    created_at: t.expose('createdAt', { type: 'DateTime', description: TEXTS.created_at }),
    expires_at: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'From then on nobody can log in by it, and open sessions end.',
    }),
    last_used_at: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Last time that a session of it was seen, noted at most once a minute; one that lasts less than half a second may be missed. Null: none was seen yet.',
    }),
    created_by: t.string({
      description: MAKER_TEXT,
      select: { key: { select: { keyPrefix: true } } },
      resolve: ({ key }) => makerText(key),
    }),
    created_by_key_id: t.expose('keyId', {
      type: 'UUID',
      nullable: true,
      description: 'UUID of that key; null: it was made with an access token.',
    }),
    disabled_reason: t.field({
      type: EndReasonType,
      nullable: true,
      description: 'Why the gateway has ended it; null: it has not.',
      select: { disabledReason: true },
      resolve: ({ disabledReason }) => disabledReason as CredentialEndReason | null, // by a constraint of the table
    }),
    is_active: t.boolean({
      description: 'False once it has expired or was revoked.',
      select: { expiresAt: true, revokedAt: true },
      resolve: (credential, _args, { now }) => isCredentialActive(credential, now),
    }),
  }),
})

const SqlCredentialsType = builder.objectRef<SqlCredentialCreated>('SqlCredentials').implement({
  description: 'A new login to the star schema, with its password for the only time.',
  fields: (t) => ({
    credential_id: t.expose('credential_id', { type: 'UUID', description: TEXTS.credential_id }),
    username: t.exposeString('username', { description: TEXTS.username }),
    password: t.exposeString('password', {
      description: '32 letters and digits. It is shown this once.',
    }),
    host: t.exposeString('host', { description: 'Host of the PostgreSQL server.' }),
    port: t.exposeInt('port', { description: 'Port of the PostgreSQL server.' }),
    database: t.exposeString('database', { description: 'Database to connect to.' }),
    schema: t.exposeString('schema', { description: 'The one schema it reads: star_public.' }),
    created_at: t.expose('created_at', { type: 'DateTime', description: TEXTS.created_at }),
    expires_at: t.expose('expires_at', {
      type: 'DateTime',
      description: 'From then on nobody can log in by it, and open sessions end.',
    }),
    note: t.exposeString('note', {
      description: 'Says that the password cannot be read again, and the limits of the login.',
    }),
  }),
})

mutationEndpoint('create_sql_credentials', {
  summary: 'Create SQL credentials',
  description:
    'A login of its own to the schema star_public over a PostgreSQL connection, read-only; the password is shown this once. It ends with the key that makes it; a rotated key hands it to the new one. Limits: 5 s for a statement, 30 s for an idle transaction, 60 s for a transaction, 15 min for a session, 5 connections; a login whose sessions are ended three times within an hour is disabled. 409 at 3 active ones. 503 where the gateway runs on the embedded database, or its database user may not make roles; the message says how to have it.',
  access: SQL_SCOPE,
  cost: 'metered',
  rest: { method: 'POST', path: '/v1/billing/sql-credentials', tag: 'sql', status: 201 },
  errors: ['forbidden', 'conflict', 'rate_limit_exceeded', 'service_unavailable'],
  type: SqlCredentialsType,
  args: (arg) => ({
    label: arg.string({
      description: 'Name of the credential, at most 100 characters; left out or empty: none.',
      ...hints({ example: 'Power BI', maxLength: MAX_SQL_LABEL_LENGTH }),
    }),
    expires_in_days: arg.int({
      description:
        'Days until it ends. It does not outlive the key that makes it: 422 where a number is given that would, else it ends with the key.',
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
  fields: (t) => ({
    data: t.field({
      type: [SqlCredentialsListItemType],
      description: 'Those that work first, then the newest.',
      resolve: ({ data }) => data as never,
    }),
    meta: t.expose('meta', { type: ApiMetaType, description: 'What is known about the answer.' }),
    _meta: t.expose('_meta', {
      type: FreshnessType,
      nullable: true,
      description: 'Always null: credentials are no data that age.',
    }),
  }),
})

queryEndpoint('sql_credentials', {
  summary: 'List SQL credentials',
  description:
    "The account's SQL credentials, those that work first, then the newest; at most 100, never a password. A narrowed key sees only its own. They are listed for 90 days after their end.",
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
    const selected = toPrismaSelect(context, info, { credentialId: true }, ['data'])
    const { credentials, total } = await listSqlCredentials(context, selected)
    const data_quality = credentials.length === 0 ? 'empty' : 'full'
    const meta = { ...EMPTY_META, data_quality, total, has_next: credentials.length < total } as const
    return { data: credentials as ListedCredentials['data'], meta, _meta: null } // the rest is resolved from the model
  },
})

mutationEndpoint('revoke_sql_credentials', {
  summary: 'Revoke SQL credentials',
  description:
    'Ends a login of the account and its open sessions, within a second; a narrowed key ends only its own. Doing it again changes nothing. True when done.',
  access: SQL_SCOPE,
  cost: 'free',
  rest: { method: 'DELETE', path: '/v1/billing/sql-credentials/{credential_id}', tag: 'sql', status: 204 },
  errors: ['not_found', 'service_unavailable'],
  type: 'Boolean',
  args: (arg) => ({
    credential_id: arg.string({
      required: true,
      description: 'UUID of a credential of the account; 404 for any other.',
      ...hints({ example: '3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b', maxLength: 36 }),
    }),
  }),
  check: ({ credential_id }) => parseCredentialId(credential_id),
  resolve: async (credentialId, context) => {
    await revokeSqlCredential(context, credentialId)
    return true
  },
})
