import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishedOperations } from '../../../src/gateway/rest/routes/published-operation.js'
import type { Tier } from '../../../src/policy/tiers.js'
import { restSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

/** Questions that were answered differently in the two styles, as `npm run parity` found them. */
describe('one request in both styles', async () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
  })
  afterAll(() => app?.close())

  const texts = new Map((await publishedOperations(restSchema)).map(({ name, text }) => [name, text]))

  async function ask(tier: Tier | null, path: string, name: string, variables: Record<string, unknown>) {
    const key = tier === null ? null : await app.newKey({ tier })
    const headers = { 'x-request-id': 'parity-case' }
    const rest = await app.rest<{ error?: string; message?: string; details?: unknown }>(path, {
      key,
      headers,
    })
    const graphql = await app.graphql<Record<string, unknown>>(texts.get(name) ?? '', {
      key,
      headers: { ...headers, accept: 'application/graphql-response+json' },
      variables,
    })
    return { rest, graphql, error: graphql.body.errors?.[0] }
  }

  it.each([
    [null, 401, '/v1/assets?limit=many', 'assets', { limit: 'many' }],
    ['starter', 403, '/v1/etf/IVV/holdings?offset=%20', 'etf_holdings', { ticker: 'IVV', offset: ' ' }],
    ['free', 403, '/v1/onchain/one/0x', 'address_snapshot', { chain_id: 'one', address: '0x' }],
  ] as const)(
    'says to %s who may not ask that it may not (%i), and not what is wrong with %s',
    async (tier, status, path, name, variables) => {
      const { rest, graphql, error } = await ask(tier, path, name, variables)
      expect([rest.status, graphql.status]).toEqual([status, status])
      // The ways to a key are fields in GraphQL and routes in REST.
      const inRest = error?.message
        .replace('the field register', 'POST /auth/register')
        .replace('the field create_api_key', 'POST /auth/keys')
      expect([error?.extensions.code.toLowerCase(), inRest]).toEqual([rest.body.error, rest.body.message])
      expect(error?.extensions.details).toBeUndefined()
      expect(graphql.headers.get('www-authenticate')).toBe(rest.headers.get('www-authenticate'))
    },
  )

  it('reports wrong variables to callers who may run part of an operation, or read the schema', async () => {
    const key = await app.newKey({ tier: 'starter' })
    const wrong = async (fields: string, asker: string | null = key) => {
      const query = `query ($limit: Int, $on: Boolean!) { ...all } fragment all on Query { ${fields} }`
      const { body } = await app.graphql(query, { key: asker, variables: { limit: 'many' } })
      return body.errors?.[0]?.extensions.code
    }
    const holdings = 'etf_holdings(ticker: "IVV", limit: $limit) @include(if: $on) { meta { total } }'
    const assets = 'assets(limit: $limit) @include(if: $on) { meta { total } }'
    expect(await wrong(`... on Query { ${holdings} } a: ${holdings}`)).toBe('FORBIDDEN')
    expect(await wrong(`${holdings} ${assets}`)).toBe('BAD_REQUEST')
    expect(await wrong(`${holdings} ${assets}`, null)).toBe('UNAUTHORIZED')
    expect(await wrong(`__typename ${holdings} ${assets}`, null)).toBe('BAD_REQUEST')
  })

  it('names the datasets of an answer in one order', async () => {
    const { rest, graphql } = await ask('pro', '/v1/stocks/AAPL', 'stock', { ticker: 'AAPL' })
    expect(rest.headers.get('x-data-version')).toMatch(/^(?:[a-z_]+=\d+, )+instruments=\d+, prices=\d+$/)
    expect(graphql.headers.get('x-data-version')).toBe(rest.headers.get('x-data-version'))
  })

  it('names the bounds of the parameter for a number that no Int can hold', async () => {
    const { rest, error } = await ask('free', '/v1/assets?limit=2147483648', 'assets', {
      limit: 2_147_483_648,
    })
    const message = 'must be between 1 and 100; got 2147483648'
    expect(rest.body.details).toEqual([{ field: 'limit', message }])
    expect(error?.extensions.details).toEqual(rest.body.details)
  })

  it.each([
    ['H1:i', 'must be one of 1h, 1d; got "H1:i"'],
    ['1d*', 'must be one of 1h, 1d; did you mean "1d"?'],
    ['2h', 'must be one of 1h, 1d; got "2h"'],
  ])('names and suggests the texts of an enum: %s', async (timeframe, message) => {
    const { rest, error } = await ask(
      'pro',
      `/v1/assets/bitcoin/ohlcv?timeframe=${encodeURIComponent(timeframe)}`,
      'ohlcv',
      { id: 'bitcoin', timeframe },
    )
    expect(rest.body.details).toEqual([{ field: 'timeframe', message }])
    expect(error?.extensions.details).toEqual(rest.body.details)
  })

  it.each(['1d', '1D', 'D1'])('takes the text of an enum in any case, and its name: %s', async (frame) => {
    const inVariable = await app.graphql<Record<string, unknown>>(
      'query Q($frame: Timeframe) { ohlcv(id: "bitcoin", timeframe: $frame, limit: 1) { data { timeframe } } }',
      { key: await app.newKey({ tier: 'pro' }), variables: { frame } },
    )
    expect(inVariable.body.data).toEqual({ ohlcv: { data: { timeframe: '1d' } } })
    const literal = frame === 'D1' ? frame : `"${frame}"`
    const inDocument = await app.graphql<Record<string, unknown>>(
      `{ ohlcv(id: "bitcoin", timeframe: ${literal}, limit: 1) { data { timeframe } } }`,
      { key: await app.newKey({ tier: 'pro' }) },
    )
    expect(inDocument.body.data).toEqual(inVariable.body.data)
  })

  it.each(['UUID!', 'String!'])('takes a UUID from a variable of type %s', async (type) => {
    const { status, body } = await app.graphql<Record<string, unknown>>(
      `query Q($id: ${type}) { ai_analysis_snapshot(snapshot_id: $id) { asset_id } }`,
      { key: await app.newKey({ tier: 'pro' }), variables: { id: '00000000-0000-4000-8000-000000000001' } },
    )
    expect([status, body.errors?.[0]?.message]).toEqual([404, expect.stringContaining('00000000')])
  })

  it('refuses a UUID that may be null where one is required', async () => {
    const { status, body } = await app.graphql<Record<string, unknown>>(
      'query Q($id: UUID) { ai_analysis_snapshot(snapshot_id: $id) { asset_id } }',
      { key: await app.newKey({ tier: 'pro' }), variables: {} },
    )
    expect([status, body.errors?.[0]?.message]).toEqual([400, expect.stringContaining('"UUID!"')])
  })
})
