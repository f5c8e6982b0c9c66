import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database.js'

interface Stock {
  readonly ticker: string
  readonly mic: string
  readonly sector_gics: string
}

interface List<Item> {
  readonly data: readonly Item[]
  readonly meta: {
    readonly total: number
    readonly has_next: boolean
    readonly data_quality: string
    readonly is_dev_dataset: boolean
    readonly source: string
  }
  readonly _meta: { readonly sources: readonly string[]; readonly freshness_status: string }
}

interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

/** Another company that trades under the ticker of SAP, in London. */
const NAMESAKE = 9_001

describe('stocks', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    await database.rows(
      `insert into asset (asset_id, slug, ticker, name, asset_class, last_updated, source)
       values ($1, 'sapphire', 'SAP', 'Sapphire plc', 'stock', now(), 'seed')`,
      [NAMESAKE],
    )
    await database.rows(
      `insert into instrument (instrument_id, asset_id, ticker, mic, currency, is_primary, source)
       values ($1, $1, 'SAP', 'XLON', 'GBP', true, 'seed')`,
      [NAMESAKE],
    )
    app = await startTestApp(quickestDatabase(), { database, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const rest = <Body>(path: string) => app.rest<Body>(path, { key })
  const graphql = async <Data>(query: string) => {
    const { body } = await app.graphql<Data>(query, { key })
    expect(body.errors).toBeUndefined()
    return body.data as Data
  }

  /** SQL statements of an operation: the fewest of several runs, since the process writes in the background too. */
  const statementsOf = async (query: string) => {
    const counts: number[] = []
    for (let run = 0; run < 4; run++) {
      const before = app.database.statementCount()
      await graphql(query)
      counts.push(app.database.statementCount() - before)
    }
    return Math.min(...counts)
  }

  it('are listed in the order of their keys, with the total, and beyond the last page too', async () => {
    const { status, headers, body } = await rest<List<Stock>>('/v1/stocks?limit=3')
    expect([status, headers.get('x-total-count')]).toEqual([200, '61'])
    expect(body.data.map(({ ticker }) => ticker)).toEqual(['AAPL', 'MSFT', 'NVDA'])
    expect(body.meta).toMatchObject({ total: 61, has_next: true, is_dev_dataset: true, source: 'seed' })
    expect(body._meta).toMatchObject({ sources: ['seed'], freshness_status: 'fresh' })
    const beyond = await rest<List<Stock>>('/v1/stocks?offset=500')
    expect(beyond.body).toMatchObject({
      data: [],
      meta: { total: 61, has_next: false, data_quality: 'empty' },
    })
  })

  it('are narrowed by market and sector, in both APIs alike', async () => {
    const { body } = await rest<List<Stock>>('/v1/stocks?mic=XETR&sector=Materials')
    expect(body.data).toMatchObject([{ ticker: 'BAS', mic: 'XETR', sector_gics: 'Materials' }])
    expect(body.meta).toMatchObject({ total: 1, data_quality: 'partial' }) // its FIGI is not known
    const data = await graphql<{ stocks: List<Stock> }>(
      '{ stocks(mic: "xetr", sector: "Materials") { data { ticker mic sector_gics } meta { total } } }',
    )
    expect(data.stocks).toEqual({
      data: [{ ticker: 'BAS', mic: 'XETR', sector_gics: 'Materials' }],
      meta: { total: 1 },
    })
    expect((await rest<List<Stock>>('/v1/stocks?mic=XETR')).body.meta.total).toBe(6)
  })

  it('refuse what is no market and no sector, all at once', async () => {
    const { status, body } = await rest<ErrorBody>('/v1/stocks?mic=NASDAQ&sector=Financial&limit=0')
    expect(status).toBe(422)
    expect(body.details?.map(({ field }) => field).sort()).toEqual(['limit', 'mic', 'sector'])
    expect(body.details?.find(({ field }) => field === 'sector')?.message).toContain(
      'did you mean Financials?',
    )
  })

  it('are had by ticker, and by market where two have the ticker', async () => {
    const { body } = await rest<{ data: Stock }>('/v1/stocks/nvda')
    expect(body.data).toMatchObject({
      ticker: 'NVDA',
      mic: 'XNAS',
      cik: '0001045810',
      price_consensus_usd: null,
    })
    const ambiguous = await rest<ErrorBody>('/v1/stocks/SAP')
    expect(ambiguous.status).toBe(422)
    expect(ambiguous.body.details).toEqual([
      { field: 'mic', message: 'is needed: SAP is listed on XETR (SAP SE), XLON (Sapphire plc)' },
    ])
    expect((await rest<{ data: object }>('/v1/stocks/SAP?mic=XLON')).body.data).toMatchObject({
      name: 'Sapphire plc',
    })
    expect((await rest<{ data: object }>('/v1/stocks/sap?mic=xetr')).body.data).toMatchObject({
      name: 'SAP SE',
    })
    const { data } = await rest<List<object>>('/v1/stocks/SAP/dividends?mic=XLON').then(
      ({ body: list }) => list,
    )
    expect(data).toEqual([])
    expect((await rest<ErrorBody>('/v1/stocks/SAP/dividends')).status).toBe(422)
  })

  it('that changed their ticker are a 404 under the old one, which says what it became and when', async () => {
    const old = await rest<ErrorBody>('/v1/stocks/FB')
    expect([old.status, old.body.message]).toEqual([
      404,
      'No stock has the ticker FB: Meta Platforms, Inc. Class A is META since 2022-06-09; see GET /v1/stocks/META.',
    ])
    expect((await rest<ErrorBody>('/v1/stocks/FB/dividends')).body.message).toBe(old.body.message)
    const discovered = await rest<ErrorBody>('/v1/discover/fb')
    expect([discovered.status, discovered.body.message]).toEqual([
      404,
      'No instrument has the ticker FB: Meta Platforms, Inc. Class A is META since 2022-06-09; see GET /v1/discover/META.',
    ])
    const unknown = await rest<ErrorBody>('/v1/stocks/NOSUCH')
    expect([unknown.status, unknown.body.message]).toEqual([404, 'No stock has the ticker NOSUCH.'])
    const { body } = await rest<List<object>>('/v1/stocks/META/corporate-actions')
    expect(body.data.at(0)).toEqual({
      ticker: 'META',
      action_type: 'ticker_change',
      ex_date: '2022-06-09',
      ratio: null,
      description: 'The ticker FB was given up; it is META today.',
    })
  })

  it('pay dividends, newest first, page by page', async () => {
    const { body } = await rest<
      List<{ ex_date: string; amount: number; currency: string; frequency: string }>
    >('/v1/stocks/JPM/dividends?limit=100')
    const days = body.data.map(({ ex_date }) => ex_date)
    expect(days).toEqual([...days].sort().reverse())
    expect(days.length).toBe(body.meta.total)
    expect(days.length).toBeGreaterThan(14)
    expect(body.data[0]).toMatchObject({ currency: 'USD', frequency: 'quarterly' })
    expect(body.meta).toMatchObject({ is_dev_dataset: true, source: 'seed' })
    const second = await rest<List<{ ex_date: string }>>('/v1/stocks/JPM/dividends?limit=2&offset=2')
    expect(second.body.data.map(({ ex_date }) => ex_date)).toEqual(days.slice(2, 4))
    expect(second.body.meta).toMatchObject({ total: days.length, has_next: true })
    expect(second.headers.get('link')).toContain('rel="next"')
  })

  const EDGES = `ticker asset { ticker } corporate_actions(limit: 3) { action_type former_ticker }
    dividends(limit: 2) { ex_date amount } identifiers { scheme value }`

  it('lead to their events, identifiers and asset: as many statements for 20 as for one', async () => {
    const query = (limit: number) => `{ stocks(limit: ${limit}) { data { ${EDGES} } } }`
    expect(await statementsOf(query(20))).toBe(await statementsOf(query(1)))
    const { stocks } = await graphql<{
      stocks: { data: readonly { ticker: string; asset: { ticker: string }; dividends: readonly object[] }[] }
    }>(query(20))
    expect(stocks.data).toHaveLength(20)
    for (const { ticker, asset } of stocks.data) expect(asset.ticker).toBe(ticker)
    expect(stocks.data.some(({ dividends }) => dividends.length === 2)).toBe(true)
  })

  it('are reached from their asset, and know every ticker that it had', async () => {
    const { asset } = await graphql<{ asset: { data: object } }>(
      '{ asset(id: "meta-platforms") { data { stock { corporate_actions { former_ticker } identifiers { scheme value valid_from valid_to } } } } }',
    )
    const ends = { valid_from: null, valid_to: null }
    expect(asset.data).toEqual({
      stock: {
        corporate_actions: expect.arrayContaining([{ former_ticker: 'FB' }]),
        identifiers: [
          { scheme: 'ticker', value: 'META', valid_from: '2022-06-09', valid_to: null },
          { scheme: 'ticker', value: 'FB', valid_from: null, valid_to: '2022-06-09' },
          { scheme: 'isin', value: 'US30303M1027', ...ends },
          { scheme: 'figi', value: 'BBG000MM2P62', ...ends },
          { scheme: 'cik', value: '0001326801', ...ends },
          { scheme: 'lei', value: 'BQ4BKCS1HXDV9HN80Z93', ...ends },
        ],
      },
    })
  })
})
