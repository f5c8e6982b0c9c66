import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseDiscover } from '../../../../src/domains/instruments/discovery/discovery-service.js'
import { writeAnswer } from '../../../../src/domains/instruments/discovery/identifier-answers-store.js'
import { SEEDED_AT } from '../../../support/database/database.js'
import { type Came, openTransport, type Sent, type TransportApp } from './transport-app.js'

const BITCOIN = '{ asset(id: "bitcoin") { data { ticker } } }'

let app: TransportApp
beforeAll(async () => {
  app = await openTransport('pglite')
})
afterAll(() => app?.close())

const facts = ({ status, body }: Came<unknown>) => [
  status,
  body.errors?.[0]?.extensions.code ?? null,
  body.errors?.[0]?.message ?? null,
]

describe('a query', () => {
  it('is answered with data and cost, by POST and by GET', async () => {
    const post = await app.ask(BITCOIN)
    expect(post.status).toBe(200)
    expect(post.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(post.text).toBe(
      '{"data":{"asset":{"data":{"ticker":"BTC"}}},"extensions":{"cost":{"charged":1,"remaining":0,"values":3}}}',
    )
    const search = `?query=${encodeURIComponent('query One($id: String!) { asset(id: $id) { data { ticker } } }')}&variables=${encodeURIComponent('{"id":"bitcoin"}')}&operationName=One&extensions=%7B%7D`
    const get = await app.send({ method: 'GET', search })
    expect([get.status, get.text]).toEqual([200, post.text])
  })

  it('is planned with its root fields, price, datasets and whether it may be cached', async () => {
    const { prepared } = await app.ask(
      '{ a: asset(id: "bitcoin") { data { ticker } } forex(quote: "USD") { rows } }',
    )
    expect(prepared).toMatchObject({
      operation: 'asset,forex',
      price: {
        units: 2,
        discovers: 0,
        fields: [
          { field: 'asset', units: 1 },
          { field: 'forex', units: 1 },
        ],
      },
      isCacheable: true,
      isWaiting: false,
    })
    expect([...(prepared?.reads ?? [])].sort()).toEqual([
      'candles/bitcoin',
      'forex',
      'instruments',
      'supply/bitcoin',
    ])
    const isCacheable = async (query: string) => (await app.ask(query)).prepared?.isCacheable
    expect(await isCacheable('{ asset(id: "bitcoin") { age: _meta { data_freshness_seconds } } }')).toBe(true)
    expect(await isCacheable('{ asset(id: "bitcoin") { _meta { age: data_freshness_seconds } } }')).toBe(
      false,
    )
    expect(await isCacheable('{ usage { tier } }')).toBe(false)
    expect(await isCacheable('{ __schema { queryType { name } } }')).toBe(false)
  })

  it('without a key is free and shows no cost', async () => {
    const { status, text } = await app.ask('{ ai_methodology { disclaimer } }', { tier: null })
    expect(status).toBe(200)
    expect(text).toMatch(/^\{"data":\{"ai_methodology":\{"disclaimer":"[^"]+"\}\}\}$/)
  })
})

describe('a request without an operation', () => {
  const json = { 'content-type': 'application/json' }
  const body = { query: BITCOIN }
  const REFUSALS: readonly (readonly [what: string, sent: Sent, status: number, message: RegExp])[] = [
    ['PUT', { method: 'PUT', body }, 405, /^Send operations by POST; queries also by GET\.$/],
    ['DELETE', { method: 'DELETE' }, 405, /POST/],
    [
      'a form',
      { body: 'query=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      /application\/json, not application\/x-www-form/,
    ],
    [
      'JSON in another character set',
      { body, headers: { 'content-type': 'application/json; charset=utf-16' } },
      415,
      /not application\/json; charset=utf-16/,
    ],
    ['plain text', { body: BITCOIN, headers: { 'content-type': 'text/plain' } }, 415, /not text\/plain/],
    ['a body without a type', { body, headers: { 'content-type': '' } }, 415, /application\/json/],
    ['no body', { headers: json }, 400, /body is empty/],
    ['half of a body', { body: '{"query":' }, 400, /not valid JSON/],
    ['a body that is no UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, /UTF-8/],
    [
      'a member twice',
      { body: '{"query":"{ __typename }","query":"{ me { id } }"}' },
      400,
      /member "query" more than once/,
    ],
    ['a text', { body: '"query"' }, 400, /JSON object/],
    ['a list', { body: [body, body] }, 400, /Batches are not supported/],
    ['no query', { body: {} }, 400, /query is required/],
    ['a query that is a number', { body: { query: 7 } }, 400, /query must be a string/],
    [
      'an operation name that is a list',
      { body: { query: BITCOIN, operationName: ['a'] } },
      400,
      /operationName must be a string/,
    ],
    [
      'variables in a text',
      { body: { query: BITCOIN, variables: '{}' } },
      400,
      /^variables must be a JSON object\.$/,
    ],
    [
      'variables in a list',
      { body: { query: BITCOIN, variables: [] } },
      400,
      /^variables must be a JSON object\.$/,
    ],
    [
      'extensions in a text',
      { body: { query: BITCOIN, extensions: 'x' } },
      400,
      /^extensions must be a JSON object\.$/,
    ],
    ['an unknown member', { body: { qeury: BITCOIN } }, 400, /qeury is not a known member/],
    [
      'variables of a GET that are no JSON',
      { method: 'GET', search: '?query=%7Bme%7D&variables=x' },
      400,
      /^variables is not valid JSON\.$/,
    ],
    [
      'variables of a GET with a member twice',
      { method: 'GET', search: '?query=%7Bme%7D&variables=%7B%22a%22:1,%22a%22:2%7D' },
      400,
      /^variables has the member "a" more than once\.$/,
    ],
    [
      'variables of a GET that are a list',
      { method: 'GET', search: '?query=%7Bme%7D&variables=%5B%5D' },
      400,
      /^variables must be a JSON object\.$/,
    ],
    [
      'extensions of a GET that are a number',
      { method: 'GET', search: '?query=%7Bme%7D&extensions=1' },
      400,
      /^extensions must be a JSON object\.$/,
    ],
    [
      'a query given twice',
      { method: 'GET', search: '?query=a&query=b' },
      400,
      /query is given more than once/,
    ],
    ['percent-encoding that is none', { method: 'GET', search: '?query=%ZZ' }, 400, /percent-encoding/],
    [
      'an operation that is not there',
      { body: { query: BITCOIN, operationName: 'Other' } },
      400,
      /operationName: must name an operation of the document/,
    ],
    [
      'several operations without a name',
      { body: { query: 'query A { me { id } } query B { me { id } }' } },
      400,
      /it has A, B/,
    ],
    ['Accept without JSON', { body, headers: { ...json, accept: 'image/png' } }, 406, /application\/json/],
    [
      'events for a query',
      { body, headers: { ...json, accept: 'text/event-stream' } },
      406,
      /application\/json/,
    ],
    [
      'JSON for a subscription',
      {
        body: { query: 'subscription { ai_analysis_changes { cursor } }' },
        headers: { ...json, accept: 'application/json' },
      },
      406,
      /text\/event-stream/,
    ],
    [
      'a mutation by GET',
      { method: 'GET', search: `?query=${encodeURIComponent('mutation { delete_me }')}` },
      405,
      /by POST/,
    ],
  ]

  it.each(REFUSALS)(
    'is refused in the form of GraphQL before anything is prepared: %s',
    async (_what, sent, status, message) => {
      const came = await app.send(sent)
      expect(came.prepared).toBeNull()
      expect(came.status).toBe(status)
      expect(came.body.errors?.[0]?.message).toMatch(message)
      expect(came.body.errors?.[0]?.extensions).toMatchObject({ http: { status }, request_id: 'r-1' })
      expect(came.body).not.toHaveProperty('data')
      expect(came.headers.get('content-type')).toMatch(/^application\/json/)
      expect(app.logLines).toEqual([])
    },
  )

  it('gives 405 with the allowed methods', async () => {
    const search = `?query=${encodeURIComponent('mutation { delete_me }')}`
    expect((await app.send({ method: 'GET', search })).headers.get('allow')).toBe('POST')
    expect((await app.send({ method: 'PUT' })).headers.get('allow')).toBe('GET, POST')
  })
})

describe('a document that is refused', () => {
  it.each([
    ['half of it', '{ asset('],
    ['an unknown field', '{ nothing_of_that_name }'],
    ['31 aliases', `{ ${Array.from({ length: 31 }, (_, at) => `a${at}: me { id }`).join(' ')} }`],
    ['13 levels', `{ forex(quote: "USD") ${'{ inverse '.repeat(12)} { rows } ${'}'.repeat(12)} }`],
    ['21 directives', `{ __typename ${'@include(if: true) '.repeat(21)} }`],
    ['1,501 tokens', `{ ${'__typename '.repeat(1500)} }`],
    ['a field 21 times', `{ ${'me { id } '.repeat(21)} }`],
    ['introspection with an alias', '{ __schema { a: types { name } } }'],
  ])('is a 400 without data: %s', async (_what, query) => {
    const came = await app.ask(query)
    expect(facts(came).slice(0, 2)).toEqual([400, 'BAD_REQUEST'])
    expect(came.text.length).toBeLessThan(1024)
    expect(came.body).not.toHaveProperty('data')
  })

  it('is a 200 for clients that accept application/json, as GraphQL over HTTP requires, except over a limit', async () => {
    const headers = { accept: 'application/json' }
    const typed = 'query One($id: String!) { asset(id: $id) { data { ticker } } }'
    expect(
      (await app.ask('{ asset(', { headers: { ...headers, 'content-type': 'application/json' } })).status,
    ).toBe(200)
    expect(
      (await app.ask(typed, { headers: { ...headers, 'content-type': 'application/json' } })).status,
    ).toBe(200)
    const missing = await app.ask('{ asset(id: "nothing-of-that-name") { data { ticker } } }', { headers })
    expect(facts(missing).slice(0, 2)).toEqual([200, 'NOT_FOUND'])
    expect(missing.body.errors?.[0]?.extensions.http).toEqual({ status: 404 })
    const outside = await app.ask('{ assets(limit: 101) { meta { total } } }', { headers })
    expect(facts(outside).slice(0, 2)).toEqual([200, 'VALIDATION_ERROR'])
    const forbidden = await app.ask('{ etfs { meta { total } } }', { headers, tier: 'free' })
    expect(facts(forbidden).slice(0, 2)).toEqual([403, 'FORBIDDEN'])
    const tokens = `{ ${'__typename '.repeat(1500)} }`
    expect(
      (await app.ask(tokens, { headers: { ...headers, 'content-type': 'application/json' } })).status,
    ).toBe(400)
  })

  it('without a key may have 8,192 characters, enough for the introspection query of GraphiQL', async () => {
    const query = (length: number) => `{ __typename }${' '.repeat(length - 14)}`
    expect((await app.ask(query(8_192), { tier: null })).status).toBe(200)
    expect(facts(await app.ask(query(8_193), { tier: null }))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
      'Without a key an operation may have at most 8192 characters. Shorten it or send a key.',
    ])
    expect((await app.ask(query(8_193))).status).toBe(200)
  })

  it('reads the schema without a key while introspection is private: 401', async () => {
    const query = '{ __schema { queryType { name } } }'
    const other = await openTransport('pglite', { world: 'empty', introspection: 'private' })
    expect((await other.ask(query, { tier: null })).status).toBe(401)
    expect((await other.ask(query)).status).toBe(200)
    expect((await app.ask(query, { tier: null })).status).toBe(200)
    await other.close()
  })
})

describe('a value of the wrong type', () => {
  const typed =
    'query Q($limit: Int, $class: AssetClass, $quote: String!, $day: Date, $yes: Boolean! = true) { assets(limit: $limit, asset_class: $class) { meta { total @include(if: $yes) } } forex(quote: $quote, from: $day) { rows } }'
  it.each([
    [{ quote: 'USD', limit: 'many' }, 'limit: must be a whole number; got "many"'],
    [{ quote: 'USD', limit: 1.5 }, 'limit: must be a whole number; got 1.5'],
    [{ quote: 'USD', limit: [1] }, 'limit: must be a whole number; got a list'],
    [{ quote: 7 }, 'quote: must be a string; got 7'],
    [{ quote: null }, 'quote: must not be null'],
    [{}, 'quote: is required'],
    [
      { quote: 'USD', class: 'cripto' },
      'class: must be one of crypto, stock, etf, commodity; did you mean "crypto"?',
    ],
    [{ quote: 'USD', class: {} }, 'class: must be one of crypto, stock, etf, commodity; got an object'],
    [{ quote: 'USD', day: '2026-13-01' }, 'day: must be a calendar day, YYYY-MM-DD; got "2026-13-01"'],
    [
      { quote: 'USD', day: '2026-11-01T00:00:00Z' },
      'day: must be a day without a time, such as 2026-11-01; got "2026-11-01T00:00:00Z"',
    ],
    [{ quote: 'USD', day: 20261101 }, 'day: must be a calendar day, YYYY-MM-DD; got 20261101'],
    [{ quote: 'USD', yes: 'true' }, 'yes: must be true or false; got "true"'],
  ])('in variables is a 400 in the words of REST: %j', async (variables, message) => {
    const came = await app.ask(typed, { variables })
    expect(facts(came)).toEqual([400, 'BAD_REQUEST', message])
    expect(came.body.errors?.[0]?.extensions.details).toEqual([
      { field: message.split(':')[0], message: message.slice(message.indexOf(':') + 2) },
    ])
    expect(came.body).not.toHaveProperty('data')
  })

  it('in variables is named with each other one', async () => {
    const came = await app.ask(typed, { variables: { limit: 'x', quote: 1 } })
    expect(came.body.errors?.[0]?.message).toBe('limit: must be a whole number; got "x" (and 1 more)')
    expect(came.body.errors?.[0]?.extensions.details?.map(({ field }) => field)).toEqual(['limit', 'quote'])
  })

  it('in variables is named fifty times at most', async () => {
    const query = 'mutation M($scopes: [String!]) { create_api_key(label: "a", scopes: $scopes) { raw_key } }'
    const scopes = Array.from({ length: 1_000 }, (_, place) => place)
    const came = await app.ask(query, { variables: { scopes } })
    expect(facts(came)).toEqual([400, 'BAD_REQUEST', 'scopes.0: must be a string; got 0 (and 49 more)'])
    expect(came.body.errors?.[0]?.extensions.details).toHaveLength(50)
  })

  it.each([
    ['{ assets(limit: "many") { meta { total } } }', 'limit: must be a whole number; got "many"'],
    [
      '{ assets(limit: 99999999999) { meta { total } } }',
      'limit: must be between 1 and 100; got 99999999999',
    ],
    [
      '{ assets(limit: 12345678901234567890) { meta { total } } }',
      'limit: must be between 1 and 100; got 12345678901234567890',
    ],
    ['{ assets(limit: 5.50) { meta { total } } }', 'limit: must be a whole number; got 5.50'],
    [
      '{ assets(asset_class: "crypto") { meta { total } } }',
      'asset_class: must be written without quotes: crypto',
    ],
    [
      '{ assets(asset_class: cripto) { meta { total } } }',
      'asset_class: must be one of crypto, stock, etf, commodity; did you mean "crypto"?',
    ],
    ['{ asset(id: bitcoin) { data { ticker } } }', 'id: must be written in quotes: "bitcoin"'],
    ['{ stock(ticker: null) { data { ticker } } }', 'ticker: must not be null'],
    ['{ asset(id: ["bitcoin"]) { data { ticker } } }', 'id: must be a string; got a list'],
    ['{ asset(id: {a: 1}) { data { ticker } } }', 'id: must be a string; got an object'],
    [
      '{ forex(quote: "USD", from: "2026-13-01") { rows } }',
      'from: must be a calendar day, YYYY-MM-DD; got "2026-13-01"',
    ],
    [
      '{ forex(quote: "USD", from: "2026-11-01T00:00:00Z") { rows } }',
      'from: must be a day without a time, such as 2026-11-01; got "2026-11-01T00:00:00Z"',
    ],
    ['{ forex(quote: "USD", from: 5) { rows } }', 'from: must be a calendar day, YYYY-MM-DD; got 5'],
    [
      '{ ohlcv(id: "bitcoin", from: "yesterday") { data { rows } } }',
      'from: must be a calendar day, or an instant with its zone, such as 2026-01-31T12:00:00Z; got "yesterday"',
    ],
    [
      '{ assets { data { ohlcv(from: "yesterday") { rows } } } }',
      'from: must be a calendar day, or an instant with its zone, such as 2026-01-31T12:00:00Z; got "yesterday"',
    ],
    [
      'query ($n: Int = "x") { assets(limit: $n) { meta { total } } }',
      'value: must be a whole number; got "x"',
    ],
  ])('in the document is a 400 in the gateway’s words: %s', async (query, message) => {
    const came = await app.ask(query)
    expect(facts(came)).toEqual([400, 'BAD_REQUEST', message])
    expect(came.text).not.toMatch(/LocalDate|graphql-scalars|RFC 3339/)
  })
})

describe('names with a meaning in JavaScript', () => {
  it.each(['then', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'catch'])(
    'are aliases like any other: %s',
    async (name) => {
      const query = `{ ${name}: asset(id: "bitcoin") { ${name}: data { ${name}: ticker } } }`
      for (let run = 0; run < 5; run++) {
        const came = await app.ask(query)
        expect(came.status).toBe(200)
        expect(came.text).toContain(`{"data":{"${name}":{"${name}":{"${name}":"BTC"}}}`)
      }
    },
  )

  it('beside others that are refused', async () => {
    const came = await app.ask(
      '{ then: asset(id: "bitcoin") { data { ticker } } __proto__: asset(id: "nothing") { data { ticker } } }',
    )
    expect(came.status).toBe(200)
    expect(came.text).toContain('"data":{"then":{"data":{"ticker":"BTC"}},"__proto__":null}')
    expect(came.made?.refund).toEqual({ fields: [{ field: 'asset', units: 1 }], units: 1, discovers: 0 })
  })

  it('are not valid names of variables', async () => {
    const came = await app.ask('query ($__proto__: Int) { assets(limit: $__proto__) { meta { total } } }')
    expect(facts(came)).toEqual([400, 'BAD_REQUEST', '__proto__: must not begin with two underscores'])
  })
})

describe('the status and the refund', () => {
  it.each([
    ['{ asset(id: "nothing") { data { ticker } } }', 404, 1, 1],
    ['{ asset(id: "BTC") { data { ticker } } }', 404, 0, 0],
    ['{ assets(limit: 0) { meta { total } } }', 422, 0, 0],
    ['{ discover(ticker: "ZZZZ") { figi } }', 503, 1, 1],
    ['{ asset(id: "nothing") { data { ticker } } discover(ticker: "ZZZZ") { figi } }', 503, 2, 2],
  ])(
    'are those of the gravest error, with data null, where nothing was answered: %s',
    async (query, status, units, refunded) => {
      const came = await app.ask(query, { tier: 'free' })
      expect(came.status).toBe(status)
      expect(came.body).toHaveProperty('data', null)
      expect(came.prepared?.price.units).toBe(units)
      expect(came.made?.refund?.units ?? 0).toBe(refunded)
      expect(came.made?.refund?.discovers ?? 0).toBe(status === 503 ? 1 : 0)
      if (status === 503) expect(came.headers.get('retry-after')).toMatch(/^\d+$/)
    },
  )

  it('count as a discovery even if a ticker is known to be unused', async () => {
    const answer = {
      ticker: parseDiscover({ ticker: 'ZZNONE' }, { now: SEEDED_AT }).ticker,
      found: null,
      answeredAt: SEEDED_AT,
    }
    await writeAnswer(app.database, answer)
    const came = await app.ask('{ discover(ticker: "ZZNONE") { figi } }', { tier: 'free' })
    expect(came.status).toBe(404)
    expect(came.made?.refund).toEqual({ fields: [{ field: 'discover', units: 1 }], units: 1, discovers: 1 })
  })

  it('are 200 and the units of failed parts if anything was answered', async () => {
    const came = await app.ask(
      '{ a: asset(id: "bitcoin") { data { ticker } } b: asset(id: "nothing") { data { ticker } } }',
    )
    expect([came.status, came.prepared?.price.units, came.made?.refund?.units]).toEqual([200, 2, 1])
    expect(came.body.errors?.map(({ path }) => path)).toEqual([['b']])
    expect(came.body.extensions?.cost?.charged).toBe(2)
  })

  it('offer both ways to authenticate without a key', async () => {
    const came = await app.ask(BITCOIN, { tier: null })
    expect(came.status).toBe(401)
    expect(came.headers.get('www-authenticate')).toMatch(/ApiKey.*, Bearer/)
  })
})

describe('a dry run', () => {
  it('states the price and the values, and why the rest would be refused', async () => {
    const came = await app.dryRun(
      '{ assets(limit: 100) { data { stock { isin } } } bad: assets(limit: 0) { meta { total } } }',
    )
    expect(came.status).toBe(200)
    expect(came.body.data).toBeNull()
    expect(came.body.extensions?.cost).toEqual({
      charged: 0,
      remaining: 0,
      price: 6,
      values: 502,
      values_limit: 200_000,
    })
    expect(came.body.errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['bad'], 'VALIDATION_ERROR'],
    ])
    expect((await app.dryRun('{ assets(limit: 0) { meta { total } } }')).status).toBe(422)
  })
})

describe('a refused nested edge', () => {
  const ask = (edge: string, tier: 'free' | 'pro' = 'free') =>
    app.ask<{ assets: { data: readonly Record<string, unknown>[] } }>(
      `{ assets(limit: 50, asset_class: stock) { data { ticker ${edge} } } }`,
      { tier },
    )

  it('is null for all parents without its scope, as one free error without list indices', async () => {
    const came = await ask('stock { isin }')
    expect([came.status, came.prepared?.price.units, came.made?.refund]).toEqual([200, 1, null])
    expect(came.body.data?.assets.data).toHaveLength(50)
    expect(came.body.data?.assets.data.every(({ stock }) => stock === null)).toBe(true)
    expect(
      came.body.errors?.map(({ path, extensions }) => [path, extensions.code, extensions.required_scope]),
    ).toEqual([[['assets', 'data', 'stock'], 'FORBIDDEN', 'instruments:read']])
    expect((await ask('stock { isin }', 'pro')).prepared?.price.units).toBe(1 + 3)
  })

  it('with wrong arguments is reported by the name of its answer, before anything is read for it', async () => {
    const came = await ask('a: ohlcv(limit: 5000) { rows } b: ohlcv(limit: 1) { rows }', 'pro')
    expect([came.status, came.prepared?.price.units]).toEqual([200, 1 + 3])
    expect(came.body.errors?.map(({ path, message }) => [path, message])).toEqual([
      [['assets', 'data', 'a'], 'limit: must be between 1 and 1000; got 5000'],
    ])
    const cards = came.body.data?.assets.data ?? []
    expect(cards.every(({ a }) => a === null)).toBe(true)
  })

  it('is reported in a dry run', async () => {
    const came = await app.dryRun('{ assets { data { stock { isin } } } }', { tier: 'free' })
    expect(came.body.extensions?.cost?.price).toBe(1)
    expect(came.body.errors?.map(({ path }) => path)).toEqual([['assets', 'data', 'stock']])
  })
})
