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
      expect([error?.extensions.code.toLowerCase(), error?.message]).toEqual([
        rest.body.error,
        rest.body.message,
      ])
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
    expect(rest.headers.get('x-data-version')).toMatch(
      /^(?:[a-z_]+=\d+, )+instruments=\d+, prices=\d+, installation=\d+$/,
    )
    expect(graphql.headers.get('x-data-version')).toBe(rest.headers.get('x-data-version'))
  })

  it('shows a number that is out of range in the same words', async () => {
    const { rest, error } = await ask('free', '/v1/assets?limit=2147483648', 'assets', {
      limit: 2_147_483_648,
    })
    const message = 'must be between -2147483648 and 2147483647; got 2147483648'
    expect(rest.body.details).toEqual([{ field: 'limit', message }])
    expect(error?.extensions.details).toEqual(rest.body.details)
  })
})
