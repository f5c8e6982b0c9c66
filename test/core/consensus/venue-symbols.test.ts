import { describe, expect, it } from 'vitest'
import {
  buildPair,
  explainVenueSymbol,
  formerTickerNotAsked,
  pairOfAsset,
  pairOnDay,
  VENUES,
} from '../../../src/core/consensus/venue-symbols.js'
import { parseIsoDate } from '../../../src/core/time.js'
import { CRYPTO_ASSETS } from '../../../src/ingest/providers/reference/assets.js'

describe('the symbol of an asset', () => {
  it('is the stored one, else the one by rule', () => {
    expect(pairOfAsset('kraken', { ticker: 'BTC' })).toEqual({ symbol: 'XBTUSD', quoteCurrency: 'USD' })
    const symbols = { kraken: 'BTCUSD', okx: null }
    expect(pairOfAsset('kraken', { ticker: 'BTC', symbols })?.symbol).toBe('BTCUSD')
    expect(pairOfAsset('okx', { ticker: 'BTC', symbols })).toBeNull()
    expect(pairOfAsset('binance', { ticker: 'BTC', symbols })).toBeNull()
  })

  it('is accepted in the spelling of the venue', () => {
    for (const { symbols } of CRYPTO_ASSETS) {
      for (const venue of VENUES) {
        const symbol = symbols[venue]
        if (symbol != null) expect([symbol, explainVenueSymbol(venue, symbol)]).toEqual([symbol, null])
      }
    }
  })
})

describe('the symbol of an asset that was renamed', () => {
  it.each([
    ['binance', 'POL', '2024-09-12', 'MATICUSDT'],
    ['binance', 'POL', '2024-09-13', 'POLUSDT'],
    ['binance', 'RENDER', '2024-07-25', 'RNDRUSDT'],
    ['binance', 'RENDER', '2024-07-26', 'RENDERUSDT'],
    ['okx', 'POL', '2024-01-01', 'POL-USDT'],
    ['binance', 'BTC', '2020-01-01', 'BTCUSDT'],
  ] as const)('%s writes %s on %s as %s', (venue, ticker, text, symbol) => {
    const day = parseIsoDate(text) ?? expect.fail(text)
    expect(pairOnDay(venue, { ticker }, day)?.symbol).toBe(symbol)
    const { symbols } = CRYPTO_ASSETS.find((one) => one.ticker === ticker) ?? expect.fail(ticker)
    expect(pairOnDay(venue, { ticker, symbols }, day)?.symbol).toBe(symbol)
  })

  it('is not the former ticker if the day of the renaming is unknown', () => {
    const venues = ['binance', 'bitstamp', 'coinbase', 'kraken', 'okx'] as const
    const formerOf = (ticker: string) => venues.map((venue) => formerTickerNotAsked(venue, { ticker }))
    expect(formerOf('POL')).toEqual([null, 'MATIC', 'MATIC', 'MATIC', 'MATIC'])
    expect(formerOf('RENDER')).toEqual([null, 'RNDR', 'RNDR', 'RNDR', 'RNDR'])
    expect(formerOf('BTC')).toEqual([null, null, null, null, null])
  })

  it("is the operator's own on every day, if set", () => {
    const symbols = { binance: 'MYPOLUSDT' }
    const day = parseIsoDate('2024-01-01') ?? expect.fail()
    expect(pairOnDay('binance', { ticker: 'POL', symbols }, day)?.symbol).toBe('MYPOLUSDT')
  })
})

describe('pairOf', () => {
  it.each([
    ['binance', 'BTC', 'BTCUSDT', 'USDT'],
    ['bitstamp', 'BTC', 'btcusd', 'USD'],
    ['coinbase', 'BTC', 'BTC-USD', 'USD'],
    ['kraken', 'BTC', 'XBTUSD', 'USD'],
    ['kraken', 'DOGE', 'XDGUSD', 'USD'],
    ['kraken', 'XNO', 'NANOUSD', 'USD'],
    ['kraken', 'ETH', 'ETHUSD', 'USD'],
    ['okx', 'BTC', 'BTC-USDT', 'USDT'],
    ['coinbase', 'USDT', 'USDT-USD', 'USD'],
    ['binance', 'USDC', 'USDCUSDT', 'USDT'],
  ] as const)('%s writes %s as %s', (venue, ticker, symbol, quoteCurrency) => {
    expect(buildPair(venue, ticker)).toEqual({ symbol, quoteCurrency })
  })

  it('has no pair of a currency against itself', () => {
    const missing = VENUES.flatMap((venue) =>
      CRYPTO_ASSETS.flatMap(({ ticker }) =>
        buildPair(venue, ticker) === null ? [`${venue} ${ticker}`] : [],
      ),
    )
    expect(missing).toEqual(['binance USDT', 'coinbase USDC', 'okx USDT'])
  })

  it.each(VENUES)('%s: no two seeded assets share a pair', (venue) => {
    const symbols = CRYPTO_ASSETS.flatMap(({ ticker }) => buildPair(venue, ticker)?.symbol ?? [])
    expect(new Set(symbols).size).toBe(symbols.length)
    expect(symbols.length).toBeGreaterThanOrEqual(59)
  })

  it.each(['', 'BRK.B', 'btc', 'A&symbol=B', '../x', 'constructor', '__proto__'])(
    'has no pair of %j',
    (ticker) => {
      for (const venue of VENUES) expect(buildPair(venue, ticker)).toBeNull()
    },
  )
})
