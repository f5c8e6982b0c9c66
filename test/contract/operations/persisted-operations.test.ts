import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sha256Hex } from '../../../src/core/canonical-json.js'
import type { Database } from '../../../src/platform/database/database.js'
import {
  type Answer,
  type CallOptions,
  type GraphQLAnswer,
  startTestApp,
  type TestApp,
} from '../../support/app/app.js'
import { wasKept } from '../../support/app/kept-answers.js'
import { remainingOf } from '../../support/app/limit-headers.js'
import { availableRedis, openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const redisUrl = availableRedis()

/** A text that no other test has sent. */
const newText = (selection = 'forex(quote: "USD") { rows }') =>
  `query Q${randomUUID().replaceAll('-', '')} { ${selection} }`

const byHash = (text: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: sha256Hex(text) } },
})

type Body = GraphQLAnswer<Record<string, { readonly rows: number } | null>>

const post = (app: TestApp, key: string | null, body: object, call: CallOptions = {}) =>
  app.rest<Body>('/graphql', { method: 'POST', key, body, ...call })

const get = (app: TestApp, key: string | null, parameters: object, call: CallOptions = {}) => {
  const search = Object.entries(parameters).map(
    ([name, value]) =>
      `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
  )
  return app.rest<Body>(`/graphql?${search.join('&')}`, { key, ...call })
}

const outcomeOf = ({ status, body }: Answer<Body>) => [
  status,
  body.errors?.[0]?.message ?? null,
  body.errors?.[0]?.extensions.code ?? null,
]
const NOT_FOUND = [404, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND']

describe('a persisted operation', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
  })
  afterAll(() => app?.close())

  it.each([
    ['POST', post],
    ['GET', get],
  ] as const)('is not found, sent with its text, then found by %s', async (_method, send) => {
    const key = await app.newKey({ tier: 'pro' })
    const text = newText()
    expect(outcomeOf(await send(app, key, byHash(text)))).toEqual(NOT_FOUND)
    const first = await send(app, key, { query: text, ...byHash(text) })
    const second = await send(app, key, byHash(text))
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.data).toEqual(first.body.data)
    expect(second.body.data?.forex?.rows).toBeGreaterThan(0)
  })

  it('is found by GET after it was sent by POST, by other accounts too', async () => {
    const text = newText()
    await post(app, await app.newKey({ tier: 'pro' }), { query: text, ...byHash(text) })
    expect((await get(app, await app.newKey({ tier: 'starter' }), byHash(text))).status).toBe(200)
  })

  it('has the answer, price, access, entity tag and cache of its text', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const text = newText('forex(quote: "SEK") { rows } assets(limit: 2) { data { ticker } }')
    await post(app, key, { query: text, ...byHash(text) })
    const left = remainingOf(await get(app, key, { query: text }))
    const made = await get(app, key, byHash(text))
    expect([wasKept(app, made), remainingOf(made)]).toEqual([false, left - 2])
    expect(made.body.extensions?.cost?.charged).toBe(2)
    const hit = await get(app, key, byHash(text))
    expect([wasKept(app, hit), hit.body.data]).toEqual([true, made.body.data])
    expect(remainingOf(hit)).toBe(left - 4)
    const tag = hit.headers.get('etag') ?? ''
    const again = await get(app, key, byHash(text), { headers: { 'if-none-match': tag } })
    expect([again.status, remainingOf(again)]).toEqual([304, left - 4])
  })

  it('is refused to callers who may not run it', async () => {
    const text = newText('ai_analysis_latest(asset_id: "bitcoin") { snapshot_id }')
    await post(app, await app.newKey({ tier: 'pro' }), { query: text, ...byHash(text) })
    expect(outcomeOf(await get(app, await app.newKey({ tier: 'free' }), byHash(text)))[2]).toBe('FORBIDDEN')
    expect(outcomeOf(await get(app, null, byHash(text)))[2]).toBe('UNAUTHORIZED')
  })

  it('accepts variables and an operation name', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const text = `query A${randomUUID().slice(0, 8)} { __typename } query B($q: String!) { forex(quote: $q) { quote } }`
    const asked = { operationName: 'B', variables: { q: 'JPY' }, ...byHash(text) }
    await post(app, key, { query: text, ...asked })
    expect((await get(app, key, asked)).body.data).toEqual({ forex: { quote: 'JPY' } })
  })

  it('that changes something is not run by GET', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const text = `mutation M${randomUUID().slice(0, 8)} { create_api_key(label: "persisted") { key_id } }`
    expect((await post(app, key, { query: text, ...byHash(text) })).status).toBe(200)
    expect((await get(app, key, byHash(text))).status).toBe(405)
    expect((await post(app, key, byHash(text))).body.data?.create_api_key).toBeTruthy()
  })

  it('that is not found is free, and is a 200 for clients that accept application/json only', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const answer = await post(app, key, byHash(newText()))
    expect([answer.status, remainingOf(answer)]).toEqual([404, 13_889])
    const old = await post(app, key, byHash(newText()), { headers: { accept: 'application/json' } })
    expect([old.status, old.body.errors?.[0]?.message]).toEqual([200, 'PersistedQueryNotFound'])
  })

  it('with another hash is a 400 that states the right hash, and is not stored', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const [text, other] = [newText(), newText()]
    expect(outcomeOf(await post(app, key, { query: text, ...byHash(other) }))).toEqual([
      400,
      `extensions.persistedQuery.sha256Hash is not the SHA-256 of query, which is ${sha256Hex(text)}.`,
      'BAD_REQUEST',
    ])
    expect(outcomeOf(await post(app, key, byHash(text)))).toEqual(NOT_FOUND)
    expect(outcomeOf(await post(app, key, byHash(other)))).toEqual(NOT_FOUND)
  })

  it.each([
    ['no syntax', `{ forex( ${randomUUID()}`],
    ['an unknown field', `{ f_${randomUUID().replaceAll('-', '')} }`],
    ['too many tokens', `{ ${'forex(quote: "USD") { rows } '.repeat(20)} a: ${'b '.repeat(2_000)} }`],
    [
      'too many aliases',
      `{ ${Array.from({ length: 31 }, (_, n) => `a${n}: ai_methodology { disclaimer }`).join(' ')} }`,
    ],
  ])('that does not validate is not stored: %s', async (_what, text) => {
    const key = await app.newKey({ tier: 'pro' })
    expect((await post(app, key, { query: text, ...byHash(text) })).status).toBe(400)
    expect(outcomeOf(await post(app, key, byHash(text)))).toEqual(NOT_FOUND)
  })

  it('that is too long for callers without a key is not stored, and refused by its hash too', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const text = `${newText('ai_methodology { disclaimer }')} # ${'x'.repeat(9_000)}`
    expect((await post(app, null, { query: text, ...byHash(text) })).status).toBe(413)
    expect(outcomeOf(await post(app, key, byHash(text)))).toEqual(NOT_FOUND)
    expect((await post(app, key, { query: text, ...byHash(text) })).status).toBe(200)
    expect((await post(app, key, byHash(text))).status).toBe(200)
    expect((await post(app, null, byHash(text))).status).toBe(413)
  })

  it('that is longer than the cache allows is run but not stored', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const text = `${newText()} # ${'x'.repeat(33_000)}`
    expect((await post(app, key, { query: text, ...byHash(text) })).status).toBe(200)
    expect(outcomeOf(await post(app, key, byHash(text)))).toEqual(NOT_FOUND)
  })

  it.each([
    ['a text', 'abc'],
    ['a list', []],
    ['another version', { version: 2, sha256Hash: sha256Hex('a') }],
    ['no hash', { version: 1 }],
    ['a short hash', { version: 1, sha256Hash: 'abc' }],
    ['an upper-case hash', { version: 1, sha256Hash: sha256Hex('a').toUpperCase() }],
  ])('with an invalid hash is a 400 that explains the format: %s', async (_what, persistedQuery) => {
    const key = await app.newKey({ tier: 'pro' })
    const [status, message] = outcomeOf(await post(app, key, { extensions: { persistedQuery } }))
    expect(status).toBe(400)
    expect(message).toMatch(/^extensions\.persistedQuery must be \{"version": 1, "sha256Hash": …\}/)
  })
})

describe.skipIf(redisUrl === null)('operations persisted by nodes that share one Redis', () => {
  let database: Database
  let nodes: readonly TestApp[]
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
    const env = { REDIS_URL: redisUrl ?? '' }
    nodes = [
      await startTestApp(quickestDatabase(), { database, env }),
      await startTestApp(quickestDatabase(), { database, env }),
    ]
  })
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close()
    await database?.close()
  })

  it('are found by every node', async () => {
    const [here, there] = nodes
    if (!here || !there) throw new Error('two nodes were started')
    const key = await here.newKey({ tier: 'pro' })
    await vi.waitFor(
      async () => {
        const text = newText()
        expect((await post(here, key, { query: text, ...byHash(text) })).status).toBe(200)
        const answer = await get(there, key, byHash(text))
        expect([answer.status, answer.body.data?.forex?.rows]).toEqual([200, expect.any(Number)])
      },
      { timeout: 10_000 },
    )
  })
})
