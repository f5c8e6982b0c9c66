import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { plainBody, wasKept } from '../../support/app/kept-answers.js'
import { quickestDatabase } from '../../support/database/database.js'

const post = (query: string): CallOptions => ({ method: 'POST', body: { query } })
const inUrl = (query: string) => `/graphql?query=${encodeURIComponent(query)}`
const NEWER_TYPE = { accept: 'application/graphql-response+json' }

/** [what, path, call, status]: asked with a key of the free tier. */
const REFUSALS: readonly (readonly [string, string, CallOptions, number])[] = [
  ['a scope that is not held', '/v1/assets/bitcoin/ai-analysis/latest', {}, 403],
  ['a history that is not open', '/v1/assets/bitcoin/ohlcv?from=2020-01-01', {}, 403],
  ['an asset that is not there', '/v1/assets/nothing', {}, 404],
  ['a route that is not there', '/v1/asets', {}, 404],
  ['bad input', '/v1/assets?limit=0', {}, 422],
  ['an unknown currency', '/v1/forex?quote=XXX', {}, 422],
  ['a path that is malformed', '/v1/assets/%E0%A4%A', {}, 400],
  [
    'an operation that fails',
    '/graphql',
    { ...post('{ asset(id: "nothing") { data { name } } }'), headers: NEWER_TYPE },
    404,
  ],
  ['an operation that is none', inUrl('{ assets { nothing } }'), { headers: NEWER_TYPE }, 400],
]

/** Answers with errors or with a member under another name; asked with a key of the starter tier. */
const OPERATIONS: readonly (readonly [string, string])[] = [
  [
    'a field that fails',
    '{ assets(limit: 1) { meta { cache_hit } } asset(id: "nothing") { data { name } } }',
  ],
  [
    'an edge that is refused',
    '{ assets(limit: 1, asset_class: etf) { data { etf { isin } } meta { cache_hit } } }',
  ],
  ['whether it was kept by another name', '{ assets(limit: 1) { meta { hit: cache_hit } } }'],
  ['its age by another name', '{ forex(quote: "USD") { _meta { age: data_freshness_seconds } } }'],
  [
    'something else by the name of its age',
    '{ ohlcv(id: "bitcoin") { data { data_freshness_seconds: rows } } }',
  ],
  [
    'its age by another name in a fragment',
    '{ forex(quote: "USD") { ...F } } fragment F on ForexResult { _meta { age: data_freshness_seconds } }',
  ],
  ['what belongs to the caller', '{ usage { tier } }'],
  ['what belongs to the caller beside data', '{ assets(limit: 1) { meta { cache_hit } } usage { tier } }'],
  ['what is asked of others', '{ discover(ticker: "AAPL") { figi } }'],
  ['the schema', '{ __schema { queryType { name } } }'],
  ['the schema beside data', '{ __schema { queryType { name } } assets(limit: 1) { meta { cache_hit } } }'],
  ['nothing', '{ __typename }'],
]

describe.each([quickestDatabase()])('an answer that is never cached on %s', (kind) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(kind)
  })
  afterAll(() => app?.close())

  /** Headers that only an answer that may be kept has. */
  const namesOfKept = ({ headers }: Answer) => ['etag', 'x-data-version'].filter((name) => headers.has(name))

  it.each(REFUSALS)('refuses %s', async (_what, path, call, status) => {
    const key = await app.newKey({ tier: 'free' })
    const answers = [await app.rest(path, { ...call, key }), await app.rest(path, { ...call, key })]
    expect(answers.map((answer) => [answer.status, wasKept(app, answer), namesOfKept(answer)])).toEqual([
      [status, false, []],
      [status, false, []],
    ])
    expect(answers[0]?.headers.get('x-request-id')).not.toBe(answers[1]?.headers.get('x-request-id'))
  })

  it('refuses a missing or invalid key', async () => {
    for (const key of [null, 'mdg_test_nothing']) {
      const answers = [await app.rest('/v1/assets', { key }), await app.rest('/v1/assets', { key })]
      expect(answers.map((answer) => [answer.status, wasKept(app, answer)])).toEqual([
        [401, false],
        [401, false],
      ])
    }
  })

  it.each(OPERATIONS)('belongs to an operation that reads %s', async (_what, query) => {
    const key = await app.newKey({ tier: 'starter' })
    for (const ask of [
      () => app.rest('/graphql', { ...post(query), key }),
      () => app.rest(inUrl(query), { key }),
    ]) {
      const [first, second] = [await ask(), await ask()]
      expect(
        [first, second].map((answer) => [answer.status, wasKept(app, answer), namesOfKept(answer)]),
      ).toEqual([
        [200, false, []],
        [200, false, []],
      ])
      expect(second.text).not.toContain('"cache_hit":true')
      expect(plainBody({ ...second, text: '' })).toEqual(plainBody(first))
    }
  })

  it('states its age by the current instant under another name', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const query = '{ forex(quote: "USD") { _meta { age: data_freshness_seconds } } }'
    const ageOf = async () => {
      const { body } = await app.graphql<{ forex: { _meta: { age: number } } }>(query, { key })
      return body.data?.forex._meta.age ?? Number.NaN
    }
    const first = await ageOf()
    app.clock.advance(5_000)
    expect(await ageOf()).toBe(first + 5)
  })

  it('is a file, whatever its name', async () => {
    const key = await app.newKey({ tier: 'pro' })
    for (const accept of ['text/csv', 'application/x-ndjson']) {
      const path = '/v1/forex?quote=USD&to=2026-11-10'
      const answers = [1, 2].map(() => app.rest(path, { key, headers: { accept } }))
      for (const answer of await Promise.all(answers)) {
        expect([accept, answer.status, wasKept(app, answer)]).toEqual([accept, 200, false])
        expect(answer.headers.get('content-type')).toContain(accept)
      }
      const json = await app.rest<{ base: string }>(path, { key })
      expect([json.status, json.body.base]).toEqual([200, 'EUR'])
    }
  })

  it('changes as soon as the missing part exists', async () => {
    const key = await app.newKey({ tier: 'pro' })
    expect((await app.rest('/v1/assets/newcomer', { key })).status).toBe(404)
    await app.database.rows(
      `insert into asset (asset_id, slug, ticker, name, asset_class, last_updated, source)
       values (90001, 'newcomer', 'NEW', 'Newcomer', 'crypto', $1, 'seed')`,
      [app.clock.now()],
    )
    expect((await app.rest('/v1/assets/newcomer', { key })).status).toBe(200)
  })
})
