import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examine } from '../../../src/checks/examine.js'
import { systemClock } from '../../../src/core/time.js'
import {
  type AccountWithKey,
  addGrant,
  createAccountWithKey,
  createKeyFor,
  revokeAnyKey,
  setTier,
} from '../../../src/domains/access/operator.js'
import type { SqlCredentialCreated } from '../../../src/domains/access/sql-credentials/sql-credential-model.js'
import { GROUP_NAME, loadSqlRoles } from '../../../src/platform/database/sql-roles/sql-roles.js'
import type { Scope } from '../../../src/policy/scopes.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { availableDatabases } from '../../support/database/database.js'
import { connectAs, openSqlWorld, type SqlWorld } from '../../support/database/sql-world.js'

const PATH = '/v1/billing/sql-credentials'
const NOWHERE = '3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b'
const DAY_MS = 86_400_000
/** A role without a login, or none any more; on a server that asks for passwords it does not say which. */
const NOBODY_GETS_IN = /is not permitted to log in|does not exist|authentication failed/

interface Refusal {
  readonly error: string
  readonly message: string
  readonly required_scope?: string
  readonly retry_after?: number
  readonly details?: readonly { readonly field: string }[]
}
interface Listed {
  readonly data: readonly {
    readonly credential_id: string
    readonly username: string
    readonly label: string | null
    readonly created_at: string
    readonly expires_at: string | null
    readonly last_used_at: string | null
    readonly is_active: boolean
    readonly disabled_reason: string | null
    readonly created_by: string
    readonly created_by_key_id: string | null
  }[]
  readonly meta: { readonly total: number; readonly has_next: boolean; readonly data_quality: string }
  readonly _meta: null
}
type Created = SqlCredentialCreated & { readonly expires_at: string; readonly created_at: string } & Refusal

const create = (app: TestApp, key: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  app.rest<Created>(PATH, { key, method: 'POST', body, headers })
const list = (app: TestApp, key: string) => app.rest<Listed>(PATH, { key })
const revoke = (app: TestApp, key: string, id: string) =>
  app.rest<Refusal>(`${PATH}/${id}`, { key, method: 'DELETE' })
const newAccount = (app: TestApp, asked: Partial<AccountWithKey> = {}) =>
  createAccountWithKey(app.access, { tier: 'pro', label: 'first', ...asked })

describe('SQL credentials on the embedded database', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp('pglite', { world: 'empty' })
  })
  afterAll(() => app?.close())

  it('give a free 503 that says what they need, and lists are empty', async () => {
    const { raw_key: key } = await newAccount(app)
    const before = await app.rest<{ policies: unknown }>('/v1/usage', { key })
    const rest = await create(app, key)
    expect(rest.status).toBe(503)
    expect(rest.body.error).toBe('service_unavailable')
    expect(rest.body.message).toContain('starts it with DATABASE_URL, the address of a PostgreSQL server')
    const graphql = await app.graphql('mutation { create_sql_credentials { username } }', { key })
    expect(graphql.body.errors?.[0]?.message).toBe(rest.body.message)
    expect((await app.rest('/v1/usage', { key })).text).toBe(before.text)
    expect((await list(app, key)).body).toMatchObject({ data: [], meta: { total: 0, data_quality: 'empty' } })
    expect((await revoke(app, key, NOWHERE)).status).toBe(404)
    const stored = await app.database.rows('select 1 from sql_credential')
    expect(stored).toEqual([])
  })
})

const hasPostgres = availableDatabases().includes('postgres')

