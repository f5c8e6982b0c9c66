import { describe, expect, it } from 'vitest'
import { FORMS, formOf, MINUTE, NOW } from './answers.js'

const from = new Date('2026-09-27T00:00:00Z')
const later = (minutes: number) => new Date(from.getTime() + minutes * MINUTE)
const urls = (venue: string, to: Date, since = from) => {
  const { adapter, pair } = formOf(venue)
  return adapter.request({ pair, from: since, to, now: NOW }).map(({ url }) => url)
}

describe('requests', () => {
  it.each([
    [
      'binance',
      'https://data-api.binance.vision/api/v3/klines?symbol=BTCUSDT&interval=1m&startTime=1790467200000&endTime=1790470740000&limit=1000',
    ],
    [
      'bitstamp',
      'https://www.bitstamp.net/api/v2/ohlc/btcusd/?step=60&limit=1000&start=1790467200&end=1790470740',
    ],
    [
      'coinbase',
      'https://api.exchange.coinbase.com/products/BTC-USD/candles?granularity=60&start=2026-09-27T00:00:00.000Z&end=2026-09-27T00:59:00.000Z',
    ],
    ['kraken', 'https://api.kraken.com/0/public/OHLC?pair=XBTUSD&interval=1&since=1790467140'],
    [
      'okx',
      'https://www.okx.com/api/v5/market/candles?instId=BTC-USDT&bar=1m&before=1790467199999&after=1790470740001&limit=300',
    ],
  ])('%s: an hour is one request for its sixty bars', (venue, url) => {
    expect(urls(venue, later(60))).toEqual([url])
  })

  it.each([
    ['binance', 1000, 3],
    ['bitstamp', 1000, 3],
    ['coinbase', 300, 7],
  ])('%s: a longer span is cut into pages of %i bars without gap or overlap', (venue, rows, pages) => {
    const found = urls(venue, later(2001))
    expect(found).toHaveLength(pages)
    const bounds = found.map((url) => boundsOf(url))
    expect(bounds[0]?.[0]).toBe(from.getTime())
    expect(bounds.at(-1)?.[1]).toBe(later(2000).getTime())
    for (const [page, [first, last]] of bounds.entries()) {
      expect((last - first) / MINUTE + 1).toBeLessThanOrEqual(rows)
      if (page > 0) expect(first).toBe((bounds[page - 1]?.[1] ?? 0) + MINUTE)
    }
  })

  it('okx: bars older than a day come from the history, a hundred per page', () => {
    const old = new Date(NOW.getTime() - 3 * 86_400_000)
    const found = urls('okx', new Date(old.getTime() + 250 * MINUTE), old)
    expect(found).toHaveLength(3)
    expect(found[0]).toContain('/history-candles?')
    expect(found[0]).toContain('limit=100')
  })

  it('kraken: bars older than its newest 720 are not requested', () => {
    const old = new Date(NOW.getTime() - 86_400_000)
    expect(urls('kraken', new Date(old.getTime() + 60 * MINUTE), old)).toEqual([])
    const since = Math.floor((NOW.getTime() - 721 * MINUTE) / 1000)
    expect(urls('kraken', NOW, old)).toEqual([
      `https://api.kraken.com/0/public/OHLC?pair=XBTUSD&interval=1&since=${since}`,
    ])
  })

  it.each(FORMS.map(({ adapter }) => adapter.venue))('%s: an empty span needs no request', (venue) => {
    expect(urls(venue, from)).toEqual([])
    expect(urls(venue, new Date(from.getTime() - MINUTE))).toEqual([])
  })

  it('a span of years is refused as a mistake', () => {
    expect(() => urls('coinbase', later(3_000_000))).toThrow(RangeError)
  })
})

function boundsOf(url: string): readonly [number, number] {
  const query = new URL(url).searchParams
  const read = (...names: readonly string[]) => {
    const text = names.map((name) => query.get(name)).find((value) => value !== null) ?? ''
    if (text.includes('T')) return Date.parse(text)
    return text.length === 10 ? Number(text) * 1000 : Number(text)
  }
  return [read('startTime', 'start'), read('endTime', 'end')]
}
