import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_BODY_BYTES } from '../../../src/gateway/http/connection/read-body.js'
import { makeApiKey } from '../../../src/platform/secrets/api-key-format.js'
import { type GraphQLAnswer, startTestApp, type TestApp } from '../../support/app/app.js'
import { inRouteWords } from '../../support/app/route-words.js'
import { quickestDatabase } from '../../support/database/database.js'

interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly upgrade_url?: string
  readonly required_scope?: string
  readonly retry_after?: number
  readonly details?: readonly { readonly field: string; readonly message: string }[]
  readonly request_id: string
}

interface Refusal {
  readonly why: string
  readonly rest: string
  /** The same question in GraphQL; null where it cannot be asked there. */
  readonly graphql: string | null
  readonly status: number
  readonly error: string
  readonly message: RegExp
  readonly field?: string
}

const ASK = '{ data { ticker } }'

const REFUSALS: readonly Refusal[] = [
  {
    why: 'an unknown parameter, with a suggestion',
    rest: '/v1/assets?limt=5',
    graphql: null,
    status: 422,
    error: 'validation_error',
    message: /limit/,
    field: 'limt',
  },
  {
    why: 'a wrong type',
    rest: '/v1/assets?limit=many',
    graphql: null,
    status: 422,
    error: 'validation_error',
    message: /whole number/,
    field: 'limit',
  },
  {
    why: 'a missing quote',
    rest: '/v1/forex',
    graphql: null,
    status: 422,
    error: 'validation_error',
    message: /quote/,
    field: 'quote',
  },
  {
    why: 'a base other than EUR',
    rest: '/v1/forex?base=USD&quote=EUR',
    graphql: 'forex(base: "USD", quote: "EUR") { rows }',
    status: 422,
    error: 'validation_error',
    message: /set quote to USD and inverse to true/,
    field: 'base',
  },
  {
    why: 'a currency that is not quoted, with a suggestion',
    rest: '/v1/forex?quote=USX',
    graphql: 'forex(quote: "USX") { rows }',
    status: 422,
    error: 'validation_error',
    message: /did you mean USD/,
    field: 'quote',
  },
  {
    why: 'limit 0',
    rest: '/v1/assets?limit=0',
    graphql: `assets(limit: 0) ${ASK}`,
    status: 422,
    error: 'validation_error',
    message: /between 1 and 100/,
    field: 'limit',
  },
  {
    why: 'limit 101',
    rest: '/v1/assets?limit=101',
    graphql: `assets(limit: 101) ${ASK}`,
    status: 422,
    error: 'validation_error',
    message: /between 1 and 100/,
    field: 'limit',
  },
  {
    why: 'a negative offset',
    rest: '/v1/assets?offset=-1',
    graphql: `assets(offset: -1) ${ASK}`,
    status: 422,
    error: 'validation_error',
    message: /offset/,
    field: 'offset',
  },
  {
    why: 'tier 4',
    rest: '/v1/assets?tier=4',
    graphql: `assets(tier: 4) ${ASK}`,
    status: 422,
    error: 'validation_error',
    message: /1, 2 or 3/,
    field: 'tier',
  },
  {
    why: 'from after to',
    rest: '/v1/forex?quote=USD&from=2026-02-01&to=2026-01-01',
    graphql: 'forex(quote: "USD", from: "2026-02-01", to: "2026-01-01") { rows }',
    status: 422,
    error: 'validation_error',
    message: /must not be after to/,
    field: 'from',
  },
  {
    why: 'a malformed date',
    rest: '/v1/forex?quote=USD&from=2026-13-01',
    graphql: null,
    status: 422,
    error: 'validation_error',
    message: /YYYY-MM-DD/,
    field: 'from',
  },
  {
    why: 'a start after the end',
    rest: '/v1/macro/bis/WS_TC/Q.US.P.A.M.770.A?start_period=2024-Q2&end_period=2024-Q1',
    graphql:
      'bis_series(dataset_code: "WS_TC", series_key: "Q.US.P.A.M.770.A", start_period: "2024-Q2", end_period: "2024-Q1") { series { unit } }',
    status: 422,
    error: 'validation_error',
    message: /must not be after end_period/,
    field: 'start_period',
  },
  {
    why: 'a series that is not there, with a suggestion and where all are listed',
    rest: '/v1/macro/bis/WS_TC/Q.US.P.A.M.771.A',
    graphql: 'bis_series(dataset_code: "WS_TC", series_key: "Q.US.P.A.M.771.A") { series { unit } }',
    status: 404,
    error: 'not_found',
    message:
      /did you mean Q\.US\.P\.A\.M\.770\.A\? Use GET \/v1\/macro\/bis\/countries to list the key of each country\./,
  },
  {
    why: 'a start after the end, by days',
    rest: '/v1/macro/japan/BOJ_FM08_FXERD04?start_date=2026-02-02&end_date=2026-02-01',
    graphql:
      'boj_series(series_id: "BOJ_FM08_FXERD04", start_date: "2026-02-02", end_date: "2026-02-01") { series { unit } }',
    status: 422,
    error: 'validation_error',
    message: /must not be after end_date/,
    field: 'start_date',
  },
  {
    why: 'a series of a central bank that is not there, with a suggestion and where all are listed',
    rest: '/v1/macro/kr/BOK_731Y001_0000009_D',
    graphql: 'bok_series(series_id: "BOK_731Y001_0000009_D") { series { unit } }',
    status: 404,
    error: 'not_found',
    message: /did you mean BOK_731Y001_0000001_D\? Use GET \/v1\/macro\/kr\/series to list all series\./,
  },
  {
    why: 'a chain that is not served, with those that are',
    rest: '/v1/onchain/100/0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    graphql:
      'address_snapshot(chain_id: 100, address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48") { data { address } }',
    status: 404,
    error: 'not_found',
    message:
      /1 \(Ethereum\), 56 \(BSC\), 137 \(Polygon\), 42161 \(Arbitrum\), 10 \(Optimism\), 8453 \(Base\)/,
  },
  {
    why: 'an address with a wrong checksum',
    rest: '/v1/onchain/1/0xa0B86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    graphql:
      'address_snapshot(chain_id: 1, address: "0xa0B86991c6218b36c1d19D4a2e9Eb0cE3606eB48") { data { address } }',
    status: 422,
    error: 'validation_error',
    message: /EIP-55/,
    field: 'address',
  },
  {
    why: 'an address of a chain that has no node',
    rest: '/v1/onchain/1/0x00000000000000000000000000000000000000ff',
    graphql:
      'address_snapshot(chain_id: 1, address: "0x00000000000000000000000000000000000000ff") { data { address } }',
    status: 503,
    error: 'service_unavailable',
    message: /no node of Ethereum is configured\. The operator has to set RPC_URLS_1\./,
  },
  {
    why: 'an unknown asset class, with a suggestion',
    rest: '/v1/assets?asset_class=cripto',
    graphql: null,
    status: 422,
    error: 'validation_error',
    message: /crypto/,
    field: 'asset_class',
  },
  {
    why: 'a ticker on a slug path',
    rest: '/v1/assets/BTC',
    graphql: `asset(id: "BTC") ${ASK}`,
    status: 404,
    error: 'not_found',
    message: /GET \/v1\/discover\/BTC/,
  },
  {
    why: 'an unknown slug',
    rest: '/v1/assets/no-such-coin',
    graphql: `asset(id: "no-such-coin") ${ASK}`,
    status: 404,
    error: 'not_found',
    message: /no-such-coin/,
  },
  {
    why: 'an unknown ticker while the identifier service is out',
    rest: '/v1/discover/ZZZZ',
    graphql: 'discover(ticker: "ZZZZ") { figi }',
    status: 503,
    error: 'service_unavailable',
    message: /./,
  },
  {
    why: 'an unknown route',
    rest: '/v1/asets',
    graphql: null,
    status: 404,
    error: 'not_found',
    message: /\/v1\/assets/,
  },
]

