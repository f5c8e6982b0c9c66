import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

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
    const anyCase = await rest<List<Stock>>('/v1/stocks?mic=XETR&sector=mATERIALS')
    expect(anyCase.body.data).toEqual(body.data)
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

  it('refuse an unknown sector together with all other problems', async () => {
    const refused = async (search: string) => {
      const { status, body } = await rest<ErrorBody>(`/v1/stocks?${search}`)
      expect(status).toBe(422)
      return body.details?.map(({ field, message }) => `${field}: ${message}`) ?? []
    }
    // A text that is no value of the enum has no meaning that could be checked.
    expect(await refused('mic=NASDAQ&sector=Financial&limit=0')).toEqual([
      expect.stringMatching(/^sector: must be one of .*; did you mean "Financials"\?$/),
    ])
    expect((await refused('mic=NASDAQ&sector=financials&limit=0')).sort()).toEqual([
      expect.stringMatching(/^limit: /),
      expect.stringMatching(/^mic: /),
    ])
  })

  it('are found by ticker, and by market if two have the ticker', async () => {
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
      { field: 'mic', message: 'is required, because SAP is listed on XETR (SAP SE), XLON (Sapphire plc)' },
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

  it('that changed their ticker give a 404 under the old one, which names the new one and the day', async () => {
    const old = await rest<ErrorBody>('/v1/stocks/FB')
    expect([old.status, old.body.message]).toEqual([
      404,
      'No stock has the ticker FB. Meta Platforms, Inc. Class A has had the ticker META since 2022-06-09. Use GET /v1/stocks/META instead.',
    ])
    expect((await rest<ErrorBody>('/v1/stocks/FB/dividends')).body.message).toBe(old.body.message)
    const discovered = await rest<ErrorBody>('/v1/discover/fb')
    expect([discovered.status, discovered.body.message]).toEqual([
      404,
      'No instrument has the ticker FB. Meta Platforms, Inc. Class A has had the ticker META since 2022-06-09. Use GET /v1/discover/META instead.',
    ])
    const unknown = await rest<ErrorBody>('/v1/stocks/NOSUCH')
    expect([unknown.status, unknown.body.message]).toEqual([
      404,
      'No stock has the ticker NOSUCH. Use GET /v1/assets/search?q=NOSUCH to search for it.',
    ])
    const { body } = await rest<List<object>>('/v1/stocks/META/corporate-actions')
    expect(body.data.at(0)).toEqual({
      ticker: 'META',
      action_type: 'ticker_change',
      ex_date: '2022-06-09',
      ratio: null,
      description: 'The ticker FB was replaced. The current ticker is META.',
    })
  })

  describe('stocks have a market capitalisation', () => {
    interface Valued {
      readonly data: { readonly market_cap_usd: number | null; readonly market_cap_reason: string | null }
      readonly meta: {
        readonly data_methodology: string | null
        readonly computed_at: string | null
        readonly is_dev_dataset: boolean
      }
      readonly _meta: { readonly sources: readonly string[] }
    }
    /** The market capitalisation, or the reason why it is null. */
    const marketCap = async (path: string) => {
      const { data } = (await rest<Valued>(`/v1/stocks/${path}`)).body
      expect(data.market_cap_usd === null).toBe(data.market_cap_reason !== null)
      return data.market_cap_usd ?? data.market_cap_reason
    }
    const OF_APPLE = `from instrument i join daily_price p on p.instrument_id = i.instrument_id and p.known_to is null
      join filed_fact f on f.cik = i.cik and f.tag = 'EntityCommonStockSharesOutstanding' and f.known_to is null
      where i.ticker = 'AAPL' and f.period_end <= p.date order by p.date desc, f.period_end desc, f.filed desc limit 1`
    const apple = async () => {
      const [row] = await app.database.rows<{ id: number; day: string; counted: string; cap: number }>(
        `select i.instrument_id as id, p.date::text as day, f.period_end::text as counted,
           round(p.close * f.value, 2)::float8 as cap ${OF_APPLE}`,
      )
      return row ?? expect.fail('Apple has a price and a share count')
    }

    it('from their newest price and the newest share count before it, alike in both APIs, with method and sources', async () => {
      const { cap } = await apple()
      const { body } = await rest<Valued>('/v1/stocks/AAPL')
      expect(body.data.market_cap_usd).toBe(cap)
      expect(cap).toBeGreaterThan(1e8)
      expect(body.meta).toMatchObject({
        data_methodology: expect.stringContaining('newest imported closing price'),
        computed_at: expect.stringMatching(/Z$/),
        is_dev_dataset: true,
      })
      expect(body._meta.sources).toEqual(['seed'])
      const { one, list } = await graphql<{ one: Valued; list: { data: readonly Valued['data'][] } }>(
        `{ one: stock(ticker: "AAPL") { data { market_cap_usd market_cap_reason } meta { data_methodology computed_at } }
           list: stocks(limit: 1) { data { market_cap_usd market_cap_reason } } }`,
      )
      expect(one.data).toEqual({ market_cap_usd: cap, market_cap_reason: null })
      expect(one.meta.data_methodology).toBe(body.meta.data_methodology)
      expect(list.data).toEqual([one.data])
    })

    it('that names the source of the price and of the share count beside that of the masters', async () => {
      const states = `update dataset_state set source = $2, commit_id = gen_random_uuid() where dataset = $1`
      await app.database.rows(states, ['prices', 'operator'])
      await app.database.rows(states, ['filings', 'sec'])
      await app.clock.advance(1_000)
      expect((await rest<Valued>('/v1/stocks/AAPL')).body._meta.sources).toEqual(['seed', 'operator', 'sec'])
      expect((await rest<Valued>('/v1/stocks/SAP?mic=XETR')).body._meta.sources).toEqual(['seed'])
      for (const dataset of ['prices', 'filings']) await app.database.rows(states, [dataset, 'seed'])
      await app.clock.advance(1_000)
    })

    it('except without a share count, without a CIK, and then with the reason and without a method', async () => {
      expect(await marketCap('GOOGL')).toMatch(/^no cover page of the 400 days before/)
      expect(await marketCap('SAP?mic=XETR')).toBe('no filings with the SEC are known')
      const { body } = await rest<Valued>('/v1/stocks/SAP?mic=XETR')
      expect([body.data.market_cap_usd, body.meta.data_methodology, body.meta.computed_at]).toEqual([
        null,
        null,
        null,
      ])
    })

    it('except if the shares were split after they were counted', async () => {
      const { day, counted, cap } = await apple()
      const split = (on: string, daysBefore: number) =>
        app.database.rows(
          `insert into corporate_action (asset_id, ex_date, action_type, ratio, known_from, source)
           select asset_id, $1::date - $2::int, 'split', 4, now(), 'test' from asset
           where ticker = 'AAPL' and asset_class = 'stock'`,
          [on, daysBefore],
        )
      await split(day, 0)
      expect(await marketCap('AAPL')).toBe(
        `the shares were split or exchanged on ${day}, after they were counted on ${counted}`,
      )
      await app.database.rows(`delete from corporate_action where source = 'test'`)
      await split(counted, 1)
      expect(await marketCap('AAPL')).toBe(cap)
      await app.database.rows(`delete from corporate_action where source = 'test'`)
    })

    it('except for a price in another currency, one of a month ago, and shares counted by a 20-F', async () => {
      const { id, day, cap } = await apple()
      const changed = async (there: string, back: string, parameters: readonly unknown[]) => {
        await app.database.rows(there, parameters)
        const value = await marketCap('AAPL')
        await app.database.rows(back, parameters)
        return value
      }
      const price = (change: string) =>
        `update daily_price set ${change} where instrument_id = $1 and date = $2::date and known_to is null`
      expect(await changed(price("currency = 'EUR'"), price("currency = 'USD'"), [id, day])).toBe(
        'the price is in EUR, not in USD',
      )
      const form = (of: string) =>
        `update filed_fact set form = '${of}' where tag = $1 and cik = '0000320193' and form is not null`
      const count = ['EntityCommonStockSharesOutstanding']
      expect(await changed(form('20-F'), form('10-K'), count)).toMatch(/^no cover page/)
      expect(await changed(form('40-F'), form('10-K'), count)).toBe(cap)
      const known = (between: string, to: string) =>
        `update daily_price set known_to = ${to} where instrument_id = $1 and date > $2::date - 32 and ${between}`
      const closed = "'2100-01-01'::timestamptz"
      expect(
        await changed(known('known_to is null', closed), known(`known_to = ${closed}`, 'null'), [id, day]),
      ).toBe('there is no price of the last 31 days')
      expect(await marketCap('AAPL')).toBe(cap)
    })

    it('with as many statements for 20 as for one', async () => {
      const query = (limit: number) => `{ stocks(limit: ${limit}) { data { ticker market_cap_usd } } }`
      expect(await statementsOf(query(20))).toBe(await statementsOf(query(1)))
      const { stocks } = await graphql<{ stocks: { data: readonly Valued['data'][] } }>(query(20))
      expect(stocks.data.filter((stock) => stock.market_cap_usd !== null).length).toBeGreaterThan(10)
    })
  })

  it.each(['corporate-actions', 'dividends'])('show the %s that were known at an instant', async (events) => {
    const asOf = async (instant: number) => {
      const query = `as_of=${new Date(instant).toISOString()}`
      const { body } = await rest<List<object>>(`/v1/stocks/JPM/${events}?${query}`)
      return [body.data.length > 0, body.meta.total > 0]
    }
    expect(await asOf(SEEDED_AT.getTime())).toEqual([true, true])
    expect(await asOf(SEEDED_AT.getTime() - 1)).toEqual([false, false])
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

  it('are reachable from their asset, and know every former ticker', async () => {
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
