import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import { makeApiKey } from '../../../src/platform/secrets/api-key-format.js'
import type { AccessRule } from '../../../src/policy/decide.js'
import { quotasOf } from '../../../src/policy/limits.js'
import { type Scope, scopesOfTier } from '../../../src/policy/scopes.js'
import { TIERS, type Tier } from '../../../src/policy/tiers.js'
import { graphSchema } from '../../../src/schema.js'
import { exampleReleases } from '../../domains/releases/example-release.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import {
  type Arguments,
  argumentsWithoutExample,
  callGraphql,
  callRest,
  exampleArguments,
  graphqlOutcome,
  type Outcome,
  type RootField,
  restOutcome,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { storeWebhook } from '../../support/app/webhook-world.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Row {
  readonly tier: Tier
  readonly grants: readonly Scope[]
}

const ROWS: readonly Row[] = [
  ...TIERS.map((tier) => ({ tier, grants: [] })),
  { tier: 'enterprise', grants: ['admin'] },
]

const CREDENTIALS = [
  'good key',
  'no key',
  'key with a wrong checksum',
  'unknown key',
  'expired key',
  'revoked key',
  'key narrowed to nothing',
  'token',
] as const
type Credential = (typeof CREDENTIALS)[number]

/** No account is behind these: what is answered to them is the same in each row, so that it is asked for once. */
const OF_NOBODY: ReadonlySet<Credential> = new Set(['no key', 'unknown key'])

interface Account {
  readonly account_id: string
  readonly key_id: string
  readonly raw_key: string
}

let app: TestApp
let releases: Awaited<ReturnType<typeof exampleReleases>>
beforeAll(async () => {
  releases = await exampleReleases()
  // Each call comes from an address of its own: the guards of addresses have tests of their own.
  app = await startTestApp(quickestDatabase(), { env: { TRUST_PROXY: 'true', ...releases.env } })
})
afterAll(async () => {
  await app?.close()
  await releases?.remove()
})

const PASSWORD = 'correct horse battery'

/** Arguments that the schema has no example for that answers here; everything else calls by the hints of its arguments. */
const EXAMPLES: Readonly<Record<string, (account: Account) => Arguments | Promise<Arguments>>> = {
  release: () => releases.named,
  register: () => ({ email: `${randomUUID()}@example.org`, password: PASSWORD }),
  login: async () => {
    const [email, registered] = [`${randomUUID()}@example.org`, await registeredEmail()]
    // Hashing the password for each account would take most of the time.
    await app.database.rows(
      `insert into account (account_id, email, password_hash, tier, grants, created_at)
       select $1::uuid, $2, password_hash, tier, grants, created_at from account where email = $3`,
      [randomUUID(), email, registered],
    )
    return { email, password: PASSWORD }
  },
  api_key: ({ key_id }) => ({ key_id }),
  webhook: async ({ account_id }) => ({ webhook_id: await storeWebhook(app.database, account_id) }),
  webhook_events: async ({ account_id }) => ({ webhook_id: await storeWebhook(app.database, account_id) }),
  update_webhook: () => ({ webhook_id: randomUUID(), state: 'paused' }),
  replay_webhook: () => ({ webhook_id: randomUUID(), from: 'dead_letters' }),
  ai_analysis_snapshot: async () => {
    const [newest] = await app.database.rows<{ id: string }>(
      'select snapshot_id as id from analysis_snapshot order by generated_at desc limit 1',
    )
    return { snapshot_id: newest?.id ?? null }
  },
}

let registering: Promise<string> | null = null

/** The e-mail of an account that was registered with the password. */
function registeredEmail(): Promise<string> {
  const register = async () => {
    const body = { email: `${randomUUID()}@example.org`, password: PASSWORD }
    expect((await app.rest('/auth/register', { method: 'POST', body, headers: address() })).status).toBe(201)
    return body.email
  }
  registering ??= register()
  return registering
}

/** Making a key costs a unit: the expired, the revoked and the narrowed one. */
const KEYS_MADE = 3

let calls = 0

function address(): Record<string, string> {
  calls += 1
  return { 'x-forwarded-for': `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}` }
}

/** `scopes` narrow its key. */
function openAccount({ tier, grants }: Row, scopes?: readonly Scope[]): Promise<Account> {
  return createAccountWithKey(app.access, { tier, grants, label: 'matrix', ...(scopes && { scopes }) })
}

/** The first account of each kind, which nobody asks with. */
const models = new Map<string, Promise<Account>>()

