import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock, type IsoDate } from '../../../src/core/time.js'
import { pricesSink } from '../../../src/ingest/datasets/prices/ingestion.js'
import { bindFeed } from '../../../src/ingest/feed.js'
import { type AlpacaBarsRequest, alpacaBars } from '../../../src/ingest/providers/alpaca/bars.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../src/ingest/run/feed-body.js'
import { type RunDeps, runFeed } from '../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { runOperatorFile } from '../../support/ingest/run-group.js'

interface Action {
  readonly action_type: string
  readonly ex_date: string
  readonly ratio: number | null
  readonly amount: number | null
  readonly currency: string | null
  readonly factor: number | null
  readonly not_adjusted_reason: string | null
}

interface Price {
  readonly date: string
  readonly close: number
  readonly adjusted_close: number | null
  readonly factor: number
  readonly actions: readonly Action[]
}

interface Prices {
  readonly data: readonly Price[]
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: { readonly sources: readonly string[] }
}

interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

const ANNOUNCED = '2026-11-10T09:00:00Z'
const BEFORE = '2026-11-09T18:00:00Z'
const NOW = '2026-11-20T12:00:00Z'

const HEADER = 'ticker,mic,date,open,high,low,close,volume,currency'

/** Ten trading days of NVDA; it is split 2 to 1 on the 12th, a Thursday, and pays 0.5 on the 18th, a Wednesday. */
const NVDA = [
  ['2026-11-09', '199', '202', '198', '200', '1000'],
  ['2026-11-10', '200', '206', '200', '205', '1100'],
  ['2026-11-11', '205', '211', '204', '210', '1200'],
  ['2026-11-12', '106', '107', '104', '105', '2400'],
  ['2026-11-13', '105', '106', '103', '104', '2300'],
  ['2026-11-16', '104', '104', '99', '100', '2200'],
  ['2026-11-17', '100', '101', '99', '100', '2100'],
  ['2026-11-18', '99.5', '100', '99', '99.5', '2000'],
  ['2026-11-19', '99.5', '102', '99', '101', '1900'],
] as const
const linesOf = (ticker: string, rows: readonly (readonly string[])[]) =>
  rows.map((cells) => [ticker, '', ...cells, 'USD'].join(','))

