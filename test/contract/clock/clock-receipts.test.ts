import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.js'
import { createAccountWithKey, setContract } from '../../../src/domains/access/operator.js'
import type { OpenApi } from '../../fuzz/openapi.js'
import { send } from '../../fuzz/send.js'
import { parityRoutes } from '../../parity/routes.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { amountOf, randomOf } from '../../support/figures.js'
import { addLaterFacts } from './later-facts.js'
import { createQuestions } from './questions.js'

const { privateKey } = generateKeyPairSync('ed25519')
const SIGNING_KEY = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))

const OBSERVED = { as_of: SEEDED_AT.toISOString(), basis: 'observed' }
const PUBLISHED = { as_of: '2026-09-01T12:00:00.000Z', basis: 'published' }

const SEED = 60
const QUESTIONS = amountOf('CLOCK_RECEIPTS', 400)
const BY: ReadonlySet<string> = new Set(['rest', 'graphql', 'aliases', 'persisted', 'get'])

interface Check {
  readonly is_valid: boolean
  readonly receipt: {
    readonly instant: string
    readonly clock: typeof OBSERVED | null
    readonly data_versions: string | null
  } | null
  readonly rerun: {
    readonly status: string
    readonly reason: string | null
    readonly differences: readonly string[]
  }
}

/** An answer as it came, with its receipt. */
interface Kept {
  readonly answer: string
  readonly receipt: string
}

let app: TestApp
let key: string
let observed: string
let published: string
beforeAll(async () => {
  const env = { SIGNING_KEY, BURST_PER_MINUTE: '10000000' }
  app = await startTestApp(quickestDatabase(), { env })
  app.clock.advance(3 * DAY_MS)
  const account = await createAccountWithKey(app.access, { tier: 'enterprise', label: 'maker' })
  await setContract(app.access, account.account_id, { hour: 100_000_000, month: 1_000_000_000 })
  key = account.raw_key
  observed = await create(OBSERVED)
  published = await create(PUBLISHED)
})
afterAll(() => app?.close())

async function create(clock: object): Promise<string> {
  const body = { label: 'past', clock }
  return (await app.rest<{ raw_key: string }>('/auth/keys', { method: 'POST', key, body })).body.raw_key
}

const RECEIPT = { prefer: 'receipt' }

async function keep(path: string, options: CallOptions): Promise<Kept> {
  const { status, text, headers } = await app.rest(path, { headers: RECEIPT, ...options })
  expect([path, status]).toEqual([path, 200])
  return { answer: text, receipt: headers.get('x-receipt') ?? '' }
}

const verify = async (kept: Kept, by = key) =>
  app.rest<Check>('/v1/receipts/verify', { method: 'POST', key: by, body: kept })

/** The answers to random questions of the key that have a receipt, by question. */
async function keepMany(by: string): Promise<ReadonlyMap<string, Kept>> {
  const { body } = await app.rest<OpenApi>('/openapi-full.json')
  const documents = new Map(parityRoutes(body).map(({ name, document }) => [name, document]))
  const draw = await createQuestions(app.database, documents)
  const random = randomOf(SEED)
  const kept = new Map<string, Kept>()
  for (let at = 0; at < QUESTIONS; at += 1) {
    const { by: interfaceName, request } = draw(random)
    if (!BY.has(interfaceName) || request.method === 'HEAD') continue
    const headers = { accept: 'application/json', ...request.headers, ...RECEIPT, 'x-api-key': by }
    const { text, headers: received } = await send(app.url, { ...request, headers })
    const receipt = received['x-receipt']
    if (typeof receipt === 'string')
      kept.set(`${request.method} ${request.path} ${request.body}`, { answer: text, receipt })
  }
  return kept
}

