import { describe, expect, it } from 'vitest'
import { BAR_VENUES, explainVenueSymbol, pairOf, pairOfAsset } from '../../src/core/venue-symbols.js'
import { CRYPTO_ASSETS } from '../../src/ingest/providers/reference/crypto.js'

const VENUES = ['binance', 'bitstamp', 'coinbase', 'kraken', 'okx'] as const

describe('the symbol of an asset', () => {
  it('is the stored one, else that of the rule', () => {
    expect(pairOfAsset('kraken', { ticker: 'BTC' })).toEqual({ symbol: 'XBTUSD', quoteCurrency: 'USD' })
    const symbols = { kraken: 'BTCUSD', okx: null }
    expect(pairOfAsset('kraken', { ticker: 'BTC', symbols })?.symbol).toBe('BTCUSD')
    expect(pairOfAsset('okx', { ticker: 'BTC', symbols })).toBeNull()
    expect(pairOfAsset('binance', { ticker: 'BTC', symbols })).toBeNull()
  })

  it('is accepted as the venue would write it', () => {
    for (const { symbols } of CRYPTO_ASSETS) {
      for (const venue of BAR_VENUES) {
        const symbol = symbols[venue]
        if (symbol != null) expect([symbol, explainVenueSymbol(venue, symbol)]).toEqual([symbol, null])
      }
    }
  })
})

describe('pairOf', () => {
  it.each([
    ['binance', 'BTC', 'BTCUSDT', 'USDT'],
    ['bitstamp', 'BTC', 'btcusd', 'USD'],
    ['coinbase', 'BTC', 'BTC-USD', 'USD'],
    ['kraken', 'BTC', 'XBTUSD', 'USD'],
    ['kraken', 'DOGE', 'XDGUSD', 'USD'],
    ['kraken', 'ETH', 'ETHUSD', 'USD'],
    ['okx', 'BTC', 'BTC-USDT', 'USDT'],
    ['coinbase', 'USDT', 'USDT-USD', 'USD'],
    ['binance', 'USDC', 'USDCUSDT', 'USDT'],
  ] as const)('%s writes %s as %s', (venue, ticker, symbol, quoteCurrency) => {
    expect(pairOf(venue, ticker)).toEqual({ symbol, quoteCurrency })
  })

  it('has no pair of a currency against itself', () => {
    const missing = VENUES.flatMap((venue) =>
      CRYPTO_ASSETS.flatMap(({ ticker }) => (pairOf(venue, ticker) === null ? [`${venue} ${ticker}`] : [])),
    )
    expect(missing).toEqual(['binance USDT', 'coinbase USDC', 'okx USDT'])
  })

  it.each(VENUES)('%s: no two seeded assets share a pair', (venue) => {
    const symbols = CRYPTO_ASSETS.flatMap(({ ticker }) => pairOf(venue, ticker)?.symbol ?? [])
    expect(new Set(symbols).size).toBe(symbols.length)
    expect(symbols.length).toBeGreaterThanOrEqual(59)
  })

  it.each(['', 'BRK.B', 'btc', 'A&symbol=B', '../x', 'constructor', '__proto__'])(
    'has no pair of %j',
    (ticker) => {
      for (const venue of VENUES) expect(pairOf(venue, ticker)).toBeNull()
    },
  )
})
