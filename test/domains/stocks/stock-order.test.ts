import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { availableDatabases } from '../../support/database/database.js'

interface SortedStock {
  readonly ticker: string
  readonly cik: string | null
  readonly sort_value: number | null
  readonly sort_period_end_date: string | null
}

interface StockList {
  readonly data: readonly SortedStock[]
  readonly meta: { readonly total: number; readonly has_next: boolean; readonly method?: unknown }
}

interface ErrorBody {
  readonly message: string
  readonly required_scope?: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

/** As many stocks as the lists of the SEC have. */
const LISTED = 9_900

describe.each(availableDatabases())('the order of stocks by a figure on %s', (kind) => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(kind, { env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'growth' })
  })
  afterAll(() => app?.close())

  const list = async (query: string) => (await app.rest<StockList>(`/v1/stocks?${query}`, { key })).body
  const all = async (query: string) => (await list(`limit=100&${query}`)).data

  it('is that of the latest fiscal years, the smallest first, stocks without the figure last', async () => {
    const { data, meta } = await list('limit=100&sort=revenue_usd')
    expect(meta).toMatchObject({ total: data.length, has_next: false })
    const values = data.flatMap(({ sort_value }) => sort_value ?? [])
    expect(values.length).toBeGreaterThan(20)
    expect(values.length).toBeLessThan(data.length)
    expect(values).toEqual(values.toSorted((a, b) => a - b))
    expect(data.slice(values.length).every(({ sort_value }) => sort_value === null)).toBe(true)
  })

  it('has the values that the fundamentals of each stock show, by kind of period', async () => {
    for (const period of ['year', 'quarter', 'ttm']) {
      const [first] = await all(`sort=net_income_usd&order=desc&period=${period}`)
      const { body } = await app.rest<{ data: Record<string, unknown> }>(
        `/v1/stocks/${first?.ticker}/fundamentals?period=${period}`,
        { key },
      )
      expect(first).toMatchObject({
        sort_value: body.data.net_income_usd,
        sort_period_end_date: body.data.period_end_date,
      })
    }
  })

  it('keeps stocks without the figure last in descending order, in the order of their keys', async () => {
    const [rising, falling] = [
      await all('sort=total_assets_usd'),
      await all('sort=total_assets_usd&order=desc'),
    ]
    const withoutFigure = (stocks: readonly SortedStock[]) =>
      stocks.filter(({ sort_value }) => sort_value === null).map(({ ticker }) => ticker)
    const byKey = (await all('')).map(({ ticker }) => ticker)
    const missing = withoutFigure(rising)
    expect(missing).toEqual(byKey.filter((ticker) => missing.includes(ticker)))
    expect(falling.slice(-missing.length).map(({ ticker }) => ticker)).toEqual(missing)
    expect(falling.slice(0, -missing.length)).toEqual(rising.slice(0, -missing.length).toReversed())
  })

  it('joins its pages to the whole list, with filters, in both APIs', async () => {
    const query = 'sort=eps_basic&order=desc&sector=Information%20Technology'
    const whole = await all(query)
    const pages: SortedStock[] = []
    for (let offset = 0; offset < whole.length; offset += 3)
      pages.push(...(await list(`${query}&limit=3&offset=${offset}`)).data)
    expect(pages).toEqual(whole)
    const { body } = await app.graphql<{ stocks: StockList }>(
      `{ stocks(sort: eps_basic, order: desc, sector: INFORMATION_TECHNOLOGY, limit: 100) { data { ticker sort_value } } }`,
      { key },
    )
    expect(body.data?.stocks.data).toEqual(whole.map(({ ticker, sort_value }) => ({ ticker, sort_value })))
  })

  it('leaves sort_value null in a list by keys and in the answer of one stock', async () => {
    expect((await all('')).every(({ sort_value }) => sort_value === null)).toBe(true)
    const { body } = await app.rest<{ data: SortedStock }>('/v1/stocks/AAPL', { key })
    expect(body.data).toMatchObject({ sort_value: null, sort_period_end_date: null })
  })

  it('needs fundamentals:read, sort beside period and order, and a known figure', async () => {
    const starter = await app.newKey({ tier: 'starter' })
    const refused = await app.rest<ErrorBody>('/v1/stocks?sort=revenue_usd', { key: starter })
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('needs the scope fundamentals:read'),
    ])
    expect((await app.rest('/v1/stocks', { key: starter })).status).toBe(200)
    const alone = await app.rest<ErrorBody>('/v1/stocks?period=ttm&order=desc', { key })
    expect([alone.status, alone.body.details?.map(({ field }) => field)]).toEqual([422, ['period', 'order']])
    expect((await app.rest('/v1/stocks?sort=price', { key })).status).toBe(422)
  })

  it('takes one statement a page, however many stocks there are', async () => {
    const { database } = app
    const statementsOf = async () => {
      const counts: number[] = []
      for (let run = 0; run < 4; run += 1) {
        const before = database.statementCount()
        await list('limit=10&sort=revenue_usd&order=desc&offset=20')
        counts.push(database.statementCount() - before)
      }
      return Math.min(...counts)
    }
    const few = await statementsOf()
    await database.script(`
      insert into asset (asset_id, slug, ticker, name, asset_class, last_updated, source)
        select n, 'listed-' || n, 'L' || n, 'Listed ' || n, 'stock', now(), 'seed' from generate_series(100001, ${100_000 + LISTED}) as n;
      insert into instrument (instrument_id, asset_id, ticker, mic, currency, cik, is_primary, source)
        select n, n, 'L' || n, 'XNAS', 'USD', lpad(n::text, 10, '9'), true, 'seed' from generate_series(100001, ${100_000 + LISTED}) as n;
      insert into company_period (cik, period, period_end, is_latest, form, accession, filed, revenue_usd, methodology_version, source)
        select lpad(n::text, 10, '9'), kind, date '2025-12-31' - 91 * age, age = 0, '10-K', 'x', '2026-02-01', (n * 7919) % 100003, 'x', 'seed'
        from generate_series(100001, ${100_000 + LISTED}) as n, generate_series(0, 3) as age, unnest(array['year', 'quarter', 'ttm']) as kind;
      analyze asset; analyze instrument; analyze company_period;`)
    expect(await statementsOf()).toBe(few)
    const [top] = await all('sort=revenue_usd&order=desc&mic=XNAS')
    expect(top?.sort_value).toBeGreaterThan(1e9)
  })
})
