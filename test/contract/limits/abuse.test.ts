import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphQLAnswer } from '../../support/app/app.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'enterprise' })
  await app.graphql('{ asset(id: "bitcoin") { data { ticker } } }', { key }) // the key is known from here on
})
afterAll(() => app?.close())

const nested = (depth: number) =>
  `{ a: forex(quote: "USD") ${'{ inverse '.repeat(depth)}{ rows }${' }'.repeat(depth)} }`
const aliases = (count: number) =>
  `{ ${Array.from({ length: count }, (_, index) => `a${index}: asset(id: "bitcoin") { data { ticker } }`).join(' ')} }`
const fragments = (levels: number) =>
  `{ forex(quote: "USD") { ...F0 } } ${Array.from({ length: levels }, (_, index) => `fragment F${index} on ForexResult { a: inverse { ...F${index + 1} } b: inverse { ...F${index + 1} } }`).join(' ')} fragment F${levels} on ForexResult { rows }`

const ABUSES: readonly (readonly [what: string, query: string])[] = [
  ['40 levels of nesting', nested(40)],
  ['500 aliases', aliases(500)],
  ['31 aliases', aliases(31)],
  ['200 directives', `{ __typename ${'@include(if: true) '.repeat(200)} }`],
  ['10,000 tokens', `{ ${'__typename '.repeat(10_000)} }`],
  ['fragments that double at 20 levels', fragments(20)],
  [
    'a fragment that contains itself',
    '{ forex(quote: "USD") { ...F } } fragment F on ForexResult { inverse { ...F } }',
  ],
]

describe('abuse of GraphQL', () => {
  it.each(ABUSES)('refuses %s with less than 1 KB and runs nothing', async (_what, query) => {
    const before = app.database.statementCount()
    const remaining = async () => (await app.rest('/v1/usage', { key })).headers.get('x-ratelimit-remaining')
    const left = await remaining()
    const answer = await app.graphql(query, { key, headers: { accept: 'application/graphql-response+json' } })
    expect(answer.status).toBe(400)
    expect(answer.text.length).toBeLessThan(1024)
    expect(answer.body.data ?? null).toBeNull()
    expect(answer.body.errors?.[0]?.extensions.code).toBe('BAD_REQUEST')
    expect(await remaining()).toBe(left)
    // The key's and datasets' reads are those of every request; no forex or asset was read.
    expect(app.database.statementCount() - before).toBeLessThan(12)
  })

  it('refuses a batch', async () => {
    const body = [{ query: '{ __typename }' }, { query: '{ __typename }' }]
    const answer = await app.rest<GraphQLAnswer<unknown>>('/graphql', { key, method: 'POST', body })
    expect(answer.status).toBe(400)
    expect(answer.body.errors?.[0]?.message).toMatch(/[Bb]atch/)
  })

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
    'refuses a POST of %s with 415',
    async (type) => {
      const answer = await app.rest<GraphQLAnswer<unknown>>('/graphql', {
        key,
        method: 'POST',
        body: 'query=%7B__typename%7D',
        headers: { 'content-type': type },
      })
      expect(answer.status).toBe(415)
      expect(answer.body.errors?.[0]?.extensions.code).toBe('UNSUPPORTED_MEDIA_TYPE')
    },
  )

  it('refuses a mutation by GET', async () => {
    const query = encodeURIComponent('mutation { delete_me }')
    const answer = await app.rest(`/graphql?query=${query}`, { key, headers: { accept: 'application/json' } })
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })

  it('shows the schema to anyone in development, and only to callers with a key if introspection is private', async () => {
    const query = '{ __schema { queryType { name } } }'
    expect((await app.graphql(query)).status).toBe(200)
    const closed = await startTestApp(quickestDatabase(), {
      env: { INTROSPECTION: 'private' },
      world: 'empty',
    })
    try {
      expect((await closed.graphql(query)).status).toBe(401)
      const insider = await closed.newKey({ tier: 'free' })
      expect((await closed.graphql(query, { key: insider })).status).toBe(200)
    } finally {
      await closed.close()
    }
  })
})

describe('the meter', () => {
  it('charges each root field and alias 1, and an edge 1 per 20 parents', async () => {
    const cost = async (query: string) => (await app.graphql(query, { key })).body.extensions?.cost?.charged
    expect(await cost('{ asset(id: "bitcoin") { data { ticker } } }')).toBe(1)
    expect(await cost(aliases(5))).toBe(5)
    expect(await cost('{ assets(limit: 20, asset_class: stock) { data { stock { isin } } } }')).toBe(2)
    expect(
      await cost('{ assets(limit: 100, asset_class: stock) { data { stock { isin } etf { isin } } } }'),
    ).toBe(11)
    expect(await cost('{ __typename usage { tier } }')).toBe(0)
    // Written twice, a field is merged into one and so are its edges.
    const twice = 'assets(limit: 100) { data { ticker } } assets(limit: 100) { data { stock { isin } } }'
    expect(await cost(`{ ${twice} }`)).toBe(6)
  })

  it('states the price of a dry run in REST and GraphQL, and charges nothing', async () => {
    const headers = { 'x-dry-run': 'cost' }
    const graphql = await app.graphql('{ assets(limit: 100) { data { stock { isin } } } }', { key, headers })
    expect(graphql.body.data).toBeNull()
    expect(graphql.body.extensions?.cost).toMatchObject({ charged: 0, price: 6 })
    const rest = await app.rest<{ cost: { charged: number; price: number } }>('/v1/assets', { key, headers })
    expect(rest.body.cost).toMatchObject({ charged: 0, price: 1 })
    const after = await app.graphql('{ usage { policies { policy used } } }', { key })
    expect(after.body.extensions?.cost?.remaining).toBe(graphql.body.extensions?.cost?.remaining)
  })

  it('counts discover in a separate day window, on the free tier only', async () => {
    const free = await app.newKey({ tier: 'free' })
    const { headers } = await app.rest('/v1/discover/AAPL', { key: free })
    expect(headers.get('ratelimit-policy')).toBe(
      '"hour";q=14;w=3600, "month";q=10000;w=2592000, "discover_day";q=50;w=86400',
    )
    expect(headers.get('ratelimit')).toMatch(
      /^"hour";r=13;t=\d+, "month";r=9999;t=\d+, "discover_day";r=49;t=\d+$/,
    )
  })
})
