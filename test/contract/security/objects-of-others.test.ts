import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import { TIERS } from '../../../src/policy/tiers.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import {
  callGraphql,
  callRest,
  graphqlOutcome,
  restOutcome,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { storeWebhook } from '../../support/app/webhook-world.js'
import { availableDatabases } from '../../support/database/database.js'
import { openSqlWorld } from '../../support/database/sql-world.js'

/** OWASP API1 and API5: what belongs to an account, asked for by another of each tier, an administrator too. */

let app: TestApp
let owner: Awaited<ReturnType<typeof createAccountWithKey>>
let credentialId: string
let close = async () => {}
beforeAll(async () => {
  app = await openApp()
  owner = await createAccountWithKey(app.access, { tier: 'enterprise', label: 'owner' })
  if (hasSqlLogins) credentialId = await createSqlCredential()
  await storeWebhook(app.database, owner.account_id, OWNED_WEBHOOK)
})
afterAll(() => close())

/** The embedded database has none. */
const hasSqlLogins = availableDatabases().includes('postgres')
const SQL_CREDENTIALS = '/v1/billing/sql-credentials'

async function openApp(): Promise<TestApp> {
  if (!hasSqlLogins) {
    const embedded = await startTestApp('pglite')
    close = () => embedded.close()
    return embedded
  }
  const world = await openSqlWorld('creator of roles')
  close = () => world.close()
  return world.app
}

async function createSqlCredential(): Promise<string> {
  const { status, body } = await app.rest<{ readonly credential_id: string }>(SQL_CREDENTIALS, {
    key: owner.raw_key,
    method: 'POST',
    body: { label: 'owner' },
  })
  expect(status).toBe(201)
  return body.credential_id
}

/** Arguments by which an object of an account is named, and the value for one that belongs to another account. */
const OBJECTS: Readonly<Record<string, () => string>> = {
  key_id: () => owner.key_id,
  credential_id: () => credentialId,
  webhook_id: () => OWNED_WEBHOOK,
}

/** A webhook of the owner. */
const OWNED_WEBHOOK = '00000000-0000-4000-8000-000000000002'

/** What a change needs beside the object. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  advance_api_key: { clock: { as_of: '2026-11-20T00:00:00Z' } },
  update_webhook: { state: 'paused' },
  replay_webhook: { from: 'dead_letters' },
}

/** Ids of what everybody may read: data of the market, not of an account. */
const PUBLIC_IDS = [
  'id',
  'asset_id',
  'snapshot_id',
  'instrument_id',
  'chain_id',
  'entity_id',
  'event_id',
  'source_id',
  'series_id',
  'issue_id',
  'asset_ids',
  'release_id',
]

/** Ids of `nodes`. test/contract/operations/nodes.test.ts shows that each one of another account is null. */
const IDS_OF_ANY_TYPE = 'ids'

const roots = rootFields()
const ofAccounts = roots.filter(({ field }) => field.args.some(({ name }) => OBJECTS[name] !== undefined))
const tried = ofAccounts.filter(({ name }) => hasSqlLogins || !name.includes('sql_credential'))
const CALLERS = [
  ...TIERS.map((tier) => ({ tier, grants: [] as const })),
  { tier: 'enterprise' as const, grants: ['admin'] as const },
]

it('every argument that names an object is classified as belonging to an account or to everybody', () => {
  const named = roots
    .flatMap(({ field }) => field.args.map(({ name }) => name))
    .filter((name) => /(^|_)ids?$/.test(name))
  expect(named.length).toBeGreaterThan(5)
  const known = [...PUBLIC_IDS, ...Object.keys(OBJECTS), IDS_OF_ANY_TYPE]
  const unknown = named.filter((name) => !known.includes(name))
  expect([...new Set(unknown)]).toEqual([])
  expect(ofAccounts.length).toBeGreaterThanOrEqual(2)
})

describe.each(tried)('$operation $name of another account', (root) => {
  it.each(CALLERS)(
    'is not there for tier $tier, granted $grants, at both transports',
    async ({ tier, grants }) => {
      const { raw_key } = await createAccountWithKey(app.access, { tier, grants, label: 'stranger' })
      const named = root.field.args.flatMap(({ name }) => (OBJECTS[name] ? [[name, OBJECTS[name]()]] : []))
      const args = { ...Object.fromEntries(named), ...BESIDE[root.name] }
      const { rest } = root.endpoint
      const outcomes = [
        ...(rest ? [restOutcome(await callRest(app, root, rest, args, { key: raw_key }))] : []),
        graphqlOutcome(await callGraphql(app, root, args, { key: raw_key })),
      ]
      // Where the tier may not ask at all that is said first; else the object is not found, whether or not it exists.
      for (const { status } of outcomes) expect([403, 404]).toContain(status)
      await expectNothingLost()
    },
  )
})

/** The owner's key works, its webhook is active, and its login to the database exists. */
async function expectNothingLost(): Promise<void> {
  const { status, body } = await app.rest<{ readonly data: readonly object[] }>(SQL_CREDENTIALS, {
    key: owner.raw_key,
  })
  expect(status).toBe(200)
  const logins = hasSqlLogins ? [{ credential_id: credentialId, is_active: true }] : []
  expect(body.data).toMatchObject(logins)
  const where = { webhookId: OWNED_WEBHOOK, state: 'active' }
  expect(await app.database.prisma.webhook.count({ where })).toBe(1)
}