/** As `openAccount`, whose transaction takes several times as long: a copy of what it wrote, with a key of its own. */
async function copyAccount(row: Row, scopes?: readonly Scope[]): Promise<Account> {
  const kind = JSON.stringify([row, scopes])
  const model = models.get(kind) ?? openAccount(row, scopes)
  models.set(kind, model)
  const { rawKey, digest, keyPrefix } = app.access.newKey()
  const copy = { account_id: randomUUID(), key_id: randomUUID(), raw_key: rawKey }
  await app.database.rows(
    `with copied as (
       insert into account (account_id, tier, grants, created_at)
       select $1::uuid, tier, grants, created_at from account where account_id = $2::uuid)
     insert into api_key (key_id, account_id, digest, key_prefix, label, scopes, is_narrowed, created_at)
     select $3::uuid, $1::uuid, $4::bytea, $5, label, scopes, is_narrowed, created_at from api_key
     where account_id = $2::uuid`,
    [copy.account_id, (await model).account_id, copy.key_id, digest, keyPrefix],
  )
  return copy
}

async function anotherKey(account: Account, asked: object): Promise<Account> {
  const { status, body } = await app.rest<Account>('/auth/keys', {
    key: account.raw_key,
    method: 'POST',
    headers: address(),
    body: { label: 'other', ...asked },
  })
  expect(status).toBe(201)
  return body
}

async function headersOf(credential: Credential, account: Account): Promise<Record<string, string>> {
  switch (credential) {
    case 'good key':
      return { 'x-api-key': account.raw_key }
    case 'no key':
      return {}
    case 'key with a wrong checksum':
      return { 'x-api-key': account.raw_key.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }
    case 'unknown key':
      return { 'x-api-key': makeApiKey('test', randomBytes) }
    case 'expired key': {
      const end = new Date(app.clock.now().getTime() + 1_000)
      const { raw_key } = await anotherKey(account, { expires_at: end.toISOString() })
      app.clock.advance(1_000)
      return { 'x-api-key': raw_key }
    }
    case 'revoked key': {
      const { raw_key, key_id } = await anotherKey(account, {})
      const ask = { key: raw_key, method: 'DELETE', headers: address() }
      expect((await app.rest(`/auth/keys/${key_id}`, ask)).status).toBe(204)
      return { 'x-api-key': raw_key }
    }
    case 'key narrowed to nothing':
      return { 'x-api-key': (await anotherKey(account, { scopes: [] })).raw_key }
    case 'token':
      return { authorization: `Bearer ${await app.access.tokens.sign(account.account_id, app.clock.now())}` }
  }
}

/** What the policy says of a cell. */
function expectedOf(rule: AccessRule, credential: Credential, { tier, grants }: Row): string {
  // What is open to everybody is open to who shows a credential that does not hold.
  if (rule === 'open') return 'allowed'
  const holds: ReadonlySet<Scope> | null =
    credential === 'good key' || credential === 'token'
      ? new Set([...scopesOfTier(tier), ...grants])
      : credential === 'key narrowed to nothing'
        ? new Set<Scope>()
        : null
  if (holds === null) return '401 unauthorized'
  if (rule === 'caller' || rule === 'account') return 'allowed'
  if (rule === 'token') return credential === 'token' ? 'allowed' : '403 forbidden upgrade'
  return holds.has(rule) ? 'allowed' : `403 forbidden ${rule} upgrade`
}

/** Let in by its rule, and then refused since the embedded database has it not; it has tests of its own on PostgreSQL. */
const POSTGRES_ALONE: ReadonlySet<string> = new Set(['create_sql_credentials'])

/** A success is allowed; so is a change that was let in and then found nothing to change, or no PostgreSQL. */
function verdictOf({ name, operation }: RootField, outcome: Outcome): string {
  const { status, error, requiredScope, hasUpgrade } = outcome
  if (status === 503 && POSTGRES_ALONE.has(name)) return 'allowed'
  if (status < 400 || (operation === 'mutation' && (status === 404 || status === 409))) return 'allowed'
  return [status, error, requiredScope, hasUpgrade ? 'upgrade' : null]
    .filter((part) => part !== null)
    .join(' ')
}

/** An account whose keys are there already, and how many more units its hour has. */
interface Prepared {
  readonly account: Account
  readonly headers: ReadonlyMap<Credential, Record<string, string>>
  left: number
}

const prepared = new Map<Row, Prepared>()

/**
 * A unit for each credential that is let in, over both transports; what is refused costs none, and changes have accounts
 * of their own.
 */
function unitsOf(root: RootField, row: Row): number {
  if (isChange(root)) return 0
  return 2 * CREDENTIALS.filter((one) => expectedOf(root.endpoint.access, one, row) === 'allowed').length
}

/** Whether a call changes the account of its caller, or ends it. */
function isChange({ operation, endpoint }: RootField): boolean {
  return operation === 'mutation' && endpoint.access !== 'open'
}