describe.each([quickestDatabase()])('errors on %s', (kind) => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(kind)
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  it.each(REFUSALS)('REST refuses $why with $status $error', async (refusal) => {
    const { status, body, headers } = await app.rest<ErrorBody>(refusal.rest, { key })
    expect([status, body.error]).toEqual([refusal.status, refusal.error])
    expect(body.message).toMatch(refusal.message)
    expect(body.request_id).toBe(headers.get('x-request-id'))
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    if (refusal.field) expect(body.details?.map((detail) => detail.field)).toEqual([refusal.field])
  })

  it.each(REFUSALS.filter((refusal) => refusal.graphql))(
    'GraphQL refuses $why the same way',
    async (refusal) => {
      const rest = await app.rest<ErrorBody>(refusal.rest, { key })
      const { status, body } = await app.graphql(`{ ${refusal.graphql} }`, { key })
      const [error] = body.errors ?? []
      expect(status).toBe(refusal.status)
      expect(error?.extensions.http.status).toBe(refusal.status)
      expect(error?.extensions.code).toBe(refusal.error.toUpperCase())
      expect(inRouteWords(error?.message ?? '')).toBe(rest.body.message)
      expect(error?.extensions.details).toEqual(rest.body.details)
    },
  )

  it('refuse in both styles a text that no database can search for, also in nested fields', async () => {
    const asked = await app.rest<ErrorBody>('/v1/macro/bis/WS_TC/Q.%00', { key })
    expect([asked.status, asked.body.details]).toEqual([
      422,
      [{ field: 'series_key', message: 'must not contain the character U+0000' }],
    ])
    const nested = '{ bis_datasets { data { series(country: "\\u0000") { provider } } } }'
    const { body } = await app.graphql(nested, { key })
    expect(body.errors?.map(({ extensions }) => [extensions.code, extensions.details])).toEqual([
      ['VALIDATION_ERROR', [{ field: 'country', message: 'must not contain the character U+0000' }]],
    ])
  })

  it('charge nothing for bad input', async () => {
    const fresh = await app.newKey({ tier: 'free' })
    for (const refusal of REFUSALS.filter(({ status }) => status === 422)) {
      const { headers } = await app.rest(refusal.rest, { key: fresh })
      expect(headers.get('x-ratelimit-remaining')).toBe('14')
    }
  })

  it.each([
    ['POST', '/v1/assets', 'GET'],
    ['DELETE', '/v1/forex', 'GET'],
    ['PUT', '/auth/keys', 'POST, GET'],
  ])('give %s %s a 405 with the allowed methods', async (method, path, allow) => {
    const { status, body, headers } = await app.rest<ErrorBody>(path, { key, method })
    expect([status, body.error]).toEqual([405, 'method_not_allowed'])
    expect((headers.get('allow') ?? '').split(', ').sort()).toEqual(
      expect.arrayContaining(allow.split(', ').sort()),
    )
  })

  it.each([
    '/',
    '/docs',
    '/openapi.json',
    '/healthz',
    '/.well-known/jwks.json',
    '/assets/bitcoin',
    '/llms.txt',
  ])('give a wrong method on the page %s a 405 with the allowed methods', async (path) => {
    expect((await app.rest(path, { headers: { accept: 'text/html, */*' } })).status).toBe(200)
    const { status, headers } = await app.rest(path, { method: 'DELETE' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('give a wrong method on an unknown path a 404', async () => {
    expect((await app.rest('/nothing-of-that-name', { method: 'DELETE' })).status).toBe(404)
  })

  it.each([
    ['/v1/assets/nothing-of-that-name', 404],
    ['/v1/assets?limit=0', 422],
    ['/v1/nothing-of-that-name', 404],
  ])('are not stored by caches: %s', async (path, status) => {
    const answer = await app.rest(path, { key })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store'])
  })

  it('give malformed JSON a 400 in REST and GraphQL', async () => {
    const rest = await app.rest<ErrorBody>('/auth/login', { method: 'POST', body: '{"email":' })
    expect([rest.status, rest.body.error]).toEqual([400, 'bad_request'])
    const graphql = await app.rest<GraphQLAnswer<unknown>>('/graphql', {
      key,
      method: 'POST',
      body: '{"query":',
    })
    expect(graphql.status).toBe(400)
    expect(graphql.body.errors?.[0]?.extensions.code).toBe('BAD_REQUEST')
  })

  it('give a body over the limit a 413 in both styles, declared or streamed', async () => {
    const body = `{"query":"${'x'.repeat(MAX_BODY_BYTES)}"}`
    for (const path of ['/graphql', '/auth/login']) {
      const declared = await app.rest<ErrorBody & GraphQLAnswer<unknown>>(path, { key, method: 'POST', body })
      const code = declared.body.errors?.[0]?.extensions.code.toLowerCase() ?? declared.body.error
      expect([path, declared.status, code]).toEqual([path, 413, 'payload_too_large'])
      expect('errors' in declared.body).toBe(path === '/graphql')
    }
    const stream = new Blob([body]).stream()
    const streamed = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: stream,
      duplex: 'half',
    } as RequestInit)
    expect(streamed.status).toBe(413)
    expect((await app.rest('/v1/assets/bitcoin', { key })).status).toBe(200)
  })

  it.each([
    ['no key', null, 'The request has no API key.'],
    ['an empty text', '', 'The request has no API key.'],
    ['something else', 'secret', 'It is not an API key; a key is mdg_live_ or mdg_test_, then'],
    ['a wrong checksum', `mdg_test_${'a'.repeat(30)}_000000`, 'It was mistyped, because its checksum'],
    ['an unknown key', makeApiKey('test', randomBytes), 'It is unknown; no account has this key.'],
  ])('give %s a 401 in REST and GraphQL that says what is wrong', async (_what, badKey, problem) => {
    const rest = await app.rest<ErrorBody>('/v1/assets', {
      headers: badKey === null ? {} : { 'x-api-key': badKey },
    })
    expect([rest.status, rest.body.error]).toEqual([401, 'unauthorized'])
    expect(rest.body.message).toContain(`Missing or invalid X-API-Key header. ${problem}`)
    expect(rest.body.message).toMatch(
      / Create a key on the page \/account, or with POST \/auth\/register and POST \/auth\/keys, and send it in the header X-API-Key\.$/,
    )
    expect(rest.headers.get('www-authenticate')).toContain('ApiKey')
    const graphql = await app.graphql(`{ assets ${ASK} }`, {
      headers: badKey === null ? {} : { 'x-api-key': badKey },
    })
    expect(graphql.status).toBe(401)
    const [error] = graphql.body.errors ?? []
    expect(error?.message).toContain(`Missing or invalid X-API-Key header. ${problem}`)
    expect(error?.message).toContain('or with the field register and the field create_api_key,')
  })

  it('give a key in the query a 401 in REST and GraphQL that says why', async () => {
    const why = 'It is missing, and a key in the query is not read, because addresses are logged.'
    const rest = await app.rest<ErrorBody>(`/v1/assets?api_key=${key}`)
    expect([rest.status, rest.body.message]).toEqual([401, expect.stringContaining(why)])
    const query = encodeURIComponent(`{ assets ${ASK} }`)
    const graphql = await app.rest<GraphQLAnswer<unknown>>(`/graphql?query=${query}&api_key=${key}`)
    expect([graphql.status, graphql.body.errors?.[0]?.message]).toEqual([401, expect.stringContaining(why)])
    expect(rest.text + graphql.text).not.toContain(key)
  })

  it.each([
    ['/assets/bitcoin/ohlcv', '/v1/assets/bitcoin/ohlcv'],
    ['/v2/stock/AAPL', '/v1/stocks/AAPL'],
    ['/api/v1/forex', '/v1/forex'],
    ['/graphq', '/graphql'],
    ['/openapi', '/openapi.json'],
    ['/login', '/auth/login'],
  ])('give the unknown path %s a 404 that offers %s', async (path, near) => {
    const { status, body } = await app.rest<ErrorBody>(path)
    expect([status, body.message]).toEqual([404, `No such path: ${path}. Did you mean ${near}?`])
  })

  it.each([
    ['/v1/stock/AAPL/dividend', '/v1/stocks/AAPL/dividends'],
    ['/v1/forex/EUR/USD', '/v1/forex'],
    ['/v1/Assets/bitcoin/candles', '/v1/assets/bitcoin'],
    ['/v1/asset/search', '/v1/assets/search'],
  ])('give the unknown route %s a 404 that offers %s, with a key and without one', async (path, near) => {
    for (const call of [{ key }, {}]) {
      const { status, body } = await app.rest<ErrorBody>(path, call)
      expect([status, body.message]).toEqual([404, `No such route: ${path}. Did you mean ${near}?`])
    }
  })

  it.each([`/v1/${'assets/'.repeat(2_000)}`, `/v1/${'a'.repeat(12_000)}`, `/${'v1/'.repeat(60)}`])(
    'give a very long path a 404 without a suggestion: %#',
    async (path) => {
      const { status, body } = await app.rest<ErrorBody>(path, { key })
      expect([status, body.message]).toEqual([404, expect.not.stringContaining('Did you mean')])
    },
  )

  it('name no page of tiers until the operator sets one', async () => {
    const plain = await startTestApp('pglite', { database: app.database, env: { UPGRADE_URL: '' } })
    try {
      const free = await plain.newKey({ tier: 'free' })
      const rest = await plain.rest<ErrorBody>('/v1/star/dim/tiers', { key: free })
      expect([rest.status, rest.body]).toEqual([
        403,
        expect.not.objectContaining({ upgrade_url: expect.anything() }),
      ])
      const graphql = await plain.graphql('{ star_dim_tiers { data { tier } } }', { key: free })
      expect(graphql.body.errors?.[0]?.extensions).not.toHaveProperty('upgrade_url')
      const upsell = await plain.rest('/v1/assets/bitcoin/ai', { key: free })
      expect(upsell.body).toMatchObject({
        data: { _upsell: { required_scope: 'ai:read', upgrade_url: null } },
      })
    } finally {
      await plain.close()
    }
  })

  it('give a revoked key a 401 within a second', async () => {
    const doomed = await app.newKey({ tier: 'free' })
    expect((await app.rest('/v1/usage', { key: doomed })).status).toBe(200)
    const list = await app.rest<{ keys: { key_id: string }[] }>('/auth/keys', { key: doomed })
    const revoked = await app.rest(`/auth/keys/${list.body.keys[0]?.key_id}`, {
      key: doomed,
      method: 'DELETE',
    })
    expect(revoked.status).toBe(204)
    app.clock.advance(1_000)
    expect((await app.rest<ErrorBody>('/v1/usage', { key: doomed })).body.error).toBe('unauthorized')
  })

  it('give a spent quota a 429 in REST and GraphQL until the window ends', async () => {
    const small = await app.newKey({ tier: 'free' })
    for (let call = 0; call < 7; call++) {
      expect((await app.rest('/v1/assets/bitcoin', { key: small })).status).toBe(200)
      expect((await app.graphql(`{ asset(id: "bitcoin") ${ASK} }`, { key: small })).status).toBe(200)
    }
    const rest = await app.rest<ErrorBody>('/v1/assets/bitcoin', { key: small })
    const graphql = await app.graphql(`{ asset(id: "bitcoin") ${ASK} }`, { key: small })
    expect([rest.status, rest.body.error, rest.body.upgrade_url]).toEqual([
      429,
      'rate_limit_exceeded',
      app.config.upgradeUrl,
    ])
    expect(rest.headers.get('x-ratelimit-remaining')).toBe('0')
    expect([graphql.status, graphql.body.errors?.[0]?.extensions.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(rest.body.retry_after).toBe(Date.parse('2026-11-20T13:00:00Z') / 1000)
    const wait = Number(rest.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    app.clock.advance(wait * 1000)
    expect((await app.rest('/v1/assets/bitcoin', { key: small })).status).toBe(200)
  })

  it('are problem details for clients that accept them', async () => {
    const { body, headers } = await app.rest<ErrorBody & { status: number; title: string }>(
      '/v1/assets?limit=0',
      {
        key,
        headers: { accept: 'application/problem+json' },
      },
    )
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(body).toMatchObject({ status: 422, error: 'validation_error' })
  })

  it('put no key in an answer or log line', async () => {
    await app.rest('/v1/assets?limit=0', { key })
    expect(app.logLines.length).toBeGreaterThan(0)
    expect(app.logLines.join('')).not.toContain(key)
  })
})
