import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DATASETS } from '../../../src/domains/datasets/registry-model.js'
import type { Usage } from '../../../src/domains/usage/model.js'
import { type Answer, type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { commitVersion, lastingHeaders, SEEN_AFTER_MS } from '../../support/app/kept-answers.js'
import { remainingOf, windowsOf } from '../../support/app/limit-headers.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const inUrl = (query: string) => `/graphql?query=${encodeURIComponent(query)}`

/** [path, the datasets it is made from]. */
const QUESTIONS: readonly (readonly [string, readonly string[]])[] = [
  ['/v1/assets?limit=2', ['instruments', 'candles', 'supply']],
  ['/v1/assets/bitcoin/ohlcv?limit=5', ['instruments', 'candles']],
  ['/v1/forex?quote=USD', ['forex']],
  ['/v1/assets/bitcoin/ai-analysis/latest', ['instruments', 'analysis']],
  [
    inUrl('{ forex(quote: "JPY") { rows } asset_ai(id: "bitcoin") { data { summary } } }'),
    ['instruments', 'forex', 'analysis'],
  ],
  [inUrl('{ assets(limit: 1) { data { ohlcv(limit: 1) { rows } } } }'), ['instruments', 'candles', 'supply']],
]

/** Datasets of the seed that had two vintages before. */
const REVISED: readonly string[] = ['candles', 'forex']

const etagOf = ({ headers }: Answer) => headers.get('etag') ?? ''

describe.each([quickestDatabase()])('an answer that its client still has, on %s', (kind) => {
  let app: TestApp
  /** Another node on the same database, which was never asked anything, and one that keeps nothing. */
  let node: TestApp
  let keepless: TestApp
  beforeAll(async () => {
    const database = await openTestDatabase(kind, 'seeded')
    app = await startTestApp(kind, { database })
    const { clock } = app
    node = await startTestApp(kind, { database, clock })
    keepless = await startTestApp(kind, { database, clock, env: { CACHE_BYTES: '0' } })
  })
  afterAll(async () => {
    await Promise.all([app, node, keepless].map((one) => one?.close()))
    await app?.database.close()
  })

  const ask = (at: TestApp, key: string, path: string, tags?: string, call: CallOptions = {}) =>
    at.rest(path, {
      ...call,
      key,
      headers: { ...call.headers, ...(tags === undefined ? {} : { 'if-none-match': tags }) },
    })

  it.each(QUESTIONS)('is not sent again and is free: %s', async (path, reads) => {
    const key = await app.newKey({ tier: 'pro' })
    const made = await ask(app, key, path)
    expect([made.status, made.headers.get('x-data-version')]).toEqual([
      200,
      DATASETS.filter((name) => reads.includes(name))
        .map((name) => `${name}=${REVISED.includes(name) ? 3 : 1}`)
        .join(', '),
    ])
    for (const at of [app, node, keepless]) {
      const before = await at.rest('/v1/usage', { key })
      const answer = await ask(at, key, path, etagOf(made))
      expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([304, '', null])
      expect(windowsOf(answer)).toEqual(windowsOf(before))
    }
    const { body } = await app.rest<Usage>('/v1/usage', { key })
    expect(body.policies[0]).toMatchObject({ policy: 'hour', used: 13_889 - remainingOf(made) })
    expect(body.days.every(({ requests }) => requests === 1)).toBe(true)
  })

  it('has the lifetime headers of a 200', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const headers = { origin: 'https://app.example' }
    const made = await ask(app, key, '/v1/forex?quote=CHF', undefined, { headers })
    const lifeHeaders = [
      'etag',
      'cache-control',
      'vary',
      'access-control-allow-origin',
      'access-control-expose-headers',
    ]
    for (const at of [app, node, keepless]) {
      const answer = await ask(at, key, '/v1/forex?quote=CHF', etagOf(made), { headers })
      expect(answer.status).toBe(304)
      const both = [made, answer].map((one) => lifeHeaders.map((name) => [name, one.headers.get(name)]))
      expect(both[1]).toEqual(both[0])
    }
  })

  it('is the same on every node', async () => {
    const key = await app.newKey({ tier: 'pro' })
    for (const [path] of QUESTIONS) {
      const [one, other, third] = [
        await ask(app, key, path),
        await ask(node, key, path),
        await ask(keepless, key, path),
      ]
      expect(lastingHeaders(other)).toEqual(lastingHeaders(one))
      expect(lastingHeaders(third)).toEqual(lastingHeaders(one))
    }
  })

  it('is found in a list of tags, and by HEAD', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const tag = etagOf(await ask(app, key, '/v1/forex?quote=GBP'))
    expect(tag).toMatch(/^W\/"/)
    for (const at of [app, node, keepless]) {
      for (const tags of [`"other", ${tag}`, `${tag},W/"x"`, `W/"a, b", ${tag}`]) {
        const answer = await ask(at, key, '/v1/forex?quote=GBP', tags)
        expect([tags, answer.status, etagOf(answer)]).toEqual([tags, 304, tag])
      }
      const head = await ask(at, key, '/v1/forex?quote=GBP', tag, { method: 'HEAD' })
      expect([head.status, head.text]).toEqual([304, ''])
      expect((await ask(at, key, '/v1/forex?quote=GBP', 'W/"other"')).status).toBe(200)
    }
  })

  it('is sent for another request, another format or other scopes', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const lesser = await app.newKey({ tier: 'free' })
    const tag = etagOf(await ask(app, key, '/v1/assets/bitcoin/ai'))
    for (const at of [app, node, keepless]) {
      const answers = [
        await ask(at, key, '/v1/assets/ethereum/ai', tag),
        await ask(at, key, '/v1/assets/bitcoin/ai', tag, { headers: { accept: 'application/json' } }),
        await ask(at, lesser, '/v1/assets/bitcoin/ai', tag),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(new Set([tag, ...answers.map(etagOf)]).size).toBe(4)
    }
  })

  it('is not confirmed without credentials, in a dry run or for a POST operation', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const tag = etagOf(await ask(app, key, '/v1/forex?quote=HUF'))
    for (const at of [app, keepless]) {
      expect((await at.rest('/v1/forex?quote=HUF', { headers: { 'if-none-match': tag } })).status).toBe(401)
      const dry = await ask(at, key, '/v1/forex?quote=HUF', tag, { headers: { 'x-dry-run': 'cost' } })
      expect(dry.body).toMatchObject({ cost: { charged: 0, price: 1 } })
      const operation = { method: 'POST', body: { query: '{ forex(quote: "HUF") { rows } }' } }
      const answer = await ask(at, key, '/graphql', tag, operation)
      expect([answer.status, answer.headers.get('etag')]).toEqual([200, null])
    }
  })

  it('is sent again only after a commit to its own datasets', async () => {
    const key = await app.newKey({ tier: 'pro' })
    for (const dataset of DATASETS) {
      const held = await Promise.all(QUESTIONS.map(async ([path]) => etagOf(await ask(app, key, path))))
      await commitVersion(app.database, dataset)
      app.clock.advance(SEEN_AFTER_MS)
      for (const [index, [path, reads]] of QUESTIONS.entries()) {
        const tag = held[index] ?? ''
        const answers = await Promise.all([app, node, keepless].map((at) => ask(at, key, path, tag)))
        const status = reads.includes(dataset) ? 200 : 304
        expect([dataset, path, answers.map((answer) => answer.status)]).toEqual([
          dataset,
          path,
          [status, status, status],
        ])
        const tags = new Set(answers.map(etagOf))
        expect([tags.size, tags.has(tag)]).toEqual([1, status === 304])
      }
    }
  })
})

