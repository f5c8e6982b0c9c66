import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

interface Body<Data> {
  readonly data: Data
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: Readonly<Record<string, unknown>>
}

interface Holding {
  readonly ticker: string | null
  readonly name: string
  readonly isin: string | null
  readonly weight: number
  readonly report_date: string
}

interface Held {
  readonly instrument: { readonly ticker: string; readonly asset: { readonly name: string } } | null
}

interface Holders {
  readonly held_by: readonly {
    readonly weight: number
    readonly report_date: string
    readonly etf: { readonly ticker: string; readonly name: string }
  }[]
}

describe('ETFs', () => {
  const statements: string[] = []
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), {
      database: interposed(database, (sql) => void statements.push(sql)),
      env: { CACHE_BYTES: '0' },
    })
    key = await app.newKey({ tier: 'growth' })
    // As a fund of which nobody has read a report.
    await database.rows(
      `delete from etf_report where asset_id = (select asset_id from asset where slug = 'spdr-gold-shares')`,
    )
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const rest = <Answer>(path: string) => app.rest<Answer>(`/v1/etf${path}`, { key })
  const graphql = async <Data>(query: string) => {
    const { body } = await app.graphql<Data>(query, { key })
    expect(body.errors).toBeUndefined()
    return body.data ?? expect.fail('no data')
  }
  /** Statements that read reports or holdings. */
  const ofReports = () => statements.splice(0).filter((sql) => /\betf_(report|holding)\b/.test(sql))

  it('are listed in the order of their keys, with their newest figures', async () => {
    const { status, body, headers } =
      await rest<Body<readonly Readonly<Record<string, unknown>>[]>>('?limit=3')
    expect([status, headers.get('x-total-count')]).toEqual([200, '20'])
    expect(body.data.map(({ ticker }) => ticker)).toEqual(['SPY', 'IVV', 'QQQ'])
    expect(body.data[1]).toEqual({
      ticker: 'IVV',
      name: 'iShares Core S&P 500 ETF',
      isin: 'US4642872000',
      mic: 'ARCX',
      currency: 'USD',
      issuer: 'iShares',
      nav: expect.any(Number),
      nav_date: '2026-11-19',
      holdings_count: 39,
    })
    expect(body.meta).toMatchObject({
      total: 20,
      has_next: true,
      data_quality: 'full',
      is_dev_dataset: true,
      source: 'seed',
    })
    expect(body._meta).toMatchObject({
      last_updated_at: '2026-11-20T00:00:00.000Z',
      freshness_status: 'fresh',
      sources: ['seed'],
    })
  })

  it('return the ten heaviest holdings and the NAV as one bare answer', async () => {
    const { body } = await rest<Readonly<Record<string, unknown>>>('/ivv')
    expect(body).toEqual({
      ticker: 'IVV',
      name: 'iShares Core S&P 500 ETF',
      nav: expect.any(Number),
      nav_date: '2026-11-19',
      holdings_count: 39,
      top_holdings: expect.any(Array),
      source: 'seed',
      _meta: expect.objectContaining({ sources: ['seed'] }),
    })
    const top = body.top_holdings as { ticker: string; weight: number }[]
    expect(top).toHaveLength(10)
    expect(top.map(({ weight }) => weight)).toEqual(top.map(({ weight }) => weight).sort((a, b) => b - a))
  })

  it('have only nulls without a report', async () => {
    const { body } = await rest<Readonly<Record<string, unknown>>>('/GLD')
    expect(body).toMatchObject({
      nav: null,
      nav_date: null,
      holdings_count: null,
      top_holdings: [],
      source: null,
    })
    const holdings = await rest<Body<readonly Holding[]>>('/GLD/holdings')
    expect([holdings.status, holdings.body.data]).toEqual([200, []])
    expect(holdings.body.meta).toMatchObject({ total: 0, data_quality: 'empty' })
  })

  it('are instruments with verified facts, and null for the rest', async () => {
    const { body } = await rest<Body<Readonly<Record<string, unknown>>>>('/IVV/instrument')
    expect(body.data).toEqual({
      ticker: 'IVV',
      name: 'iShares Core S&P 500 ETF',
      isin: 'US4642872000',
      figi: 'BBG000BVZ4F5',
      mic: 'ARCX',
      currency: 'USD',
      issuer: 'iShares',
      domicile: 'US',
      expense_ratio: null,
      inception_date: '2000-05-15',
      net_assets_usd: expect.any(Number),
      nav: expect.any(Number),
      nav_date: '2026-11-19',
      holdings_count: 39,
      last_updated: '2026-11-20T12:00:00.000Z',
      newest_close: {
        ...{ close: expect.any(Number), currency: 'USD', date: '2026-11-19' },
        ...{ price_source: 'close', source: 'seed' },
      },
    })
  })

  it('have weights that sum to 1, negative ones included', async () => {
    for (const ticker of [
      'SPY',
      'IVV',
      'QQQ',
      'VTI',
      'SPUS',
      'SPSK',
      'HLAL',
      'ISWD',
      'IWDA',
      'VWCE',
      'VUSA',
      'VOO',
      'AGG',
      'IWM',
      'EFA',
      'DIA',
      'ISUS',
      'CSP1',
      'EMIM',
    ]) {
      const { body } = await rest<Body<readonly Holding[]>>(`/${ticker}/holdings?limit=100`)
      const sum = body.data.reduce((total, { weight }) => total + weight, 0)
      expect([ticker, sum.toFixed(9)]).toEqual([ticker, '1.000000000'])
    }
    const { body } = await rest<Body<readonly Holding[]>>('/VTI/holdings?limit=100')
    expect(body.data.at(-1)).toMatchObject({ name: 'INDEX FUTURE', weight: -0.003 })
  })

  it('return the report of a day, and 404 for a day before all reports', async () => {
    const of = async (query: string) =>
      (await rest<Body<readonly Holding[]>>(`/IVV/holdings?limit=1${query}`)).body
    expect((await of('')).data[0]?.report_date).toBe('2026-11-19')
    expect((await of('&report_date=2026-11-18')).data[0]?.report_date).toBe('2026-10-31')
    expect((await of('&known_at=2026-11-20T12:00:00Z')).data[0]?.report_date).toBe('2026-11-19')
    const fund = async (path: string) => (await rest<Body<{ nav_date: string }>>(path)).body
    expect((await fund('/IVV/instrument?report_date=2026-11-18')).data.nav_date).toBe('2026-10-31')
    expect(await fund('/IVV?report_date=2026-11-18')).toMatchObject({ nav_date: '2026-10-31' })
    expect((await fund('?limit=1&report_date=2026-11-18')).data).toMatchObject([{ nav_date: '2026-10-31' }])
    expect((await fund('?limit=1&report_date=2026-10-30')).data).toMatchObject([{ nav_date: null }])
    const early = await rest<{ message: string }>('/IVV/holdings?report_date=2026-10-30')
    expect([early.status, early.body.message]).toEqual([
      404,
      'The ETF IVV has no report of its holdings of 2026-10-30 or earlier.',
    ])
    const unknown = await rest<{ message: string }>('/IVV/holdings?known_at=2026-11-20T11:00:00Z')
    expect([unknown.status, unknown.body.message]).toEqual([
      404,
      'The ETF IVV has no report of its holdings that was known at 2026-11-20T11:00:00.000Z.',
    ])
  })

  it('list the dates of their reports, the newest first, as known at an instant, beside one statement for the fund', async () => {
    interface Report {
      readonly report_date: string
      readonly holdings_count: number
    }
    const { body, headers } = await rest<Body<readonly Report[]>>('/ivv/reports')
    expect(body.data.map(({ report_date }) => report_date)).toEqual(['2026-11-19', '2026-10-31'])
    expect(body.data[0]).toEqual({
      report_date: '2026-11-19',
      as_of: '2026-11-19',
      published_at: null,
      holdings_count: expect.any(Number),
      accession: null,
      source: 'seed',
    })
    expect([body.meta.total, headers.get('x-total-count')]).toEqual([2, '2'])
    for (const { report_date, holdings_count } of body.data) {
      const holdings = (
        await rest<Body<readonly Holding[]>>(`/IVV/holdings?report_date=${report_date}&limit=1`)
      ).body
      expect([holdings.data[0]?.report_date, holdings.meta.total]).toEqual([report_date, holdings_count])
    }
    const second = (await rest<Body<readonly Report[]>>('/IVV/reports?limit=1&offset=1')).body
    expect(second).toMatchObject({ data: [{ as_of: '2026-10-31' }], meta: { total: 2, has_next: false } })
    const former = await rest<Body<readonly Report[]>>('/IVV/reports?as_of=2026-11-18')
    const before = (await rest<Body<readonly Report[]>>('/IVV/reports?report_date=2026-11-18')).body
    expect(former.body.data).toEqual(before.data)
    const both = await rest<{ message: string }>('/IVV/reports?as_of=2026-11-18&report_date=2026-11-18')
    expect([both.status, both.body.message]).toEqual([
      422,
      'as_of: is the former name of report_date; give one of them',
    ])
    expect([before.data, before.meta.total]).toEqual([[body.data[1]], 1])
    expect((await rest('/IVV/reports?report_date=2026-10-30')).status).toBe(404)
    const beyond = (await rest<Body<readonly Report[]>>('/IVV/reports?offset=5')).body
    expect([beyond.data, beyond.meta.total]).toEqual([[], 2])
    expect((await rest('/IVV/reports?known_at=2026-11-20T11:00:00Z')).status).toBe(404)
    expect((await rest('/AAPL/reports')).status).toBe(404)
    expect((await rest<Body<readonly Report[]>>('/GLD/reports')).body).toMatchObject({
      data: [],
      meta: { total: 0, data_quality: 'empty' },
    })
    ofReports()
    const { etf_reports } = await graphql<{ etf_reports: Body<readonly Report[]> }>(
      '{ etf_reports(ticker: "IVV") { data { report_date as_of published_at holdings_count accession source } } }',
    )
    expect(etf_reports.data).toEqual(body.data)
    expect(ofReports()).toHaveLength(2)
  })

  it('refuse a ticker that is not an ETF, and name all malformed arguments', async () => {
    const stock = await rest<{ message: string }>('/AAPL')
    expect([stock.status, stock.body.message]).toEqual([
      404,
      expect.stringContaining('GET /v1/discover/AAPL'),
    ])
    const wrong = await rest<{ details: readonly { field: string }[] }>(
      '/a%20b/holdings?limit=101&offset=-1&report_date=2027-01-01&known_at=2027-01-01T00:00:00Z',
    )
    expect(wrong.status).toBe(422)
    expect(wrong.body.details.map(({ field }) => field).sort()).toEqual([
      'known_at',
      'limit',
      'offset',
      'report_date',
      'ticker',
    ])
  })

  it('lead from holdings to instruments and assets, each level in one statement', async () => {
    const read = async (limit: number) => {
      statements.length = 0
      const data = await graphql<{ etf_holdings: { data: readonly Held[] } }>(
        `{ etf_holdings(ticker: "VTI", limit: ${limit}) { data { name instrument { ticker asset { name } } } } }`,
      )
      return { data: data.etf_holdings.data, ofReports: ofReports().length }
    }
    const two = await read(2)
    const all = await read(50)
    expect(all.data.filter(({ instrument }) => instrument !== null)).toHaveLength(38)
    expect(all.data.filter(({ instrument }) => instrument === null)).toHaveLength(2)
    expect(two.data[0]?.instrument).toEqual({
      ticker: 'ADBE',
      asset: { name: 'Adobe Inc.' },
    })
    // The fund, its page, the instruments; the number does not grow with the page.
    expect([two.ofReports, all.ofReports]).toEqual([3, 3])
  })

  it('are named by the stocks that they hold, all stocks of a page in one statement', async () => {
    const read = async (limit: number) => {
      statements.length = 0
      const data = await graphql<{ assets: { data: readonly Holders[] } }>(
        `{ assets(asset_class: stock, limit: ${limit}) { data { held_by { weight as_of etf { ticker name } } } } }`,
      )
      return { data: data.assets.data, ofReports: ofReports().length }
    }
    const one = await read(1)
    const all = await read(60)
    // Who holds them, and the funds.
    expect([one.ofReports, all.ofReports]).toEqual([2, 2])
    const [apple] = all.data
    expect(apple?.held_by.map(({ etf }) => etf.ticker).sort()).toEqual([
      'CSP1',
      'DIA',
      'HLAL',
      'ISUS',
      'ISWD',
      'IVV',
      'IWDA',
      'QQQ',
      'SPUS',
      'SPY',
      'VOO',
      'VTI',
      'VUSA',
      'VWCE',
    ])
    const weights = apple?.held_by.map(({ weight }) => weight) ?? []
    expect(weights).toEqual([...weights].sort((a, b) => b - a))
    const { asset } = await graphql<{ asset: { data: Holders } }>(
      '{ asset(id: "apple") { data { held_by(limit: 2) { weight as_of etf { ticker name } } } } }',
    )
    expect(asset.data.held_by).toEqual(apple?.held_by.slice(0, 2))
    const { stock } = await graphql<{ stock: { data: Holders } }>(
      '{ stock(ticker: "AAPL") { data { held_by(limit: 2) { weight as_of etf { ticker name } } } } }',
    )
    expect(stock.data.held_by).toEqual(asset.data.held_by)
  })

  it('are listed by the root field and the route, in pages, as of a report date and an instant', async () => {
    statements.length = 0
    const { held_by } = await graphql<{
      held_by: {
        data: readonly {
          ticker: string
          weight: number
          shares: number
          report_date: string
          source: string
        }[]
        meta: { total: number; has_next: boolean; source: string }
      }
    }>(
      '{ held_by(ticker: "aapl", limit: 3, offset: 1) { data { ticker weight shares report_date source } meta { total has_next source } } }',
    )
    expect(ofReports()).toHaveLength(2)
    expect(held_by.meta).toEqual({ total: 14, has_next: true, source: 'seed' })
    const { asset } = await graphql<{ asset: { data: Holders } }>(
      '{ asset(id: "apple") { data { held_by(limit: 4) { weight as_of etf { ticker name } } } } }',
    )
    expect(held_by.data.map(({ ticker, weight }) => [ticker, weight])).toEqual(
      asset.data.held_by.slice(1).map(({ etf, weight }) => [etf.ticker, weight]),
    )
    for (const { shares, source } of held_by.data) expect([shares > 0, source]).toEqual([true, 'seed'])
    const path = '/v1/stocks/AAPL/held-by'
    const rest = await app.rest<{ data: readonly Record<string, unknown>[]; meta: { total: number } }>(
      `${path}?limit=3&offset=1`,
      { key },
    )
    expect(rest.body.data).toMatchObject(held_by.data)
    expect(Object.keys(rest.body.data[0] ?? {})).toEqual([
      'ticker',
      'name',
      'isin',
      'slug',
      'weight',
      'shares',
      'market_value_usd',
      'report_date',
      'published_at',
      'source',
    ])
    const past = await app.rest<typeof rest.body>(`${path}?offset=100`, { key })
    expect([past.body.data, past.body.meta.total]).toEqual([[], 14])
    const [newest] = held_by.data
    const earlier = await app.rest<typeof rest.body>(`${path}?report_date=1990-01-01`, { key })
    expect([earlier.status, earlier.body.data]).toEqual([200, []])
    const unknown = await app.rest<typeof rest.body>(`${path}?known_at=1990-01-01T00:00:00Z`, { key })
    expect(unknown.body.data).toEqual([])
    const same = await app.rest<typeof rest.body>(
      `${path}?limit=3&offset=1&report_date=${newest?.report_date}`,
      {
        key,
      },
    )
    expect(same.body.data[0]).toMatchObject({ ticker: newest?.ticker })
    const wrong = await app.rest<{ message: string }>('/v1/stocks/AAPLE/held-by', { key })
    expect([wrong.status, wrong.body.message]).toEqual([
      404,
      expect.stringContaining('No stock has the ticker AAPLE; did you mean AAPL?'),
    ])
  })

  it('give the holdings of several funds in one statement', async () => {
    statements.length = 0
    const { etfs } = await graphql<{ etfs: { data: readonly { etf: { holdings: readonly Holding[] } }[] } }>(
      '{ etfs(limit: 12) { data { etf { holdings(limit: 2, offset: 1) { name } report { source is_stale weight_sum } } } } }',
    )
    expect(etfs.data.map(({ etf }) => etf.holdings.length)).toEqual([2, 2, 2, 2, 2, 2, 2, 0, 2, 2, 2, 2])
    expect(statements.filter((sql) => /\betf_holding\b/.test(sql))).toHaveLength(1)
  })
})
