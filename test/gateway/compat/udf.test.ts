import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'pro' })
})
afterAll(() => app?.close())

interface History {
  readonly s: string
  readonly t: readonly number[]
  readonly o?: readonly number[]
  readonly h?: readonly number[]
  readonly l?: readonly number[]
  readonly c: readonly number[]
  readonly v?: readonly number[]
  readonly nextTime?: number
  readonly errmsg?: string
}

async function udf<Body>(path: string): Promise<Body> {
  const { status, body } = await app.rest<Body>(`/compat/udf/${path}`, { key })
  expect([path, status]).toEqual([path, 200])
  return body
}

const seconds = (day: string) => Date.parse(day) / 1000
const between = (from: string, to: string) => `from=${seconds(from)}&to=${seconds(to)}`
const history = (query: string) => udf<History>(`history?${query}`)

describe('the configuration', () => {
  it.skipIf(samplePath('udf/config.json') === null)('has the members of the recorded one', async () => {
    const recorded = JSON.parse(readFileSync(samplePath('udf/config.json') ?? '', 'utf8')) as object
    const config = await udf<Record<string, unknown>>('config')
    for (const [name, value] of Object.entries(recorded))
      expect([name, typeof config[name]]).toEqual([name, typeof value])
    expect(config).toMatchObject({ supports_search: true, supports_group_request: false })
  })

  it('names sources that symbols of a search come from', async () => {
    const { exchanges } = await udf<{ exchanges: readonly { value: string }[] }>('config')
    expect(exchanges.map(({ value }) => value)).toEqual([
      '',
      'CONSENSUS',
      'BINANCE',
      'BITSTAMP',
      'COINBASE',
      'KRAKEN',
      'OKX',
      'ECB',
    ])
  })

  it('and the time are free', async () => {
    const own = await app.newKey({ tier: 'free' })
    for (const path of ['config', 'time', 'search?query=']) {
      const { status, headers } = await app.rest(`/compat/udf/${path}`, { key: own })
      expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, null])
    }
    const { headers } = await app.rest('/compat/udf/symbols?symbol=AAPL', { key: own })
    expect(headers.get('x-ratelimit-remaining')).toBe('13')
    expect((await app.rest('/compat/udf/time', { key: own })).text).toBe(
      String(Math.floor(app.clock.now().getTime() / 1000)),
    )
  })

  it('is read by a page of any site, without a key; the data need one', async () => {
    const headers = { origin: 'https://charts.example' }
    const config = await app.rest('/compat/udf/config', { headers })
    expect([config.status, config.headers.get('access-control-allow-origin')]).toEqual([200, headers.origin])
    const { status, body } = await app.rest<History>('/compat/udf/symbols?symbol=AAPL', { headers })
    expect([status, body.s]).toEqual([401, 'error'])
  })
})

