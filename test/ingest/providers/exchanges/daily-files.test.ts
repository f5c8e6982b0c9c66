import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { type DailyFileVenue, dailyFileFeed } from '../../../../src/ingest/providers/exchanges/daily-files.js'
import { samplePath } from '../../../support/samples.js'

const now = new Date('2026-11-20T12:00:00Z')

function read(body: string | Uint8Array, venue: DailyFileVenue = 'coinbase') {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const items = [...dailyFileFeed(venue, 'forex').parse(bytes, { now, onRead: () => {}, onAbsent: () => {} })]
  return {
    days: items.flatMap((item) => {
      if (item.kind !== 'row') return []
      const { venue: of, ticker, quoteCurrency, day, vwap, baseVolume, quoteVolume } = item.row
      const figures = [vwap, baseVolume, quoteVolume].map((figure) => figure.toFixed())
      return [[of, ticker, quoteCurrency, day, ...figures].join(' ')]
    }),
    rejected: items.flatMap((item) => (item.kind === 'rejected' ? [`${item.position}: ${item.reason}`] : [])),
  }
}

const HEADER = 'Date,Symbol,Open,High,Low,Close,Volume BTC,Volume USD'
const NEWEST = '2019-08-29,BTCUSD,100,110,90,100,1,100'
const NEWEST_REJECTED = 'line 2: 2019-08-29, the newest day, may be unfinished'
const file = (...lines: readonly string[]) => [HEADER, NEWEST, ...lines, ''].join('\n')