describe.skipIf(!hasPostgres)('SQL credentials without the right to create roles', () => {
  let world: SqlWorld
  beforeAll(async () => {
    world = await openSqlWorld('plain user')
  })
  afterAll(() => world?.close())

  it('give a 503 that points to doctor and names no role; nothing is created', async () => {
    const { raw_key: key } = await newAccount(world.app)
    const { status, body, text } = await create(world.app, key)
    expect(status).toBe(503)
    expect(body.message).toContain('The command doctor shows the operator which one.')
    expect(text).not.toContain(world.user)
    expect(world.app.logLines.join('')).toContain(`ALTER ROLE \\"${world.user}\\" CREATEROLE`)
    expect(await world.database.rows('select 1 from sql_credential')).toEqual([])
    expect((await list(world.app, key)).body.data).toEqual([])
    // Once it may, the same request works.
    await world.asSuperuser(`ALTER ROLE ${world.user} CREATEROLE`)
    expect((await create(world.app, key)).status).toBe(201)
  })
})

describe.skipIf(!hasPostgres)('SQL credentials while a login could do more than read', () => {
  let world: SqlWorld
  beforeAll(async () => {
    // Another setting of this server would limit the files of all its databases.
    world = await openSqlWorld('creator of roles', ['temporary-file-size'])
  })
  afterAll(() => world?.close())

  const OPEN = [
    ...['languages', 'large-objects', 'settings-and-notifications', 'row-counts', 'role-names'],
    'temporary-file-list',
  ]

  it('give a 503 that names each risk and the setting that accepts it; nothing is created', async () => {
    const { raw_key: key } = await newAccount(world.app)
    const { status, body } = await create(world.app, key)
    expect([status, body.error]).toEqual([503, 'service_unavailable'])
    expect(body.message).toContain(`(${OPEN.join(', ')})`)
    expect(body.message).toContain('The command doctor shows the operator the statements that prevent this')
    expect(body.message).toContain('SQL_ACCEPTED_RISKS')
    expect(world.app.logLines.join('')).toContain('REVOKE EXECUTE ON FUNCTION lo_creat(integer), ')
    expect(await world.database.rows('select 1 from sql_credential')).toEqual([])
    expect(await loadSqlRoles(world.database)).toEqual([])
    const groups = `select 1 from pg_roles where rolname = ${GROUP_NAME}`
    expect(await world.database.rows(groups)).toEqual([])
  })

  it('are created once the operator has run the statements of doctor, and refused again after a new grant', async () => {
    const { raw_key: key } = await newAccount(world.app)
    const findings = (await examine({ ...world.env, NODE_ENV: 'test' }, systemClock)).filter(
      ({ check }) => check === 'sql credentials',
    )
    expect(findings[0]).toMatchObject({
      message: `cannot be created while these risks are open: ${OPEN.join(', ')}`,
      advice: `run the statements of the lines below, or accept the risks: SQL_ACCEPTED_RISKS=${OPEN.join(',')}`,
    })
    for (const { advice } of findings.slice(1)) await world.asSuperuser(advice?.split('superuser: ')[1] ?? '')
    expect((await create(world.app, key)).status).toBe(201)
    await world.asSuperuser('GRANT SELECT ON account TO PUBLIC')
    const refused = await create(world.app, key)
    expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('(relations)')])
  })

  it('are created at once where the gateway’s user is a superuser', async () => {
    const other = await openSqlWorld('superuser', [])
    try {
      const { raw_key: key } = await newAccount(other.app)
      expect((await create(other.app, key)).status).toBe(201)
    } finally {
      await other.close()
    }
  })
})