describe('a symbol', () => {
  it.each([
    ['CONSENSUS:BTC', 'BTC', 'CONSENSUS:bitcoin:1', 'crypto', 'c', '24x7'],
    ['BTC', 'BTC', 'CONSENSUS:bitcoin:1', 'crypto', 'c', '24x7'],
    ['binance:btc', 'BTC', 'BINANCE:bitcoin:1', 'crypto', 'ohlcv', '24x7'],
    ['OKX:ethereum', 'ETH', 'OKX:ethereum:2', 'crypto', 'ohlcv', '24x7'],
    ['AAPL', 'AAPL', 'STOCK:AAPL', 'stock', 'ohlcv', '24x7'],
    ['XNAS:AAPL', 'AAPL', 'XNAS:AAPL', 'stock', 'ohlcv', '0930-1600'],
    ['XNAS:AAPL:all', 'AAPL', 'XNAS:AAPL:all', 'stock', 'ohlcv', '0930-1600'],
    ['XNAS:QQQ', 'QQQ', 'XNAS:QQQ:etf', 'fund', 'ohlcv', '0930-1600'],
    ['ETF:QQQ:splits', 'QQQ', 'ETF:QQQ:splits', 'fund', 'ohlcv', '0930-1600'],
    ['ECB:EURUSD', 'EURUSD', 'ECB:EURUSD', 'forex', 'c', '24x7'],
    ['ECB:usdjpy', 'USDJPY', 'ECB:USDJPY', 'forex', 'c', '24x7'],
  ])('%s is %s and is asked for as %s', async (symbol, name, ticker, type, plots, session) => {
    expect(await udf(`symbols?symbol=${symbol}`)).toMatchObject({
      ...{ name, ticker, type, session, visible_plots_set: plots },
      ...{ minmov: 1, has_daily: true, has_weekly_and_monthly: false, data_status: 'endofday' },
      has_intraday: type === 'crypto',
    })
  })

  it.each([
    ['ECB:EURXXX', 'unknown_symbol ECB:EURXXX'],
    ['KRAKEN:nothing-at-all', 'unknown_symbol KRAKEN:nothing-at-all'],
    ['XNAS:AAPL:twice', 'unknown_symbol XNAS:AAPL:twice'],
    ['CONSENSUS:bitcoin:all', 'unknown_symbol CONSENSUS:bitcoin:all'],
    ['CONSENSUS:bitcoin:0', 'unknown_symbol CONSENSUS:bitcoin:0'],
    ['ECB:EURUSD:1', 'unknown_symbol ECB:EURUSD:1'],
    ['a:b:c:d', 'unknown_symbol a:b:c:d'],
    ['', 'symbol is required'],
  ])('%s does not exist: %s', async (symbol, errmsg) => {
    expect(await udf(`symbols?symbol=${symbol}`)).toEqual({ s: 'error', errmsg })
  })

  it.skipIf(samplePath('udf/symbols_AAPL.json') === null)('has the members that charts need', async () => {
    const recorded = JSON.parse(readFileSync(samplePath('udf/symbols_AAPL.json') ?? '', 'utf8')) as object
    const renamed: Readonly<Record<string, string>> = {
      'exchange-traded': 'exchange',
      'exchange-listed': 'listed_exchange',
      has_no_volume: 'visible_plots_set',
    }
    // The second movement of a price and the value of a point have defaults that fit.
    const optional = ['minmov2', 'pointvalue']
    const symbol = await udf<object>('symbols?symbol=XNAS:AAPL')
    for (const name of Object.keys(recorded).filter((one) => !optional.includes(one)))
      expect(symbol).toHaveProperty(renamed[name] ?? name)
  })
})

describe('a search', () => {
  const tickers = async (query: string) =>
    (await udf<readonly { ticker: string }[]>(`search?${query}`)).map(({ ticker }) => ticker)

  it.each([
    ['query=bitcoin&limit=-1&type=crypto', ['CONSENSUS:bitcoin:1', 'CONSENSUS:bitcoin-cash:16']],
    ['query=bitcoin&limit=1', ['CONSENSUS:bitcoin:1']],
    ['query=bitcoin&exchange=BINANCE&limit=1', ['BINANCE:bitcoin:1']],
    ['query=apple&type=stock', ['STOCK:AAPL']],
    ['query=QQQ&type=fund', ['ETF:QQQ']],
    ['query=EURUSD', ['ECB:EURUSD']],
    ['query=eur/jpy', ['ECB:EURJPY']],
    ['query=GBP&type=forex&limit=2', ['ECB:GBPEUR', 'ECB:GBPAUD']],
    ['query=', []],
    ['query=bitcoin&exchange=NOWHERE', []],
    ['query=bitcoin&limit=0', []],
    ['query=gold&type=crypto&limit=1&exchange=ECB', []],
  ])('of %s finds %j', async (query, expected) => {
    expect(await tickers(query)).toEqual(expected)
  })

  it('finds no commodities, which have no days, and each result can be opened', async () => {
    const rows = await tickers('query=gold')
    expect(rows.length).toBeGreaterThan(0)
    for (const ticker of rows.slice(0, 3))
      expect(await udf(`symbols?symbol=${encodeURIComponent(ticker)}`)).toMatchObject({ ticker })
  })
})

