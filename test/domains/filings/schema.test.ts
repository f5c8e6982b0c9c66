import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Figures {
  readonly period_end_date: string
  readonly revenue_usd: number
  readonly ebitda_usd: number
  readonly net_income_usd: number
  readonly eps_basic: number
  readonly shares_outstanding: number
  readonly total_assets_usd: number
  readonly cash_and_equivalents_usd: number
  readonly market_cap_avg_24m_usd: number | null
  readonly public_float_usd: number
  readonly below_thresholds: boolean | null
  readonly aaoifi: {
    readonly interest_income_to_revenue: number | null
    readonly inputs: readonly { readonly figure: string }[]
    readonly reasons: readonly { readonly ratio: string; readonly reason: string }[]
  }
  readonly reasons: readonly { readonly figure: string; readonly reason: string }[]
}

interface Answered {
  readonly data: Figures
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: { readonly sources: readonly string[] }
}

interface Refused {
  readonly error: string
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

describe('fundamentals of stocks', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    // What is kept reads nothing.
    app = await startTestApp(quickestDatabase(), { env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'pro' })
    await app.database.rows(
      `insert into instrument (instrument_id, asset_id, ticker, mic, currency, is_primary, source)
       select 800002, asset_id, 'NVDA', 'XLON', 'GBP', true, 'test' from asset where slug = 'microsoft'`,
    )
  })
  afterAll(() => app?.close())

  const rest = <Body>(path: string) => app.rest<Body>(`/v1/stocks/${path}`, { key })
  const graphql = async <Data>(query: string) => {
    const { body } = await app.graphql<Data>(query, { key })
    expect(body.errors).toBeUndefined()
    if (body.data == null) throw new Error('there is data')
    return body.data
  }

  it('are consistent in the synthetic data, with the market capitalisation of 24 months', async () => {
    const { status, body } = await rest<Answered>('AAPL/fundamentals')
    expect(status).toBe(200)
    const { data, meta, _meta } = body
    expect(data.period_end_date).toBe('2025-12-31')
    expect(data.total_assets_usd).toBeGreaterThan(data.cash_and_equivalents_usd)
    expect(data.revenue_usd).toBeGreaterThan(0)
    const perShare = data.net_income_usd / data.shares_outstanding
    expect(Math.abs(data.eps_basic - perShare)).toBeLessThan(0.006)
    expect((data.market_cap_avg_24m_usd ?? 0) / data.public_float_usd).toBeGreaterThan(0.8)
    expect((data.market_cap_avg_24m_usd ?? 0) / data.public_float_usd).toBeLessThan(1.5)
    expect(data.reasons).toEqual([])
    expect(data.below_thresholds).not.toBeNull()
    expect(meta).toMatchObject({
      data_quality: 'full',
      is_dev_dataset: true,
      source: 'seed',
      upstream: null,
      fallback_used: false,
      methodology_version: 'fundamentals-3',
      data_methodology: expect.stringContaining('ratios to the mean market capitalisation of 24 months'),
      disclaimer: expect.stringContaining('Not a fatwa'),
    })
    expect(_meta.sources).toEqual(['seed'])
  })

  it('are null with the reason if a figure is not filed; the public float then replaces it by name', async () => {
    const { body } = await rest<Answered>('GOOGL/fundamentals')
    expect(body.data).toMatchObject({ shares_outstanding: null, market_cap_avg_24m_usd: null })
    expect(body.data.aaoifi.inputs.map(({ figure }) => figure)).toContain('public_float_usd')
    expect(body.meta).toMatchObject({
      data_quality: 'partial',
      fallback_used: true,
      data_methodology: expect.stringContaining(
        'ratios to the public float, because the average of 24 months is unknown',
      ),
    })
    const amazon = (await rest<Answered>('AMZN/fundamentals')).body.data
    expect(amazon.aaoifi.interest_income_to_revenue).toBeNull()
    expect(amazon.below_thresholds).toBeNull()
    expect(amazon.aaoifi.reasons).toEqual([
      { ratio: 'interest_income_to_revenue', reason: expect.stringContaining('InvestmentIncomeInterest') },
    ])
  })

  it('as of a day are those that were filed by then, before a restatement', async () => {
    const field = `{ data { period_end_date revenue_usd figures { figure value sources { accession_number filed_date value } }
      periods(limit: 1) { period_end_date revenue_usd } } }`
    const { now, then } = await graphql<{
      now: { data: Figures & { periods: readonly Figures[] } }
      then: {
        data: Figures & {
          figures: readonly { readonly figure: string; readonly sources: readonly object[] }[]
        }
      }
    }>(`{ now: stock_fundamentals(ticker: "MSFT") ${field}
      then: stock_fundamentals(ticker: "MSFT", report_date: "2026-02-19") ${field} }`)
    const [before] = now.data.periods
    expect([now.data.period_end_date, before?.period_end_date]).toEqual(['2025-12-31', '2024-12-31'])
    expect(then.data.period_end_date).toBe('2024-12-31')
    expect((before?.revenue_usd ?? 0) / then.data.revenue_usd).toBeCloseTo(0.98, 6)
    expect(then.data.figures.find(({ figure }) => figure === 'revenue_usd')?.sources).toEqual([
      {
        accession_number: expect.stringMatching(/^0009999999-25-/),
        filed_date: '2025-02-20',
        value: then.data.revenue_usd,
      },
    ])
    const inRest = await rest<{ data: Figures }>('MSFT/fundamentals?report_date=2026-02-19')
    expect(inRest.body.data).toMatchObject({
      period_end_date: '2024-12-31',
      revenue_usd: then.data.revenue_usd,
    })
  })

  it('of quarters add up to the trailing twelve months, and say where a restatement prevents it', async () => {
    const FIELDS = 'period period_start_date period_end_date revenue_usd ebitda_usd'
    const NULLS = 'reasons { figure reason }'
    const { quarter, trailing, restated } = await graphql<
      Record<'quarter' | 'trailing' | 'restated', { data: Figures & { periods: readonly Figures[] } }>
    >(`{
      quarter: stock_fundamentals(ticker: "AAPL", period: quarter) { data { ${FIELDS} periods(limit: 3) { ${FIELDS} } } }
      trailing: stock_fundamentals(ticker: "AAPL", period: ttm) { data { ${FIELDS} ${NULLS}
        figures { figure calculation note subtracted { period_end accession_number } } } }
      restated: stock_fundamentals(ticker: "MSFT", period: ttm) { data { ${FIELDS} ${NULLS} } } }`)
    const quarters = [quarter.data, ...quarter.data.periods]
    const ends = ['2026-09-30', '2026-06-30', '2026-03-31', '2025-12-31']
    expect(quarters.map(({ period_end_date }) => period_end_date)).toEqual(ends)
    expect(trailing.data).toMatchObject({ period_start_date: '2025-10-01', period_end_date: '2026-09-30' })
    for (const name of ['revenue_usd', 'ebitda_usd'] as const)
      expect(quarters.reduce((sum, one) => sum + one[name], 0)).toBe(trailing.data[name])
    const missing = ['eps_basic', 'eps_diluted', 'shares_outstanding', 'public_float_usd']
    expect(trailing.data.reasons.map(({ figure }) => figure)).toEqual(missing)
    expect(restated.data.revenue_usd).toBeNull()
    expect(restated.data.reasons[0]?.reason).toMatch(
      /^the filings restate us-gaap:Revenues from 2026-02-20 on/,
    )
    const { body } = await rest<Answered>('AAPL/fundamentals?period=quarter')
    expect(body.data).toMatchObject({ period: 'quarter', revenue_usd: quarter.data.revenue_usd })
    expect((await rest<Refused>('AAPL/fundamentals?period=month')).status).toBe(422)
  })

  it('belong to the requested company and day, or the error lists the available ones', async () => {
    const refused = async (path: string) => {
      const { status, body } = await rest<Refused>(path)
      return `${status} ${body.details?.map(({ field, message }) => `${field} ${message}`) ?? body.message}`
    }
    expect(await refused('NVDA/fundamentals')).toMatch(
      /^422 mic is required, because NVDA is listed on (?=.*XNAS)(?=.*XLON)/,
    )
    expect((await rest('NVDA/fundamentals?mic=xnas')).status).toBe(200)
    expect(await refused('ZZZZ/fundamentals')).toBe(
      '404 No stock has the ticker ZZZZ. Use GET /v1/assets/search?q=ZZZZ to search for it.',
    )
    expect(await refused('BTC/fundamentals')).toMatch(/^404 .* It belongs to Bitcoin \(crypto\)/)
    expect(await refused('SAP/fundamentals')).toMatch(
      /^404 SAP SE \(SAP\) has no fundamentals, because no SEC registration \(CIK\)/,
    )
    expect(await refused('A%20B/fundamentals?mic=X')).toMatch(/^422 ticker must be .*,mic must be/)
    const { body } = await app.graphql(
      `{ a: stock_fundamentals(ticker: "AAPL", report_date: "2019-01-01") { data { ticker } }
         b: stock_fundamentals(ticker: "AAPL", report_date: "2030-01-01") { data { ticker } } }`,
      { key },
    )
    expect(body.errors?.map(({ message }) => message)).toEqual([
      expect.stringContaining('must not be in the future'),
      expect.stringMatching(/^Apple Inc\. .* has no annual report that was filed by 2019-01-01\.$/),
    ])
  })

  it('of 20 stocks with their sources and earlier years take as many statements as of one', async () => {
    const statements = async (limit: number) => {
      const counts: number[] = []
      let found = 0
      for (let time = 0; time < 4; time += 1) {
        const before = app.database.statementCount()
        const { assets } = await graphql<{
          assets: { data: { stock: { fundamentals: Figures & { periods: readonly object[] } } | null }[] }
        }>(`{ assets(asset_class: stock, limit: ${limit}) { data { stock { fundamentals { revenue_usd market_cap_avg_24m_usd
          aaoifi { inputs { figure } } figures { sources { tag } }
          periods(limit: 3) { revenue_usd market_cap_avg_24m_usd } } } } } }`)
        counts.push(app.database.statementCount() - before)
        found = assets.data.filter(({ stock }) => stock?.fundamentals?.periods.length === 3).length
      }
      // Now and then a request reads the states of the datasets, too.
      return { count: Math.min(...counts), found }
    }
    const one = await statements(2)
    const many = await statements(20)
    expect(one.found).toBe(2)
    expect(many.found).toBeGreaterThanOrEqual(15)
    expect(many.count).toBe(one.count)
  })

  it('refuse a number of years beyond the bounds, and a tier below growth', async () => {
    const { body } = await app.graphql(
      '{ stock_fundamentals(ticker: "AAPL") { data { periods(limit: 21) { ticker } } } }',
      { key },
    )
    expect(body.errors?.[0]?.extensions.details).toEqual([
      { field: 'limit', message: 'must be between 1 and 20; got 21' },
    ])
    const starter = await app.newKey({ tier: 'starter' })
    const refused = await app.rest<Refused>('/v1/stocks/AAPL/fundamentals', { key: starter })
    expect([refused.status, refused.body.error]).toEqual([403, 'forbidden'])
  })
})
