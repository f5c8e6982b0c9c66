import { describe, expect, it } from 'vitest'
import { pairOf } from '../../../../src/ingest/providers/exchanges/symbols.js'
import { CRYPTO_ASSETS } from '../../../../src/ingest/providers/reference/crypto.js'

const VENUES = ['binance', 'bitstamp', 'coinbase', 'kraken', 'okx'] as const

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