describe('daily files', () => {
  it('gives the typical price and both volumes of each day, oldest first, without the newest', () => {
    const body = file('2019-08-28,BTCUSD,100,120,90,105,2,210', '2019-08-27,BTCUSD,100,120,90,90,2,200')
    expect(read(body)).toEqual({
      days: ['coinbase BTC USD 2019-08-27 100 2 200', 'coinbase BTC USD 2019-08-28 105 2 210'],
      rejected: [NEWEST_REJECTED],
    })
  })

  it('reads the newer form: a line before the header, lower case, time and slash, more columns', () => {
    const body =
      'https://www.CryptoDataDownload.com\nunix,date,symbol,open,high,low,close,Volume ETH,Volume USDT,tradecount\n' +
      '2,2022-08-20 00:00:00,ETH/USDT,1,1,1,1,1,1,9\n1,2022-08-19 00:00:00,ETH/USDT,1,1,1,1,1,1,9\n'
    expect(read(body, 'kraken').days).toEqual(['kraken ETH USDT 2022-08-19 1 1 1'])
  })

  it('reads volumes in scientific notation and keeps days without trades', () => {
    const body = file(
      '2014-09-02,BTCUSD,490.01,524.77,490.01,524.77,3.811e-05,0.02',
      '2014-09-01,BTCUSD,5,5,5,5,0.0,0.0',
    )
    expect(read(body).days).toEqual([
      'coinbase BTC USD 2014-09-01 5 0 0',
      'coinbase BTC USD 2014-09-02 513.1833333333333333333333333333333333333 0.00003811 0.02',
    ])
  })

  it('swaps volumes that are in the wrong columns', () => {
    expect(read(file('2018-02-27,BTCUSD,100,110,90,100,2050,20.5')).days).toEqual([
      'coinbase BTC USD 2018-02-27 100 20.5 2050',
    ])
  })

  it.each([
    ['2019-08-28,BTCUSD,100,110,90,100,20,20', 'volumes 20 and 20 fit no price from 90 to 110'],
    ['2019-08-28,BTCUSD,100,110,90,100,1', 'has 7 cells, but the header has 8'],
    ['2019-08-28,BTCEUR,100,110,90,100,1,100', 'symbol "BTCEUR" is not a pair against a dollar'],
    ['2019-08-28,ETHUSD,100,110,90,100,1,100', 'volume eth is missing, not a number'],
    ['2019-02-30,BTCUSD,100,110,90,100,1,100', 'date "2019-02-30" is not a UTC day'],
    ['2019-08-28 01:00:00,BTCUSD,100,110,90,100,1,100', 'date "2019-08-28 01:00:00" is not a UTC day'],
    ['2026-11-20,BTCUSD,100,110,90,100,1,100', '2026-11-20 is not over yet'],
    ['2200-12-31,BTCUSD,100,110,90,100,1,100', '2200-12-31 is not over yet'],
    ['2019-08-28,BTCUSD,-100,110,90,100,1,100', 'open "-100" is negative'],
    ['2019-08-28,BTCUSD,100,80,90,100,1,100', 'high 80 is below low 90'],
    ['2019-08-28,BTCUSD,100,NaN,90,100,1,100', 'high is "NaN", not a number'],
    [
      '2019-02-30,BTCUSD,100,NaN,0,100,1,100',
      'date "2019-02-30" is not a UTC day; high is "NaN", not a number; low is zero, but a price is above zero',
    ],
    ['2019-08-28,BTCUSD,100,1e400,90,100,1,100', 'high "1e400" is out of range: exponents go to ±30'],
    ['2019-08-28,BTCUSD,100,110,90,100,,100', 'volume btc is "", not a number'],
    ['2019-08-28,BTCUSD,100,110,90,100,-1,100', 'volume btc "-1" is negative'],
  ])('rejects %s alone', (line, reason) => {
    expect(read(file(line, '2019-08-27,BTCUSD,100,110,90,100,1,100'))).toEqual({
      days: ['coinbase BTC USD 2019-08-27 100 1 100'],
      rejected: [`line 3: ${reason}`, NEWEST_REJECTED],
    })
  })

  it('accepts a repeated day once and rejects every line of a day that differs', () => {
    const line = '2019-08-28,BTCUSD,100,110,90,100,1,100'
    expect(read(file(line, line, '2019-08-28,BTCUSD,100,110,90,100,1,101'))).toEqual({
      days: [],
      rejected: [
        'line 5: 2019-08-28 has different figures on line 3',
        'line 3: 2019-08-28 is repeated with different figures',
        NEWEST_REJECTED,
      ],
    })
  })

  it.each([
    ['', 'the body is empty'],
    ['<html></html>', 'the body is HTML or XML, not CSV'],
    ['{"error":1}', 'the body is JSON, not CSV'],
    [
      'a,b\n1,2\n',
      'no header with date, symbol, open, high, low, close in the first lines; the file begins with "a"',
    ],
    [`${HEADER}\n"never closed\n`, 'the text is not CSV'],
  ])('refuses another file (%#)', (body, reason) => {
    expect(() => read(body)).toThrow(BrokenBody)
    expect(() => read(body)).toThrow(reason)
  })

  it('rejects 200 bad lines of every sort one by one and keeps every good one among them', () => {
    const bad = ['-1', '0', 'NaN', '1e400', '', 'x', '1e-400', '"1,000"', '∞', '<b>'].map(
      (cell) => `2019-08-28,BTCUSD,100,${cell},90,100,1,100`,
    )
    const lines = Array.from({ length: 200 }, (_, index) => [
      `${new Date(Date.UTC(2018, 0, 1 + index)).toISOString().slice(0, 10)},BTCUSD,100,110,90,100,1,100`,
      bad[index % bad.length] ?? '',
    ])
    const { days, rejected } = read(file(...lines.flat()))
    expect(days).toHaveLength(200)
    expect(rejected).toHaveLength(201)
    for (const text of rejected) expect(text).toMatch(/^line \d+: .{5,}$/)
  })

  it.skipIf(samplePath('exchanges/daily') === null).each([
    ['bitfinex', 1649, ['line 1505: volumes 38371.63 and 9641.56 fit no price from 267.33 to 278.69']],
    ['bitstamp', 2822, []],
    ['coinbase', 1720, []],
    ['kraken', 2141, []],
  ] as const)('%s: reads the file of the venue, %i days', (venue, count, wrong) => {
    const feed = dailyFileFeed(venue, 'forex')
    const { days, rejected } = read(
      readFileSync(samplePath(`exchanges/daily/${feed.fileNames?.[0]}`) ?? ''),
      venue,
    )
    expect(days).toHaveLength(count)
    expect(rejected.slice(0, -1)).toEqual(wrong)
    expect(rejected.at(-1)).toContain('the newest day, may be unfinished')
    expect(feed.request).toBeUndefined()
  })
})