describe('the burst guard of cached answers', () => {
  const LIMIT = 6
  const MINUTE_MS = 60_000
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { env: { BURST_PER_MINUTE: String(LIMIT) } })
  })
  afterAll(() => app?.close())

  it('limits free answers, and no paid ones', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const ask = (tags?: string) =>
      app.rest('/v1/forex?quote=USD', { key, headers: tags === undefined ? {} : { 'if-none-match': tags } })
    const paid = []
    for (let call = 0; call < 3 * LIMIT; call++) paid.push(await ask())
    expect(new Set(paid.map(({ status }) => status))).toEqual(new Set([200]))
    const tag = etagOf(paid[0] as Answer) // the first of many
    const free: number[] = []
    for (let call = 0; call < LIMIT + 2; call++) free.push((await ask(tag)).status)
    expect(free).toEqual([...Array.from({ length: LIMIT }, () => 304), 429, 429])
    app.clock.advance(MINUTE_MS)
    expect([(await ask(tag)).status, (await ask()).status]).toEqual([304, 200])
  })

  it('runs before the key look-up, so that it bounds guessing of keys', async () => {
    app.clock.advance(MINUTE_MS)
    // Each is well-formed, so that it can only be known by asking the database.
    const guesses = await Promise.all(Array.from({ length: 3 * LIMIT }, () => app.newKey({ tier: 'free' })))
    await app.database.rows('delete from api_key where label = $1', ['test'])
    const statuses: number[] = []
    for (const key of guesses.slice(0, LIMIT)) statuses.push((await app.rest('/v1/assets', { key })).status)
    expect(statuses).toEqual(Array.from({ length: LIMIT }, () => 401))
    const before = app.database.statementCount()
    for (const key of guesses.slice(LIMIT)) {
      const answer = await app.rest('/v1/assets', { key })
      expect(answer.status).toBe(429)
    }
    // What the process writes in the background is counted as well.
    expect(app.database.statementCount() - before).toBeLessThan(LIMIT)
  })
})
