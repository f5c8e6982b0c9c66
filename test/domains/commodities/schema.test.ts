import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decimal, decimalText } from '../../../src/core/decimal.js'
import { parseIsoDate } from '../../../src/core/time.js'
import { writeCommodityPrices } from '../../../src/domains/commodities/store.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

interface Commodity {
  readonly symbol: string
  readonly price_usd: number
  readonly price_date: string
  readonly source: string
  readonly history?: readonly {
    readonly price_date: string
    readonly price_usd: number
    readonly source: string
  }[]
  readonly asset?: { readonly ticker: string } | null
}

describe('commodities', () => {
  const statements: string[] = []
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), {
      database: interposed(database, (sql) => void statements.push(sql)),
      env: { CACHE_BYTES: '0' },
    })
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })
  beforeEach(() => {
    statements.length = 0
  })

  const ofPrices = () => statements.filter((sql) => sql.includes('commodity_price')).length
  const ask = async <Data>(query: string) => {
    const { body } = await app.graphql<Data>(query, { key })
    expect(body.errors).toBeUndefined()
    return body.data ?? expect.fail('no data')
  }
  /** Prices known since that instant, e.g. `XAU 2026-09-01 5`. */
  const write = (source: string, knownAt: string, ...texts: readonly string[]) =>
    app.database.transaction((tx) =>
      writeCommodityPrices(
        tx,
        texts.map((text) => {
          const [symbol = '', date = '', price = ''] = text.split(' ')
          const priceDate = parseIsoDate(date) ?? expect.fail(date)
          return { symbol, priceDate, priceUsd: decimalText(decimal(price)) }
        }),
        { knownAt: new Date(knownAt), source },
      ),
    )

  it('are listed with their newest prices by one statement', async () => {
    const { body } = await app.rest<{ data: readonly Commodity[]; meta: Record<string, unknown> }>(
      '/v1/commodities',
      { key },
    )
    expect(body.data.map(({ symbol }) => symbol)).toEqual([
      'XAU',
      'XAG',
      'XPT',
      'XPD',
      'CL',
      'BRN',
      'NG',
      'HG',
    ])
    expect(new Set(body.data.map(({ price_date }) => price_date))).toEqual(new Set(['2026-10-01']))
    expect(body.meta).toMatchObject({ total: 8, has_next: false, is_dev_dataset: true, source: 'seed' })
    expect(ofPrices()).toBe(1)
  })

  it('lead to their assets and histories, and assets to them, each by one statement', async () => {
    const { commodities } = await ask<{ commodities: { data: readonly Commodity[] } }>(
      '{ commodities { data { symbol history(limit: 3) { price_date price_usd source } asset { ticker } } } }',
    )
    expect(commodities.data.map(({ history }) => history?.length)).toEqual(Array(8).fill(3))
    expect(commodities.data.map(({ asset }) => asset?.ticker)).toEqual(
      commodities.data.map(({ symbol }) => symbol),
    )
    expect(ofPrices()).toBe(2)
    statements.length = 0
    const { assets } = await ask<{ assets: { data: readonly { ticker: string; commodity: Commodity }[] } }>(
      '{ assets(asset_class: commodity, limit: 20) { data { ticker commodity { symbol price_usd } } } }',
    )
    expect(assets.data.map(({ commodity }) => commodity.symbol)).toEqual(
      assets.data.map(({ ticker }) => ticker),
    )
    expect([assets.data.length, ofPrices()]).toEqual([8, 1])
    statements.length = 0
    const { assets: others } = await ask<{ assets: { data: readonly { commodity: Commodity | null }[] } }>(
      '{ assets(asset_class: crypto, limit: 20) { data { commodity { symbol } } } }',
    )
    expect([others.data.every(({ commodity }) => commodity === null), ofPrices()]).toEqual([true, 0])
  })

  it('use the newest month of any source, the World Bank’s for the same month, and keep earlier knowledge', async () => {
    await app.database.rows("delete from commodity_price where symbol = 'XPD'")
    await write('worldbank', '2026-11-01T00:00:00Z', 'XPD 2026-08-01 10', 'XPD 2026-09-01 11')
    await write('imf', '2026-11-02T00:00:00Z', 'XPD 2026-09-01 12', 'XPD 2026-10-01 13')
    await write('imf', '2026-11-10T00:00:00Z', 'XPD 2026-10-01 14')
    const query = (as_of: string) =>
      `{ commodity(symbol: "XPD") { data { price_usd source history${as_of} { price_date price_usd source } } } }`
    const now = await ask<{ commodity: { data: Commodity } }>(query(''))
    expect(now.commodity.data).toEqual({
      price_usd: 14,
      source: 'imf',
      history: [
        { price_date: '2026-08-01', price_usd: 10, source: 'worldbank' },
        { price_date: '2026-09-01', price_usd: 11, source: 'worldbank' },
        { price_date: '2026-10-01', price_usd: 14, source: 'imf' },
      ],
    })
    const before = await ask<{ commodity: { data: Commodity } }>(
      query('(as_of: "2026-11-05T00:00:00Z", limit: 1)'),
    )
    expect(before.commodity.data.history).toEqual([
      { price_date: '2026-10-01', price_usd: 13, source: 'imf' },
    ])
    const of = async (path: string) =>
      (await app.rest<{ message: string; data: Commodity }>(`/v1/commodities${path}`, { key })).body
    expect((await of('/XPD?as_of=2026-11-05T00:00:00Z')).data).toMatchObject({ price_usd: 13, source: 'imf' })
    expect((await of('/XPD?as_of=2026-10-01T00:00:00Z')).message).toContain(
      'No price of XPD (Palladium) was ingested by 2026-10-01T00:00:00.000Z',
    )
    const listed = await app.rest<{ data: readonly Commodity[] }>(
      '/v1/commodities?as_of=2026-10-01T00:00:00Z',
      { key },
    )
    expect(listed.body.data.map(({ symbol }) => symbol).sort()).toEqual([
      'BRN',
      'CL',
      'HG',
      'NG',
      'XAG',
      'XAU',
      'XPT',
    ])
  })

  it('have a price history in pages, over both transports and as of an instant', async () => {
    const prices = async (query: string) =>
      app.rest<{ data: readonly object[]; meta: Record<string, unknown> }>(
        `/v1/commodities/xpd/prices${query}`,
        { key },
      )
    const { body, headers } = await prices('?limit=2')
    expect(body.data).toEqual([
      { price_date: '2026-08-01', price_usd: 10, source: 'worldbank' },
      { price_date: '2026-09-01', price_usd: 11, source: 'worldbank' },
    ])
    expect(body.meta).toMatchObject({
      ...{ total: 3, has_next: true, price_type: 'monthly_average', is_dev_dataset: expect.any(Boolean) },
    })
    expect(headers.get('x-total-count')).toBe('3')
    expect(headers.get('link')).toContain('/v1/commodities/xpd/prices?page=2&limit=2>; rel="next"')
    expect((await prices('?limit=2&page=2')).body).toMatchObject({
      data: [{ price_date: '2026-10-01', price_usd: 14, source: 'imf' }],
      meta: { total: 3, has_next: false },
    })
    expect((await prices('?page=9')).body).toMatchObject({
      data: [],
      meta: { total: 3, data_quality: 'empty' },
    })
    expect((await prices('?from=2026-09-01&to=2026-09-30')).body).toMatchObject({
      data: [{ price_usd: 11 }],
      meta: { total: 1 },
    })
    expect((await prices('?from=2026-10-01&as_of=2026-11-05T00:00:00Z')).body.data).toEqual([
      { price_date: '2026-10-01', price_usd: 13, source: 'imf' },
    ])
    statements.length = 0
    const { a, b } = await ask<Record<'a' | 'b', { data: readonly object[]; meta: { total: number } }>>(
      `{ a: commodity_prices(symbol: "XPD", limit: 2) { data { price_date price_usd source } meta { total } }
         b: commodity_prices(symbol: "XAU", limit: 2) { data { price_date } meta { total } } }`,
    )
    expect(a).toEqual({ data: body.data, meta: { total: 3 } })
    expect([b.data.length, b.meta.total > 2, ofPrices()]).toEqual([2, true, 2])
    const csv = await fetch(`${app.url}/v1/commodities/XPD/prices.csv`, { headers: { 'x-api-key': key } })
    expect((await csv.text()).trim().split(/\r?\n/)).toEqual([
      'price_date,price_usd,source',
      '2026-08-01,10,worldbank',
      '2026-09-01,11,worldbank',
      '2026-10-01,14,imf',
    ])
  })

  it('name the problems of a price history, and suggest a symbol', async () => {
    const answer = async (path: string) =>
      app.rest<{ message: string; details?: readonly { field: string }[] }>(`/v1/commodities/${path}`, {
        key,
      })
    const wrong = await answer('%20/prices?from=2026-02-01&to=2026-01-01&limit=0&page=0&as_of=2027-01-01')
    expect([wrong.status, wrong.body.details?.map(({ field }) => field)]).toEqual([
      422,
      ['symbol', 'from', 'limit', 'page', 'as_of'],
    ])
    const unknown = await answer('XAY/prices')
    expect([unknown.status, unknown.body.message]).toEqual([
      404,
      expect.stringContaining('did you mean XAG?'),
    ])
    expect((await answer('XPD/prices?as_of=2026-10-01T00:00:00Z')).status).toBe(404)
  })

  it('name every wrong argument, and suggest a symbol for a wrong one', async () => {
    const { body } = await app.graphql(
      '{ commodity(symbol: "XAU") { data { history(from: "2026-02-01", to: "2026-01-01", limit: 0, as_of: "2027-01-01") { source } } } }',
      { key },
    )
    expect(body.errors?.[0]?.extensions.details?.map(({ field }) => field)).toEqual([
      'from',
      'limit',
      'as_of',
    ])
    const refusal = async (symbol: string) =>
      (await app.rest<{ message: string }>(`/v1/commodities/${symbol}`, { key })).body.message
    expect(await refusal('XAY')).toContain('did you mean XAG?')
    expect(await refusal('PWHEAMT')).toContain('No price of PWHEAMT (Wheat) was ingested yet')
    expect((await app.rest('/v1/commodities/%20', { key })).status).toBe(422)
  })
})