describe('prices over time', () => {
  let app: TestApp
  let key: string
  let growthKey: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase())
    const deps = (now: string): RunDeps => ({
      database,
      clock: fixedClock(now),
      log: createLogger('silent'),
      fetchBody: () => expect.fail('nothing is fetched'),
    })
    const bytesOf = (...lines: readonly string[]) =>
      ({ kind: 'bytes', bytes: new TextEncoder().encode(`${lines.join('\n')}\n`), origin: 'test' }) as const
    const reference = findFeed('reference')
    await runFeed(deps('2026-11-08T09:00:00Z'), reference, usualSourceOf(reference.feed))
    await runOperatorFile(
      'corporate-actions',
      deps('2026-11-08T10:00:00Z'),
      bytesOf('ticker,action_type,ex_date,ratio', 'JPM,reverse_split,2026-11-11,0.1'),
    )
    await runOperatorFile(
      'dividends',
      deps('2026-11-08T10:00:00Z'),
      bytesOf('ticker,ex_date,amount,currency,frequency', 'IVV,2026-11-17,2,USD,quarterly'),
    )
    await runOperatorFile(
      'prices',
      deps('2026-11-09T09:00:00Z'),
      bytesOf(HEADER, 'JPM,,2026-11-06,,,,30,,USD'),
    )
    await runOperatorFile(
      'prices',
      deps('2026-11-09T17:00:00Z'),
      bytesOf(HEADER, ...linesOf('NVDA', NVDA.slice(0, 1))),
    )
    await runOperatorFile(
      'corporate-actions',
      deps(ANNOUNCED),
      bytesOf(
        'ticker,action_type,ex_date,ratio,value_ratio',
        'NVDA,split,2026-11-12,2,',
        'XOM,spin_off,2026-11-17,0.25,0.8',
        'KO,spin_off,2026-11-17,0.25,',
      ),
    )
    await runOperatorFile(
      'dividends',
      deps(ANNOUNCED),
      bytesOf(
        'ticker,ex_date,amount,currency,frequency',
        'NVDA,2026-11-18,0.5,USD,quarterly',
        'NVDA,2026-12-18,0.5,USD,special',
      ),
    )
    const two = [
      ['2026-11-16', '100', '100', '100', '100', '1'],
      ['2026-11-17', '80', '80', '80', '80', '1'],
    ]
    await runOperatorFile(
      'prices',
      deps('2026-11-19T22:00:00Z'),
      bytesOf(
        HEADER,
        ...linesOf('NVDA', NVDA),
        ...linesOf('IVV', two),
        ...linesOf('XOM', two),
        ...linesOf('KO', two),
        'JPM,,2026-11-10,,,,31,,USD',
        'JPM,,2026-11-11,,,,310,,USD',
      ),
    )
    const [msft] = await database.rows<{ readonly id: number }>(
      `select instrument_id as id from instrument where ticker = 'MSFT'`,
    )
    const ofAlpaca = async (now: string, ...closes: readonly (readonly [day: string, close: number])[]) => {
      const listings = [{ instrumentId: msft?.id ?? 0, ticker: 'MSFT' }]
      const [from, to] = ['2026-11-16', '2026-11-18'] as IsoDate[] // calendar days
      const asked = { listings, from, to, end: new Date(now) } as AlpacaBarsRequest
      const bars = closes.map(([day, c]) => ({ t: `${day}T05:00:00Z`, o: c, h: c, l: c, c, v: 10 }))
      const body = JSON.stringify({ bars: { MSFT: bars }, next_page_token: null })
      await runFeed(deps(now), bindFeed(alpacaBars(asked), pricesSink), bytesOf(body))
    }
    await ofAlpaca('2026-11-17T01:30:00Z', ['2026-11-16', 300])
    await runOperatorFile(
      'prices',
      deps('2026-11-18T12:00:00Z'),
      bytesOf(HEADER, 'MSFT,,2026-11-16,,,,301,,USD', 'MSFT,,2026-11-17,,,,302,,USD'),
    )
    await ofAlpaca('2026-11-19T01:30:00Z', ['2026-11-16', 300], ['2026-11-17', 299], ['2026-11-18', 303])
    app = await startTestApp(quickestDatabase(), { database, clock: new TestClock(new Date(NOW)) })
    key = await app.newKey({ tier: 'starter' })
    growthKey = await app.newKey({ tier: 'growth' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const rest = <Body = Prices>(path: string) => app.rest<Body>(path, { key })
  const prices = async (path: string) => {
    const { status, body } = await rest(`/v1/stocks/${path}`)
    expect(status).toBe(200)
    return body
  }

  it('are served as traded, oldest first, with open, high, low, close and volume', async () => {
    const { data, meta, _meta } = await prices('nvda/prices')
    expect(data.map(({ date }) => date)).toEqual(NVDA.map(([date]) => date))
    expect(data[2]).toEqual({
      date: '2026-11-11',
      ...{ open: 205, high: 211, low: 204, close: 210, volume: 1200, currency: 'USD' },
      ...{ adjusted_close: null, factor: null, actions: [] },
    })
    expect(meta).toMatchObject({
      ...{ total: 9, has_next: false, data_quality: 'full', is_dev_dataset: false },
      ...{ source: 'operator', data_methodology: null, price_type: 'close_unadjusted' },
    })
    expect(_meta.sources).toEqual(['operator'])
  })

  it('are adjusted for splits before the ex-date, and not from it on', async () => {
    const { data, meta } = await prices('NVDA/prices?adjust=splits')
    expect(data.map((row) => row.adjusted_close)).toEqual([100, 102.5, 105, 105, 104, 100, 100, 99.5, 101])
    expect(data[0]).toMatchObject({
      close: 200,
      factor: 0.5,
      actions: [
        {
          ...{ action_type: 'split', ex_date: '2026-11-12', ratio: 2, factor: 0.5 },
          ...{ amount: null, currency: null, not_adjusted_reason: null },
        },
      ],
    })
    expect(data[3]).toMatchObject({ factor: 1, actions: [] })
    expect(meta.price_type).toBe('close_adjusted_for_splits')
    expect(meta.data_methodology).toMatch(/^adjusted_close = close × factor/)
    expect(meta.disclaimer).toMatch(/Not financial advice/)
  })

  it('are adjusted for a dividend of a Wednesday by the close of the day before, and a later one is not yet one of the actions', async () => {
    const { data } = await prices('NVDA/prices?adjust=all')
    const tuesday = data.find(({ date }) => date === '2026-11-17')
    expect(tuesday).toMatchObject({ close: 100, adjusted_close: 99.5, factor: 0.995 })
    expect(tuesday?.actions).toMatchObject([
      { action_type: 'dividend', ex_date: '2026-11-18', amount: 0.5, currency: 'USD', ratio: null },
    ])
    expect(data[0]).toMatchObject({ factor: 0.4975, adjusted_close: 99.5 })
    expect(data[0]?.actions.map(({ ex_date }) => ex_date)).toEqual(['2026-11-18', '2026-11-12'])
    expect(data.at(-1)).toMatchObject({ close: 101, factor: 1, actions: [] })
  })

  it('multiply earlier prices in a reverse split', async () => {
    const { data, meta } = await prices('JPM/prices?adjust=splits')
    expect(data.map(({ date, adjusted_close, factor }) => [date, adjusted_close, factor])).toEqual([
      ['2026-11-06', 300, 10],
      ['2026-11-10', 310, 10],
      ['2026-11-11', 310, 1],
    ])
    expect(meta.data_quality).toBe('partial')
  })

  it('are adjusted for a spin-off with a value ratio, and say so where there is none', async () => {
    const known = await prices('XOM/prices?adjust=all')
    expect(known.data.map((row) => row.adjusted_close)).toEqual([80, 80])
    expect(known.meta.data_quality).toBe('full')
    const unknown = await prices('KO/prices?adjust=all')
    expect(unknown.data.map((row) => row.adjusted_close)).toEqual([100, 80])
    expect(unknown.data[0]?.actions).toMatchObject([
      {
        action_type: 'spin_off',
        factor: null,
        not_adjusted_reason: 'The value ratio of the spin-off is unknown.',
      },
    ])
    expect(unknown.meta.data_quality).toBe('partial')
  })

  it('before a split was announced have no factor for it, and the prices that were known then', async () => {
    const { data, meta } = await prices(`NVDA/prices?adjust=all&as_of=${BEFORE}`)
    expect(data).toMatchObject([
      { date: '2026-11-09', close: 200, adjusted_close: 200, factor: 1, actions: [] },
    ])
    expect(meta.total).toBe(1)
    const later = await prices(`NVDA/prices?adjust=all&as_of=${NOW}`)
    expect(later.data[0]).toMatchObject({ factor: 0.4975 })
  })

  it('between announcement and ex-date are not adjusted, because the share still trades unsplit', async () => {
    const { data } = await prices(`NVDA/prices?adjust=all&as_of=2026-11-10T10:00:00Z`)
    expect(data).toMatchObject([{ date: '2026-11-09', factor: 1, actions: [] }])
  })

  it('have the same returns in every range', async () => {
    const whole = await prices('NVDA/prices?adjust=all')
    const part = await prices('NVDA/prices?adjust=all&from=2026-11-10&to=2026-11-16')
    expect(part.data).toEqual(whole.data.slice(1, 6))
  })

  it('come in pages with the total and a link, and as CSV and NDJSON with all columns', async () => {
    const { headers, body } = await rest('/v1/stocks/NVDA/prices?limit=4&page=2&adjust=splits')
    expect(body.data.map(({ date }) => date)).toEqual(NVDA.slice(4, 8).map(([date]) => date))
    expect(body.meta).toMatchObject({ total: 9, has_next: true })
    expect([headers.get('x-total-count'), headers.get('link')]).toEqual([
      '9',
      expect.stringContaining('page=3&limit=4'),
    ])
    const csv = await app.rest<string>('/v1/stocks/NVDA/prices.csv?adjust=splits&to=2026-11-12', { key })
    const [header, first, , , last] = csv.text.trim().split('\r\n')
    expect(header).toBe('date,open,high,low,close,volume,currency,adjusted_close,factor,actions')
    expect(first).toMatch(/^2026-11-09,199,202,198,200,1000,USD,100,0\.5,"\[\{""action_type"":""split""/)
    expect(last).toBe('2026-11-12,106,107,104,105,2400,USD,105,1,[]')
  })

  it('of an ETF are adjusted for its distributions', async () => {
    const { body } = await rest('/v1/etf/IVV/prices?adjust=all')
    expect(body.data.map((row) => row.adjusted_close)).toEqual([98, 80])
    const stock = await rest<ErrorBody>('/v1/etf/NVDA/prices')
    expect([stock.status, stock.body.message]).toEqual([
      404,
      expect.stringContaining('No ETF has the ticker NVDA'),
    ])
  })

  it('are the same in GraphQL, with provider and time of each row', async () => {
    const query = `{ stock_prices(ticker: "NVDA", adjust: all, limit: 1) {
      data { date adjusted_close factor actions { action_type amount ratio } source known_from } meta { total } } }`
    const { body } = await app.graphql<{ stock_prices: Prices }>(query, { key })
    expect(body.data?.stock_prices).toEqual({
      data: [
        {
          ...{ date: '2026-11-09', adjusted_close: 99.5, factor: 0.4975 },
          actions: [
            { action_type: 'dividend', amount: 0.5, ratio: null },
            { action_type: 'split', amount: null, ratio: 2 },
          ],
          ...{ source: 'operator', known_from: '2026-11-09T17:00:00.000Z' },
        },
      ],
      meta: { total: 9 },
    })
  })

  it('have a newest close, with its day and currency, in the resource of a stock and of an ETF', async () => {
    const closeOf = async (path: string) =>
      (await app.rest<{ data: { newest_close: unknown } }>(path, { key: growthKey })).body.data.newest_close
    expect(await closeOf('/v1/stocks/NVDA')).toEqual({
      ...{ close: 101, currency: 'USD', date: '2026-11-19' },
      ...{ price_source: 'close', source: 'operator' },
    })
    expect(await closeOf('/v1/stocks/KO')).toMatchObject({ close: 80, date: '2026-11-17' })
    expect(await closeOf('/v1/stocks/PFE')).toBeNull()
    expect(await closeOf('/v1/etf/IVV/instrument')).toMatchObject({ close: 80, price_source: 'close' })
  })

  it('have a newest close of each asset in GraphQL, as it was known, while the card in REST stays as it is', async () => {
    const query = `{ asset(id: "nvidia") { data { price_source
      now: newest_close { close date } announced: newest_close(as_of: "${BEFORE}") { close date }
      before: newest_close(as_of: "2026-11-09T09:00:00Z") { close } } } }`
    const { body } = await app.graphql<{ asset: { data: unknown } }>(query, { key })
    expect(body.data?.asset.data).toEqual({
      price_source: 'none',
      now: { close: 101, date: '2026-11-19' },
      announced: { close: 200, date: '2026-11-09' },
      before: null,
    })
    const card = await app.rest<{ data: Record<string, unknown> }>('/v1/assets/nvidia', { key })
    expect(card.body.data).toMatchObject({ price_source: 'none', price_consensus_usd: null })
    expect(card.body.data).not.toHaveProperty('newest_close')
    const coin = '{ asset(id: "bitcoin") { data { newest_close { close } } } }'
    expect((await app.graphql(coin, { key })).body.data).toEqual({ asset: { data: { newest_close: null } } })
  })

  it('have the newest closes of twenty stocks in as many statements as of one', async () => {
    const statements = async (limit: number) => {
      const counts: number[] = []
      for (let run = 0; run < 4; run++) {
        const before = app.database.statementCount()
        await rest(`/v1/stocks?limit=${limit}&offset=${run}`)
        counts.push(app.database.statementCount() - before)
      }
      return Math.min(...counts)
    }
    const one = await statements(1)
    expect(await statements(20)).toBe(one)
  })

  it('refuse every wrong argument at once', async () => {
    const { status, body } = await rest<ErrorBody>(
      '/v1/stocks/NVDA/prices?from=2026-11-10&to=2026-11-09&limit=0&as_of=2030-01-01T00:00:00Z&mic=NASDAQ',
    )
    expect([status, body.details?.map(({ field }) => field).sort()]).toEqual([
      422,
      ['as_of', 'from', 'limit', 'mic'],
    ])
    expect((await rest<ErrorBody>('/v1/stocks/NVDA/prices?adjust=dividends')).status).toBe(422)
  })

  it('of several providers are those of the operator, else of Alpaca, as known then, and the answer names all', async () => {
    const seen = async (asOf: string) => {
      const { data, meta, _meta } = await prices(`MSFT/prices?from=2026-11-16${asOf}`)
      const closes = data.map(({ date, close }) => [date, close])
      return { closes, total: meta.total, sources: _meta.sources.toSorted() }
    }
    expect(await seen('')).toEqual({
      closes: [
        ['2026-11-16', 301],
        ['2026-11-17', 302],
        ['2026-11-18', 303],
      ],
      total: 3,
      sources: ['alpaca', 'operator'],
    })
    expect(await seen('&as_of=2026-11-18T00:00:00Z')).toEqual({
      ...{ closes: [['2026-11-16', 300]], total: 1, sources: ['alpaca'] },
    })
    const { _meta } = await prices('MSFT/prices?from=2026-11-17&to=2026-11-17')
    expect(_meta.sources.toSorted()).toEqual(['alpaca', 'operator']) // both state the day
    const { body } = await rest<{ data: { newest_close: object } }>('/v1/stocks/MSFT')
    expect(body.data.newest_close).toMatchObject({ close: 303, date: '2026-11-18', source: 'alpaca' })
  })

  it('take as many statements for nine rows as for one', async () => {
    const statements = async (path: string) => {
      const counts: number[] = []
      for (let run = 0; run < 4; run++) {
        const before = app.database.statementCount()
        await rest(
          `/v1/stocks/NVDA/prices?${path}&as_of=${new Date(Date.parse(NOW) - run - 1).toISOString()}`,
        )
        counts.push(app.database.statementCount() - before)
      }
      return Math.min(...counts)
    }
    const one = await statements('adjust=all&limit=1')
    expect(await statements('adjust=all&limit=9')).toBe(one)
  })
})

describe('prices beside actions that do not belong to them', () => {
  it('are not adjusted: real prices with no actions loaded are a 503 that names the dataset', async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    const deps: RunDeps = {
      database,
      clock: fixedClock(NOW),
      log: createLogger('silent'),
      fetchBody: () => expect.fail('nothing is fetched'),
    }
    const bytes = new TextEncoder().encode('ticker,mic,date,close,currency\nNVDA,XNAS,2026-11-19,100,USD\n')
    await runOperatorFile('prices', deps, { kind: 'bytes', bytes, origin: 'test' })
    const app = await startTestApp(quickestDatabase(), { database })
    const key = await app.newKey({ tier: 'starter' })
    const refused = await app.rest<ErrorBody>('/v1/stocks/NVDA/prices?adjust=all', { key })
    expect([refused.status, refused.body.message]).toEqual([
      503,
      'The dataset corporate_actions has no data that belong to these prices yet. Use adjust=none, or try again later.',
    ])
    expect((await app.rest<Prices>('/v1/stocks/NVDA/prices', { key })).body.data).toHaveLength(1)
    await app.close()
    await database.close()
  })
})