describe('history', () => {
  it('has the close and volume of the consensus, as the candles say, and no other price', async () => {
    const bars = await history(
      `symbol=CONSENSUS:bitcoin&resolution=1D&${between('2026-11-10', '2026-11-14')}`,
    )
    const { body } = await app.rest<{
      data: { candles: readonly { ts: string; vwap_usd: number; volume_usd: number }[] }
    }>('/v1/assets/bitcoin/ohlcv?from=2026-11-10&to=2026-11-15', { key })
    expect(bars.t).toEqual(body.data.candles.map(({ ts }) => Date.parse(ts) / 1000))
    expect(bars.t).toHaveLength(5)
    expect(bars.c).toEqual(body.data.candles.map(({ vwap_usd }) => vwap_usd))
    expect(bars.v).toEqual(body.data.candles.map(({ volume_usd }) => volume_usd))
    expect(Object.keys(bars)).toEqual(['s', 't', 'c', 'v'])
  })

  it('has all prices of one exchange, by the hour', async () => {
    const bars = await history(`symbol=BINANCE:bitcoin&resolution=60&countback=3&to=${seconds('2026-11-20')}`)
    const { body } = await app.rest<{ data: readonly { open: number; high: number; volume: number }[] }>(
      '/v1/assets/bitcoin/exchanges/binance/ohlcv?timeframe=1h&from=2026-11-19T22:00:00Z&to=2026-11-20T01:00:00Z',
      { key },
    )
    expect(bars.t).toEqual([-2, -1, 0].map((hour) => seconds('2026-11-20') + hour * 3600))
    expect(bars.o).toEqual(body.data.map(({ open }) => open))
    expect(bars.h).toEqual(body.data.map(({ high }) => high))
    expect(bars.v).toEqual(body.data.map(({ volume }) => volume))
  })

  it('of a share has trading days, as traded or adjusted; adjusted bars have no volume', async () => {
    const range = `resolution=D&countback=60&to=${seconds('2026-11-16')}`
    const [traded, adjusted] = [
      await history(`symbol=XNAS:AAPL&${range}`),
      await history(`symbol=XNAS:AAPL:all&${range}`),
    ]
    expect(traded.t).toHaveLength(60)
    expect(traded.t.at(-1)).toBe(seconds('2026-11-16'))
    expect(adjusted.t).toEqual(traded.t)
    expect([traded.v?.length, adjusted.v]).toEqual([60, undefined])
    const { body } = await app.rest<{ data: readonly { date: string; adjusted_close: number }[] }>(
      '/v1/stocks/AAPL/prices?mic=XNAS&adjust=all&from=2026-11-09&to=2026-11-16',
      { key },
    )
    expect(adjusted.c.slice(-body.data.length)).toEqual(body.data.map((day) => day.adjusted_close))
    expect(adjusted.c[0]).not.toBe(traded.c[0])
    const ratio = (adjusted.c[0] ?? 0) / (traded.c[0] ?? 0)
    expect((adjusted.o?.[0] ?? 0) / (traded.o?.[0] ?? 0)).toBeCloseTo(ratio, 4)
  })

  it('of an ETF is asked for with its option', async () => {
    const bars = await history(`symbol=XNAS:QQQ:etf&resolution=1D&countback=2&to=${seconds('2026-11-16')}`)
    expect(bars).toMatchObject({ s: 'ok', t: [seconds('2026-11-13'), seconds('2026-11-16')] })
    const { errmsg } = await history(`symbol=XNAS:QQQ&resolution=1D&countback=2&to=${seconds('2026-11-16')}`)
    expect(errmsg).toContain('(etf)')
  })

  it('of currencies has the days of publication', async () => {
    const bars = await history(`symbol=ECB:EURUSD&resolution=D&countback=3&to=${seconds('2026-11-15')}`)
    expect(bars.t).toEqual(['2026-11-11', '2026-11-12', '2026-11-13'].map(seconds))
    expect(Object.keys(bars)).toEqual(['s', 't', 'c'])
  })

  it('without bars says where to go on, which leads to the bars before', async () => {
    const empty = await history(`symbol=ECB:EURUSD&resolution=D&${between('2026-11-14', '2026-11-15')}`)
    expect(empty.s).toBe('no_data')
    const before = await history(
      `symbol=ECB:EURUSD&resolution=D&from=${(empty.nextTime ?? 0) - 86_400}&to=${empty.nextTime}`,
    )
    expect([before.s, before.t.at(-1)]).toEqual(['ok', seconds('2026-11-13')])
  })

  it('before anything could exist ends', async () => {
    expect(await history(`symbol=ECB:EURUSD&resolution=D&${between('1990-01-01', '1991-01-01')}`)).toEqual({
      s: 'no_data',
    })
  })

  it('of the two newest days is what a chart polls, up to the last finished window', async () => {
    const now = Math.floor(app.clock.now().getTime() / 1000)
    const bars = await history(
      `symbol=CONSENSUS:bitcoin&resolution=1D&from=${now - 10 * 86_400}&to=${now + 86_400}&countback=2`,
    )
    expect(bars.t).toEqual(['2026-11-18', '2026-11-19'].map(seconds))
  })

  it('of more bars than one answer has gives the newest thousand', async () => {
    const query = `symbol=BINANCE:bitcoin&resolution=D&${between('2009-01-01', '2026-11-19')}`
    const bars = await history(query)
    expect(bars.t.at(-1)).toBe(seconds('2026-11-19'))
    expect(bars.t.length).toBeGreaterThan(700)
    const free = await app.newKey({ tier: 'free' })
    const { status, body } = await app.rest<History>(`/compat/udf/history?${query}`, { key: free })
    expect([status, body.errmsg]).toEqual([403, expect.stringContaining('history:full')])
  })

  it.each([
    ['symbol=CONSENSUS:BTC&resolution=1D&from=0&to=1', 'no_data'],
    [
      `symbol=CONSENSUS:BTC&resolution=1D&${between('2026-11-10', '2026-11-14')}`,
      'did you mean bitcoin (BTC)?',
    ],
    [`symbol=BTC&resolution=1D&${between('2026-11-10', '2026-11-14')}`, 'unknown_symbol BTC'],
    [
      `symbol=ECB:EURUSD&resolution=60&${between('2026-11-10', '2026-11-14')}`,
      'resolution must be 1D, or 60',
    ],
    [
      `symbol=BINANCE:bitcoin&resolution=5&${between('2026-11-10', '2026-11-14')}`,
      'resolution must be 1D, or 60',
    ],
    ['symbol=ECB:EURUSD&resolution=D&from=x&to=1794700800', 'from must be seconds since 1970'],
    ['symbol=ECB:EURUSD&resolution=D&from=1', 'to must be seconds since 1970'],
    ['symbol=ECB:EURUSD&resolution=D&to=1794700800&countback=-1', 'countback must be a whole number'],
    ['symbol=ECB:EURUSD&resolution=D&to=99999999999&countback=9', 'ok'],
  ])('of %s is %s', async (query, expected) => {
    const { s, errmsg } = await history(query)
    expect(errmsg ?? s).toContain(expected)
  })

  it('keeps status and form of refusals', async () => {
    const free = await app.newKey({ tier: 'free' })
    const { status, body } = await app.rest<History>(
      `/compat/udf/history?symbol=BINANCE:bitcoin&resolution=60&countback=3&to=${seconds('2026-11-20')}`,
      { key: free },
    )
    expect([status, body.s]).toEqual([403, 'error'])
    expect(body.errmsg).toContain('ohlcv:intraday')
  })
})