/** One account serves a row for as many root fields as its hour pays for. */
async function prepare(row: Row, units: number): Promise<Prepared> {
  const known = prepared.get(row)
  if (known !== undefined && known.left >= units) return known
  const account = await openAccount(row)
  const headers = new Map<Credential, Record<string, string>>()
  for (const credential of CREDENTIALS) headers.set(credential, await headersOf(credential, account))
  const ready = { account, headers, left: quotasOf(row.tier, null).hour - KEYS_MADE }
  prepared.set(row, ready)
  return ready
}

/** What both transports answer to an unknown credential, by root field and credential. */
const toNobody = new Map<string, Promise<Record<string, string>>>()

/** Asks with all credentials at a time, so that what is counted and read for them is put together. */
async function askBothTransports(root: RootField, row: Row): Promise<Record<string, string>> {
  const units = unitsOf(root, row)
  const ready = await prepare(row, units)
  ready.left -= units
  const verdicts = CREDENTIALS.map((credential) => {
    const ask = () => askAs(credential, { root, row, ready })
    const question = `${root.name}: ${credential}`
    const known = OF_NOBODY.has(credential) ? (toNobody.get(question) ?? ask()) : ask()
    if (OF_NOBODY.has(credential)) toNobody.set(question, known)
    return known
  })
  return Object.assign({}, ...(await Promise.all(verdicts)))
}

/** Credentials of an account that nobody else has. */
async function ownHeaders(credential: Credential, row: Row): Promise<Record<string, string>> {
  if (credential !== 'key narrowed to nothing') return headersOf(credential, await copyAccount(row))
  return { 'x-api-key': (await copyAccount(row, [])).raw_key }
}

async function askAs(
  credential: Credential,
  { root, row, ready }: { readonly root: RootField; readonly row: Row; readonly ready: Prepared },
): Promise<Record<string, string>> {
  const { rest } = root.endpoint
  const verdicts: Record<string, string> = {}
  // Of one's own each time: logins to one account are throttled.
  const args = exampleArguments(root, (await EXAMPLES[root.name]?.(ready.account)) ?? {})
  const isLetIn = expectedOf(root.endpoint.access, credential, row) === 'allowed'
  // A call that changes its account, or ends it, has one to itself.
  const ask = async () => {
    const isAlone = isChange(root) && isLetIn
    const own = isAlone ? await ownHeaders(credential, row) : ready.headers.get(credential)
    return { headers: { ...own, ...address() } }
  }
  const atRest = async () => {
    if (rest === null) return
    const answer = await callRest(app, root, rest, args, await ask())
    verdicts[`${credential}: REST`] = verdictOf(root, restOutcome(answer))
  }
  const atGraphql = async () => {
    const answer = await callGraphql(app, root, args, await ask())
    verdicts[`${credential}: GraphQL`] = verdictOf(root, graphqlOutcome(answer))
  }
  await Promise.all([atRest(), atGraphql()])
  return verdicts
}

function expectedCells({ endpoint }: RootField, row: Row): Record<string, string> {
  const transports = endpoint.rest === null ? ['GraphQL'] : ['REST', 'GraphQL']
  return Object.fromEntries(
    CREDENTIALS.flatMap((credential) =>
      transports.map((transport) => {
        return [`${credential}: ${transport}`, expectedOf(endpoint.access, credential, row)]
      }),
    ),
  )
}

const roots = rootFields()

describe('the access matrix', () => {
  it('has a call for every root field, and none for a removed field', async () => {
    const account = await openAccount({ tier: 'free', grants: [] })
    const missing = await Promise.all(
      roots.map(async (root) => {
        const given = (await EXAMPLES[root.name]?.(account)) ?? {}
        return argumentsWithoutExample(root, given).map((name) => `${root.name}(${name})`)
      }),
    )
    expect(missing.flat(), 'give the argument a hint, or this test an example').toEqual([])
    expect(Object.keys(EXAMPLES).filter((name) => roots.every((root) => root.name !== name))).toEqual([])
    // Streams are opened, refused and charged in the tests of their domains.
    const streams = Object.keys(graphSchema.getSubscriptionType()?.getFields() ?? {})
    expect(streams.toSorted()).toEqual(['ai_analysis_changes', 'forex', 'ohlcv'])
  })

  it('has a separate route for every root field with a route', () => {
    const routes = roots.flatMap(({ endpoint: { rest } }) => (rest ? [`${rest.method} ${rest.path}`] : []))
    expect(new Set(routes).size).toBe(routes.length)
    expect(routes.length).toBeGreaterThanOrEqual(14)
  })

  describe.each(roots)('$operation $name', (root) => {
    it.each(ROWS)(
      'allows or refuses each credential over both transports: tier $tier, granted $grants',
      async (row) => {
        expect(await askBothTransports(root, row)).toEqual(expectedCells(root, row))
      },
    )
  })
})