describe.skipIf(!hasPostgres).each(['creator of roles', 'superuser'] as const)(
  'SQL credentials made by a %s',
  (kind) => {
    let world: SqlWorld
    let app: TestApp
    const passwords: string[] = []
    beforeAll(async () => {
      world = await openSqlWorld(kind)
      app = world.app
    })
    afterAll(() => world?.close())

    async function made(key: string, body: unknown = {}): Promise<Created> {
      const answer = await create(app, key, body)
      expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
      passwords.push(answer.body.password)
      return answer.body
    }

    it('log in to every view of the schema, and state host and port', async () => {
      const { raw_key: key } = await newAccount(app)
      const body = await made(key, { label: '  Power BI ' })
      const { hostname, port, pathname } = new URL(world.url)
      const now = app.clock.now().getTime()
      expect(body).toEqual({
        credential_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        username: expect.stringMatching(/^sql_[0-9a-f]{8}$/),
        password: expect.stringMatching(/^[0-9A-Za-z]{32}$/),
        host: hostname,
        port: Number(port || 5432),
        database: pathname.slice(1),
        schema: 'star_public',
        created_at: new Date(now).toISOString(),
        expires_at: new Date(now + 90 * DAY_MS).toISOString(),
        note: expect.stringContaining('cannot be read again'),
      })
      const session = await connectAs(body)
      const views = await session.run(
        `select table_name::text from information_schema.tables where table_schema = 'star_public'`,
      )
      expect(views.flat()).toContain('sql_world_asset')
      for (const [view] of views) expect(await session.refusal(`select * from ${view} limit 1`)).toBeNull()
      const settings = await session.run(
        `select current_setting('search_path'), current_setting('statement_timeout'),
           current_setting('idle_in_transaction_session_timeout'), current_setting('default_transaction_read_only')`,
      )
      expect(settings).toEqual([['star_public', '5s', '30s', 'on']])
      await session.close()
    })

    it('keep the label, and put no password or verifier in answers, tables, audit and logs', async () => {
      const { raw_key: key, account_id } = await newAccount(app)
      const { password, credential_id, username } = await made(key, { label: 'Tableau', expires_in_days: 1 })
      const listed = await list(app, key)
      expect(listed.body.data).toEqual([
        {
          credential_id,
          username,
          label: 'Tableau',
          created_at: expect.any(String),
          expires_at: new Date(app.clock.now().getTime() + DAY_MS).toISOString(),
          last_used_at: null,
          is_active: true,
          disabled_reason: null,
          created_by: key.slice(0, 16),
          created_by_key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ])
      expect(listed.body.meta).toMatchObject({ total: 1, has_next: false, data_quality: 'full' })
      expect(listed.body._meta).toBeNull()
      const stored = await world.database.rows<{ all: string }>(
        `select coalesce(string_agg(c::text, ''), '') || (select string_agg(a::text, '') from audit_event a) as all
         from sql_credential c`,
      )
      const written = [listed.text, JSON.stringify(stored), ...app.logLines].join('')
      for (const secret of [password, 'SCRAM-SHA-256']) expect(written).not.toContain(secret)
      const events = await world.database.rows<{ action: string; details: unknown }>(
        'select action, details from audit_event where account_id = $1 order by at, action',
        [account_id],
      )
      expect(events).toContainEqual({
        action: 'sql_credential_created',
        details: { credential_id, username },
      })
      const [role] = await world.asSuperuser(
        `select rolpassword ~ '^SCRAM-SHA-256\\$4096:', rolconnlimit, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
         from pg_authid where rolname = $1`,
        [username],
      )
      expect(role).toEqual([true, 5, false])
    })

    it('answer alike in GraphQL', async () => {
      const { raw_key: key } = await newAccount(app)
      const asked = await app.graphql<{ create_sql_credentials: Created }>(
        `mutation { create_sql_credentials(label: "dbt", expires_in_days: 7) {
           credential_id username password host port database schema created_at expires_at note } }`,
        { key },
      )
      expect(asked.body.errors).toBeUndefined()
      const credential = asked.body.data?.create_sql_credentials as Created
      const session = await connectAs(credential)
      expect(await session.run('select current_user::text')).toEqual([[credential.username]])
      await session.close()
      const query = `{ sql_credentials { data { credential_id username label created_at expires_at last_used_at is_active disabled_reason created_by created_by_key_id } meta { total } } }`
      const listed = await app.graphql<{ sql_credentials: Listed }>(query, { key })
      expect(listed.body.data?.sql_credentials.data).toEqual((await list(app, key)).body.data)
      const ended = await app.graphql<{ revoke_sql_credentials: boolean }>(
        `mutation { revoke_sql_credentials(credential_id: "${credential.credential_id}") }`,
        { key },
      )
      expect(ended.body.data?.revoke_sql_credentials).toBe(true)
      expect((await list(app, key)).body.data[0]?.is_active).toBe(false)
    })

    it('are limited to three active ones, even if ten requests race over two nodes', async () => {
      const { raw_key: key } = await newAccount(app)
      const other = await world.newNode()
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) => create(at % 2 === 0 ? app : other, key)),
      )
      // They take turns, and none waits longer than a statement may: on a busy machine some are asked to come again.
      for (const [at, { status }] of answers.entries()) {
        if (status === 503) answers[at] = await create(app, key)
      }
      expect(answers.map(({ status }) => status).toSorted()).toEqual([
        201, 201, 201, 409, 409, 409, 409, 409, 409, 409,
      ])
      const refused = answers.find(({ status }) => status === 409)
      expect(refused?.body.message).toBe('An account has at most 3 active SQL credentials; revoke one first.')
      const names = (await list(other, key)).body.data.map(({ username }) => username)
      expect(names).toHaveLength(3)
      const roles = await world.asSuperuser('select rolname::text from pg_roles where rolname = any($1)', [
        names,
      ])
      expect(roles.flat().toSorted()).toEqual(names.toSorted())
      const [first] = (await list(app, key)).body.data
      expect((await revoke(other, key, first?.credential_id ?? '')).status).toBe(204)
      expect((await create(app, key)).status).toBe(201)
    })

    it.each([
      ['a label of 101 characters', { label: 'x'.repeat(101) }, 'label'],
      ['a label with a control character', { label: 'a\u0007b' }, 'label'],
      ['no days', { expires_in_days: 0 }, 'expires_in_days'],
      ['more than a year', { expires_in_days: 366 }, 'expires_in_days'],
      ['an unknown member', { username: 'postgres' }, 'username'],
      ['a password of the caller', { password: 'hunter2' }, 'password'],
    ])('refuse %s with 422', async (_, body, field) => {
      const { raw_key: key } = await newAccount(app)
      const answer = await create(app, key, body)
      expect([answer.status, answer.body.details?.map((detail) => detail.field)]).toEqual([422, [field]])
    })

    it('treat hostile labels as text', async () => {
      const { raw_key: key } = await newAccount(app)
      const label = `'; drop role postgres; -- "\\`
      await made(key, { label })
      expect((await list(app, key)).body.data[0]?.label).toBe(label)
    })

    it('need the scope, of the key and of the account', async () => {
      const { raw_key: growth } = await newAccount(app, { tier: 'growth' })
      const { raw_key: narrow } = await newAccount(app, { scopes: ['ai:read'] })
      const { raw_key: wide } = await newAccount(app, { scopes: ['star:read'] })
      for (const key of [growth, narrow]) {
        for (const answer of [await create(app, key), await list(app, key), await revoke(app, key, NOWHERE)])
          expect([answer.status, (answer.body as Refusal).required_scope]).toEqual([403, 'star:read'])
      }
      expect((await create(app, wide)).status).toBe(201)
      expect((await app.rest(PATH)).status).toBe(401)
    })

    describe('SQL credentials read only the views that REST allows the key', () => {
      const VIEWS = {
        fact_onchain_advanced: 'onchain-advanced',
        fact_asset_fundamentals: 'asset-fundamentals',
        fact_onchain_core: 'onchain-core',
        dim_asset: null,
      } as const

      /** By view: whether a login of the key reads it. */
      async function readableBy(credential: SqlCredentialCreated) {
        const session = await connectAs(credential)
        const readable: string[] = []
        for (const view of Object.keys(VIEWS)) {
          const refusal = await session.refusal(`select * from ${view} limit 1`)
          expect(refusal).toBeOneOf([null, '42501'])
          if (refusal === null) readable.push(view)
        }
        await session.close()
        return readable
      }
      async function servedTo(key: string) {
        const served: string[] = []
        for (const [view, fact] of Object.entries(VIEWS)) {
          const path = fact === null ? '/v1/star/dim/assets' : `/v1/star/fact/${fact}`
          if ((await app.rest(path, { key })).status !== 403) served.push(view)
        }
        return served
      }

      it.each<[scopes: readonly Scope[], views: readonly string[]]>([
        [['star:read'], ['fact_onchain_core', 'dim_asset']],
        [
          ['star:read', 'onchain:read'],
          ['fact_onchain_advanced', 'fact_onchain_core', 'dim_asset'],
        ],
        [['star:read', 'onchain:read', 'fundamentals:read'], Object.keys(VIEWS)],
      ])('if the key is narrowed to %s', async (scopes, views) => {
        const { raw_key } = await newAccount(app, { scopes })
        expect(await servedTo(raw_key)).toEqual(views)
        expect(await readableBy(await made(raw_key))).toEqual(views)
      })

      it('within a second of a change of its account', async () => {
        const guard = await world.startGuard()
        try {
          const account = await newAccount(app)
          const credential = await made(account.raw_key)
          expect(await readableBy(credential)).toEqual(Object.keys(VIEWS))
          await addGrant(app.access, account.account_id, 'star:read')
          await setTier(app.access, account.account_id, 'starter')
          await expect.poll(() => readableBy(credential)).toEqual(['fact_onchain_core', 'dim_asset'])
          await setTier(app.access, account.account_id, 'pro')
          await expect.poll(() => readableBy(credential)).toEqual(Object.keys(VIEWS))
        } finally {
          await guard.stop()
        }
      })

      it('even if an earlier version allowed every login all views', async () => {
        const narrow = await made((await newAccount(app, { scopes: ['star:read'] })).raw_key)
        const whole = await made((await newAccount(app)).raw_key)
        const [group] = await world.database.rows<{ name: string }>(`select ${GROUP_NAME} as name`)
        await world.database.script(`grant select on all tables in schema star_public to ${group?.name};
          revoke select on star_public.fact_onchain_advanced, star_public.fact_asset_fundamentals from ${whole.username}`)
        expect(await readableBy(narrow)).toEqual(Object.keys(VIEWS))
        const guard = await world.startGuard()
        try {
          await guard.migrated()
          expect(await readableBy(narrow)).toEqual(['fact_onchain_core', 'dim_asset'])
          await expect.poll(() => readableBy(whole)).toEqual(Object.keys(VIEWS))
        } finally {
          await guard.stop()
        }
      })
    })

    it('expire no later than the key that creates them', async () => {
      const { raw_key: key } = await newAccount(app)
      const end = new Date(app.clock.now().getTime() + 10 * DAY_MS).toISOString()
      const short = await app.rest<{ raw_key: string }>('/auth/keys', {
        key,
        method: 'POST',
        body: { label: 'short', expires_at: end },
      })
      expect((await made(short.body.raw_key)).expires_at).toBe(end)
      const beyond = await create(app, short.body.raw_key, { expires_in_days: 11 })
      expect([beyond.status, beyond.body.details?.[0]?.field]).toEqual([422, 'expires_in_days'])
    })

    const newKey = async (key: string, body: object) =>
      (
        await app.rest<{ raw_key: string; key_id: string }>('/auth/keys', {
          key,
          method: 'POST',
          body: { label: 'second', ...body },
        })
      ).body

    it('are visible to a narrowed key only if it created them', async () => {
      const { raw_key: key, account_id } = await newAccount(app)
      const token = await app.access.tokens.sign(account_id, app.clock.now())
      const headers = { authorization: `Bearer ${token}` }
      const byLogin = await app.rest<Created>(PATH, { method: 'POST', body: {}, headers })
      expect(byLogin.status).toBe(201)
      const narrow = await newKey(key, { scopes: ['star:read'] })
      const own = await made(narrow.raw_key)
      const seen = await list(app, narrow.raw_key)
      expect(seen.body.data.map(({ credential_id }) => credential_id)).toEqual([own.credential_id])
      expect(seen.body.meta.total).toBe(1)
      expect((await revoke(app, narrow.raw_key, byLogin.body.credential_id)).status).toBe(404)
      const all = (await list(app, key)).body.data
      expect(
        new Map(all.map((each) => [each.credential_id, [each.created_by, each.created_by_key_id]])),
      ).toEqual(
        new Map([
          [byLogin.body.credential_id, ['login', null]],
          [own.credential_id, [narrow.raw_key.slice(0, 16), narrow.key_id]],
        ]),
      )
      expect(all.every(({ is_active }) => is_active)).toBe(true)
      expect((await revoke(app, narrow.raw_key, own.credential_id)).status).toBe(204)
      expect((await revoke(app, key, byLogin.body.credential_id)).status).toBe(204)
    })

    it('cost a unit, and nothing in a dry run, which creates nothing', async () => {
      const { raw_key: key } = await newAccount(app)
      const dry = await create(app, key, {}, { 'X-Dry-Run': 'cost' })
      expect(dry.status).toBe(200)
      expect((await list(app, key)).body.data).toEqual([])
      const remaining = (answer: { headers: Headers }) => Number(answer.headers.get('x-ratelimit-remaining'))
      const before = remaining(await list(app, key))
      expect(remaining(await create(app, key))).toBe(before - 1)
      expect(remaining(await list(app, key))).toBe(before - 1)
    })

    it('are throttled to 30 per hour and account', async () => {
      const { raw_key: key } = await newAccount(app)
      const statuses: number[] = []
      for (let at = 0; at < 31; at += 1) {
        const answer = await create(app, key)
        statuses.push(answer.status)
        if (answer.status === 201) await revoke(app, key, answer.body.credential_id)
      }
      expect(statuses.slice(0, 30).every((status) => status === 201)).toBe(true)
      expect(statuses[30]).toBe(429)
    })

    it('give 404 if they belong to another account, are unknown or malformed', async () => {
      const { raw_key: key } = await newAccount(app)
      const { raw_key: stranger } = await newAccount(app)
      const { credential_id } = await made(key)
      for (const id of [NOWHERE, 'sql_00000000', credential_id])
        expect((await revoke(app, stranger, id)).status).toBe(404)
      expect((await list(app, key)).body.data[0]?.is_active).toBe(true)
    })

    describe('SQL credentials end with their open sessions within a second', () => {
      const ENDS_MS = 1_000

      async function opened() {
        const account = await newAccount(app, { email: `${crypto.randomUUID()}@example.org` })
        const credential = await made(account.raw_key)
        const session = await connectAs(credential)
        await session.run('begin')
        return { account, credential, session }
      }
      const loginOf = (credential: SqlCredentialCreated) =>
        connectAs(credential).then(
          async (session) => {
            await session.close()
            return 'let in'
          },
          (error: Error) => error.message,
        )

      it('after revocation; repeating it changes nothing, and nobody can log in', async () => {
        const { account, credential, session } = await opened()
        const ended = session.endsWithin(ENDS_MS)
        expect((await revoke(app, account.raw_key, credential.credential_id)).status).toBe(204)
        await ended
        expect(await loginOf(credential)).toMatch(NOBODY_GETS_IN)
        expect((await revoke(app, account.raw_key, credential.credential_id)).status).toBe(204)
        const [listed] = (await list(app, account.raw_key)).body.data
        expect(listed).toMatchObject({ credential_id: credential.credential_id, is_active: false })
      })

      it('after the key that created them is revoked by its owner or an operator; others stay', async () => {
        const { account, credential, session } = await opened()
        const second = await createKeyFor(app.access, account.account_id, { label: 'second' })
        const third = await createKeyFor(app.access, account.account_id, { label: 'third' })
        const [other, last] = [await made(second.raw_key), await made(third.raw_key)]
        const ended = session.endsWithin(ENDS_MS)
        const path = `/auth/keys/${account.key_id}`
        expect((await app.rest(path, { key: second.raw_key, method: 'DELETE' })).status).toBe(204)
        await ended
        expect(await loginOf(credential)).toMatch(NOBODY_GETS_IN)
        expect(await loginOf(other)).toBe('let in')
        await revokeAnyKey(app.access, third.key_id)
        expect(await loginOf(last)).toMatch(NOBODY_GETS_IN)
        expect(await loginOf(other)).toBe('let in')
        const events = await world.database.rows<{ details: { credential_id: string }; key_id: string }>(
          `select details, key_id from audit_event where account_id = $1 and action = 'sql_credential_revoked'`,
          [account.account_id],
        )
        expect(new Map(events.map(({ details, key_id }) => [key_id, details.credential_id]))).toEqual(
          new Map([
            [account.key_id, credential.credential_id],
            [third.key_id, last.credential_id],
          ]),
        )
      })

      it('only with the successor of a rotated key that created them', async () => {
        const { account, credential, session } = await opened()
        const path = `/auth/keys/${account.key_id}/rotate`
        const { body: next } = await app.rest<{ raw_key: string; key_id: string }>(path, {
          key: account.raw_key,
          method: 'POST',
          body: {},
        })
        expect(await loginOf(credential)).toBe('let in')
        const [listed] = (await list(app, next.raw_key)).body.data
        expect(listed).toMatchObject({ is_active: true, created_by_key_id: next.key_id })
        const ended = session.endsWithin(ENDS_MS)
        const own = { key: next.raw_key, method: 'DELETE' } as const
        expect((await app.rest(`/auth/keys/${next.key_id}`, own)).status).toBe(204)
        await ended
        expect(await loginOf(credential)).toMatch(NOBODY_GETS_IN)
      })

      it('after the tier falls below pro', async () => {
        const { account, credential, session } = await opened()
        const ended = session.endsWithin(ENDS_MS)
        await setTier(app.access, account.account_id, 'growth')
        await ended
        expect(await loginOf(credential)).toMatch(NOBODY_GETS_IN)
        await setTier(app.access, account.account_id, 'pro')
        app.access.forget(account.account_id, [])
        expect(await loginOf(credential)).toMatch(NOBODY_GETS_IN)
      })

      it('after the account is deleted, with their labels', async () => {
        const { account, credential, session } = await opened()
        const token = await app.access.tokens.sign(account.account_id, app.clock.now())
        const ended = session.endsWithin(ENDS_MS)
        const headers = { authorization: `Bearer ${token}` }
        expect((await app.rest('/auth/me', { method: 'DELETE', headers })).status).toBe(204)
        await ended
        expect(await loginOf(credential)).toMatch(NOBODY_GETS_IN)
        const rows = await world.database.rows(
          'select label, revoked_at is not null as "isRevoked" from sql_credential where account_id = $1',
          [account.account_id],
        )
        expect(rows).toEqual([{ label: null, isRevoked: true }])
      })
    })

    it('are created completely or not at all if the process loses the database', async () => {
      const { raw_key: key, account_id } = await newAccount(app)
      // Of this database alone: other tests use the server too.
      const namesOf = async () => (await loadSqlRoles(world.database)).map(({ name }) => name).toSorted()
      const before = await namesOf()
      const blocker = new pg.Client({ connectionString: world.url })
      await blocker.connect()
      // The role is made, the audit waits.
      await blocker.query('begin; lock table audit_event')
      const answer = create(app, key)
      const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while ((await world.asSuperuser(waiting)).length === 0) await sleep(5)
      await world.asSuperuser(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect((await answer).status).toBe(503)
      await blocker.query('rollback')
      await blocker.end()
      const added = (await namesOf()).filter((name) => !before.includes(name))
      expect(added).toEqual([])
      const rows = await world.database.rows('select 1 from sql_credential where account_id = $1', [
        account_id,
      ])
      expect(rows).toEqual([])
      expect((await create(app, key)).status).toBe(201)
    })

    it('leave no readable password', async () => {
      expect(new Set(passwords).size).toBe(passwords.length)
      for (const password of passwords) expect(app.logLines.join('')).not.toContain(password)
    })
  },
)