describe('receipts of a key with a clock', () => {
  it('state the clock and no version of the data', async () => {
    for (const [by, clock] of [
      [observed, OBSERVED],
      [published, PUBLISHED],
    ] as const) {
      const { body } = await verify(await keep('/v1/forex?quote=USD', { key: by }))
      expect(body).toMatchObject({
        is_valid: true,
        receipt: { instant: app.clock.now().toISOString(), clock, data_versions: null },
        rerun: { status: 'same' },
      })
    }
    const plain = await verify(await keep('/v1/forex?quote=USD', { key }))
    expect(plain.body.receipt).toMatchObject({ clock: null, data_versions: expect.stringContaining('forex') })
  })

  it('are signed: another clock is found', async () => {
    const { answer, receipt } = await keep('/v1/forex?quote=USD', { key: observed })
    const [head = '', payload = '', signature = ''] = receipt.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    for (const clock of [null, PUBLISHED, { ...OBSERVED, as_of: app.clock.now().toISOString() }]) {
      const other = Buffer.from(JSON.stringify({ ...claims, clock })).toString('base64url')
      const { body } = await verify({ answer, receipt: [head, other, signature].join('.') })
      expect([body.is_valid, body.rerun.status]).toEqual([false, 'not_run'])
    }
  })

  it('are given to tools, and not for what failed, was changed or is not of the data', async () => {
    const params = {
      name: 'run',
      arguments: { operation: 'forex', arguments: { quote: 'USD' }, receipt: true },
    }
    const answer = await app.rest<{ result: { structuredContent: Kept } }>('/mcp', {
      method: 'POST',
      key: observed,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    })
    const { body } = await verify(answer.body.result.structuredContent)
    expect(body).toMatchObject({ is_valid: true, receipt: { clock: OBSERVED }, rerun: { status: 'same' } })
    const partly = '{ forex(quote: "USD") { data { rate } } asset(id: "bitcoin") { data { name } } }'
    const others: readonly (readonly [string, CallOptions])[] = [
      ['/v1/assets/bitcoin', {}],
      ['/v1/forex?quote=XXX', {}],
      ['/v1/forex.csv?quote=USD', {}],
      ['/v1/releases', {}],
      ['/v1/forex?quote=USD', { headers: { ...RECEIPT, 'x-dry-run': 'cost' } }],
      ['/graphql', { method: 'POST', body: { query: partly } }],
    ]
    for (const [path, options] of others) {
      const { headers } = await app.rest(path, { key: observed, headers: RECEIPT, ...options })
      expect([path, headers.get('x-receipt')]).toEqual([path, null])
    }
  })

  it('are verified by a key without a clock only, since the check runs a request of another instant', async () => {
    const kept = await keep('/v1/forex?quote=USD', { key: observed })
    const refused = await verify(kept, observed)
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('as of an instant')])
  })

  it('by publication differ once older data are loaded', async () => {
    const kept = await keep('/v1/forex?quote=USD&from=1999-02-01&to=1999-02-28', { key: published })
    expect((await verify(kept)).body.rerun.status).toBe('same')
    await app.database.rows(
      `insert into forex_rate (quote, date, rate, known_from, source) values ('USD', '1999-02-02', 1.1337, $1, 'seed')`,
      [app.clock.now()],
    )
    const { body } = await verify(kept)
    expect([body.is_valid, body.rerun]).toMatchObject([
      true,
      { status: 'different', differences: expect.arrayContaining(['rows', 'data.0']) },
    ])
  })

  it('of random answers give the same answers again after later revisions', {
    timeout: 600_000,
  }, async () => {
    const kept = await keepMany(observed)
    expect(kept.size).toBeGreaterThan(QUESTIONS / 6)
    await addLaterFacts(app.database, new Date(SEEDED_AT.getTime() + DAY_MS))
    app.clock.advance(DAY_MS)
    const others: unknown[] = []
    for (const [question, each] of kept) {
      const { body } = await verify(each)
      expect([question, body.is_valid, body.receipt?.clock]).toEqual([question, true, OBSERVED])
      if (body.rerun.status !== 'same') others.push([question, body.rerun])
    }
    expect(others).toEqual([])
  })
})