describe('marks', () => {
  it('on bars are the changes of analyses of an asset, one list per property', async () => {
    const marks = await udf<Record<string, readonly unknown[]>>(
      `marks?symbol=CONSENSUS:bitcoin&resolution=D&${between('2026-10-01', '2026-11-15')}`,
    )
    expect(Object.keys(marks)).toEqual(['id', 'time', 'color', 'text', 'label', 'labelFontColor', 'minSize'])
    expect(new Set(Object.values(marks).map(({ length }) => length)).size).toBe(1)
    const { body } = await app.rest<{ items: readonly { changed_at: string; to_snapshot_id: string }[] }>(
      '/v1/ai-analysis/changes?asset_id=bitcoin&since=2026-10-01T00:00:00Z&limit=100',
      { key },
    )
    const inRange = body.items.filter(
      ({ changed_at }) => changed_at >= '2026-10-01' && changed_at <= '2026-11-15',
    )
    expect(inRange.length).toBeGreaterThan(0)
    expect(marks.id).toEqual(inRange.map((item) => item.to_snapshot_id))
  })

  it('on bars are the dividends of a stock', async () => {
    const marks = await udf<{ time: readonly number[]; text: readonly string[] }>(
      `marks?symbol=XNAS:AAPL&resolution=D&${between('2026-08-01', '2026-11-15')}`,
    )
    const { body } = await app.rest<{ data: readonly { ex_date: string; amount: number }[] }>(
      '/v1/stocks/AAPL/dividends',
      { key },
    )
    const inRange = body.data.filter(({ ex_date }) => ex_date >= '2026-08-01' && ex_date <= '2026-11-15')
    expect(inRange.length).toBeGreaterThan(0)
    expect(marks.time).toEqual(inRange.map(({ ex_date }) => seconds(ex_date)))
    expect(marks.text).toEqual(inRange.map(({ amount }) => `Dividend ${amount} USD`))
  })

  it('on the axis are the corporate actions of a stock', async () => {
    const changes = await app.rest<{ items: readonly { ticker: string }[] }>(
      '/v1/corporate-actions/changes?limit=1&action_type=split',
      { key },
    )
    const [{ ticker } = { ticker: 'none' }] = changes.body.items
    const listed = await app.rest<{ data: readonly { ex_date: string; action_type: string }[] }>(
      `/v1/stocks/${ticker}/corporate-actions`,
      { key },
    )
    expect(listed.body.data.length).toBeGreaterThan(0)
    const marks = await udf<readonly { time: number; label: string }[]>(
      `timescale_marks?symbol=STOCK:${ticker}&resolution=D&${between('1990-01-01', '2026-11-15')}`,
    )
    expect(marks.map(({ time }) => time)).toEqual(listed.body.data.map(({ ex_date }) => seconds(ex_date)))
  })

  it('on the axis are the events of an asset, which the ticker of its symbol finds', async () => {
    const { body } = await app.rest<{ data: readonly { asset_id: number }[] }>(
      '/v1/star/fact/events?limit=1',
      {
        key,
      },
    )
    const assetId = body.data[0]?.asset_id ?? 0
    const { body: events } = await app.rest<{ data: readonly { event_hk: string; event_date: string }[] }>(
      `/v1/star/fact/events?asset_id=${assetId}&limit=100`,
      { key },
    )
    const range = `resolution=D&from=0&to=${seconds('2026-11-15')}`
    const marks = await udf<readonly { id: string; label: string; tooltip: readonly string[] }[]>(
      `timescale_marks?symbol=CONSENSUS:any:${assetId}&${range}`,
    )
    const past = events.data.filter(({ event_date }) => event_date <= '2026-11-15')
    expect(past.length).toBeGreaterThan(0)
    expect(marks.map(({ id }) => id)).toEqual(past.map(({ event_hk }) => event_hk))
    expect(marks[0]).toMatchObject({ label: 'E', tooltip: [expect.stringMatching(/\S/)] })
    expect(await udf(`timescale_marks?symbol=CONSENSUS:bitcoin&${range}`)).toEqual([])
  })

  it('of currencies and ETFs are none', async () => {
    const range = `resolution=D&${between('2026-10-01', '2026-11-15')}`
    expect(await udf(`timescale_marks?symbol=ECB:EURUSD&${range}`)).toEqual([])
    expect(await udf(`marks?symbol=ETF:QQQ&${range}`)).toMatchObject({ id: [], time: [] })
  })
})
