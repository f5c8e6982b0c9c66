import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METHODOLOGY_VERSION } from '../../../../src/core/consensus/consensus.js'
import type { VenueBar } from '../../../../src/core/consensus/venue-vwap.js'
import { decimal } from '../../../../src/core/decimal.js'
import {
  endOfWindow,
  isRollable,
  rollUp,
  stablecoinRate,
  windowsOfHours,
  windowsWithin,
} from '../../../../src/ingest/datasets/market/roll-up.js'

const DAY = Date.UTC(2026, 10, 19)
const at = (minute: number) => new Date(DAY + minute * 60_000)
const HOUR = { timeframe: '1h', ts: at(60) } as const
const WHOLE_DAY = { timeframe: '1d', ts: at(0) } as const
const BITCOIN = { assetId: 1, tier: 1 } as const
const noRate = () => null

/** `kraken 61 100 2`: a flat bar of that minute, price and volume. */
function bar(text: string): VenueBar {
  const [venue = '', minute = '', price = '', volume = ''] = text.split(' ')
  const flat = decimal(price)
  const prices = { open: flat, high: flat, low: flat, close: flat }
  const quoteCurrency = venue === 'binance' ? 'USDT' : venue === 'okx' ? 'USDC' : 'USD'
  const ts = at(Number(minute))
  return { venue, ts, ...prices, baseVolume: decimal(volume), quoteVolume: null, vwap: null, quoteCurrency }
}

/** Of one bar of one unit at that price. */
const flatPrices = (price: string) => ({
  ...{ open: price, high: price, low: price, close: price },
  ...{ volume: '1', quoteVolume: price, quoteCurrency: 'USD' },
})

const THREE = ['bitstamp 60 100 1', 'coinbase 61 102 1', 'kraken 119 101 1']

describe('rollUp', () => {
  it('uses the bars from the first minute of a window to its last, and no others', () => {
    const bars = [...THREE, 'kraken 59 90 1', 'kraken 120 90 1'].map(bar)
    const [candle] = rollUp(BITCOIN, [HOUR], bars, noRate)
    expect(candle).toEqual({
      assetId: 1,
      timeframe: '1h',
      ts: at(60),
      vwapUsd: '101.006600660066', // (100² + 102² + 101²) / 303
      volumeUsd: '303',
      exchangesCount: 3,
      maxSourceWeight: '0.3366336634',
      methodologyVersion: METHODOLOGY_VERSION,
      sources: [
        {
          venue: 'bitstamp',
          vwapUsd: '100',
          volumeUsd: '100',
          weight: '0.3300330033',
          exclusion: null,
          deviation: '-0.0099009901',
          prices: flatPrices('100'),
        },
        {
          venue: 'coinbase',
          vwapUsd: '102',
          volumeUsd: '102',
          weight: '0.3366336634',
          exclusion: null,
          deviation: '0.0099009901',
          prices: flatPrices('102'),
        },
        {
          venue: 'kraken',
          vwapUsd: '101',
          volumeUsd: '101',
          weight: '0.3333333333',
          exclusion: null,
          deviation: '0',
          prices: flatPrices('101'),
        },
      ],
    })
  })

  it('keeps no prices of exchanges for hours of tier 3, and those of days', () => {
    const rolled = rollUp({ assetId: 1, tier: 3 }, [HOUR, WHOLE_DAY], THREE.map(bar), noRate)
    const kept = rolled.map(({ timeframe, sources }) => [
      timeframe,
      sources.filter(({ prices }) => prices).length,
    ])
    expect(kept).toEqual([
      ['1h', 0],
      ['1d', 3],
    ])
  })

  it('gives no candle for a window without a bar, and one without a price for too few venues', () => {
    const bars = THREE.slice(0, 2).map(bar)
    const candles = rollUp(BITCOIN, [{ ...HOUR, ts: at(0) }, HOUR, WHOLE_DAY], bars, noRate)
    expect(
      candles.map(({ timeframe, vwapUsd, exchangesCount }) => [timeframe, vwapUsd, exchangesCount]),
    ).toEqual([
      ['1h', null, 2],
      ['1d', null, 2],
    ])
  })

  it('reports a venue whose bars have no trade, and prices without it', () => {
    const [candle] = rollUp(BITCOIN, [HOUR], [...THREE, 'okx 60 500 0'].map(bar), noRate)
    expect(candle?.sources[3]).toMatchObject({ venue: 'okx', vwapUsd: null, exclusion: 'no_volume' })
    expect(candle?.vwapUsd).toBe('101.006600660066')
  })

  it('converts each venue by the rate of its own currency in that window', () => {
    const bars = [...THREE, 'binance 60 100 1', 'okx 60 100 1'].map(bar)
    const rates = { USDT: decimal('0.99'), USDC: decimal('1.01') }
    const [candle] = rollUp(BITCOIN, [HOUR], bars, (currency, window) =>
      window === HOUR ? rates[currency] : null,
    )
    const prices = candle?.sources.map(({ venue, vwapUsd }) => `${venue} ${vwapUsd}`)
    expect(prices).toEqual(['binance 99', 'bitstamp 100', 'coinbase 102', 'kraken 101', 'okx 101'])
  })

  it('gives the same candles for any order of the bars', () => {
    const bars = [...THREE, 'binance 60 100 3', 'binance 61 103 2', 'kraken 62 100.5 4'].map(bar)
    const expected = rollUp(BITCOIN, [HOUR, WHOLE_DAY], bars, noRate)
    const shuffled = fc.shuffledSubarray(bars, { minLength: bars.length })
    fc.assert(
      fc.property(shuffled, (order) => {
        expect(rollUp(BITCOIN, [HOUR, WHOLE_DAY], order, noRate)).toEqual(expected)
      }),
      { numRuns: 50 },
    )
  })
})

describe('stablecoinRate', () => {
  it.each([
    [['kraken 60 0.99 1'], '0.99'],
    [['kraken 60 0.99 1', 'coinbase 60 1.01 9'], '1'],
    [['kraken 60 0.99 1', 'coinbase 60 1.01 9', 'bitstamp 60 0.5 100'], '0.99'],
    [['kraken 60 0.99 1', 'binance 60 0.7 100'], '0.99'],
    [['kraken 59 0.99 1', 'coinbase 60 1 0'], null],
  ])('of %j is %s: the median of the venues that trade it for dollars', (bars, rate) => {
    expect(stablecoinRate(HOUR, bars.map(bar))?.toFixed() ?? null).toBe(rate)
  })
})

describe('windows', () => {
  it('of a span are its hours and days, the ones at the edges too', () => {
    const text = windowsWithin(at(59), at(24 * 60 + 1)).map(
      ({ timeframe, ts }) => `${timeframe} ${ts.toISOString().slice(5, 13)}`,
    )
    expect([text.length, text[0], text[24], text[25], text[26]]).toEqual([
      27,
      '1h 11-19T00',
      '1h 11-20T00',
      '1d 11-19T00',
      '1d 11-20T00',
    ])
  })

  it('of hours are the hours and their days, each once', () => {
    expect(windowsOfHours([at(0), at(60), at(60)])).toEqual([{ timeframe: '1h', ts: at(0) }, WHOLE_DAY, HOUR])
  })

  it('end where the next begins', () => {
    expect([endOfWindow(HOUR), endOfWindow(WHOLE_DAY)]).toEqual([at(120), at(24 * 60)])
  })

  it.each([
    ['has ended', { now: at(120) }, true],
    ['goes on', { now: new Date(at(120).getTime() - 1) }, false],
    ['begins with the series', { firstBar: at(65) }, true],
    ['begins before the series', { firstBar: at(66) }, false],
    ['begins with what is kept', { keptFrom: at(60) }, true],
    ['has lost bars', { keptFrom: at(61) }, false],
  ])('may be rolled up or not: one that %s', (_, fact, expected) => {
    const known = { now: at(600), firstBar: at(0), keptFrom: at(-1000), ...fact }
    expect(isRollable(HOUR, known)).toBe(expected)
  })
})
