import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type VenueBar, venueVwap } from '../../../../src/core/consensus/venue-vwap.js'
import { Decimal } from '../../../../src/core/decimal.js'
import { samplePath } from '../../../support/samples.js'
import { formOf } from './answers.js'

const now = new Date('2026-11-20T12:00:00Z')
const binancePath = samplePath('exchanges/recorded/binance_klines_BTCUSDT_1m_1790445600.json')
const krakenPath = samplePath('exchanges/recorded/kraken_OHLC_XBTUSD_1m_1790445600.json')
const daysPath = samplePath('exchanges/recorded/coinbase_candles_BTC-USD_1d_20260810.json')
const hourPath = samplePath('exchanges/contracts/bitstamp_ohlc_btcusdt_1h.json')
const errorPath = samplePath('exchanges/contracts/kraken_error.json')

function parse(venue: string, path: string | null, symbol?: string) {
  const { adapter, pair } = formOf(venue)
  const asked = symbol === undefined ? pair : { ...pair, symbol }
  return adapter.parse(readFileSync(path ?? ''), { pair: asked, status: 200, url: '', now })
}

function bars(venue: string, path: string | null, symbol?: string): readonly VenueBar[] {
  const answer = parse(venue, path, symbol)
  if (answer.kind !== 'bars') throw new Error(answer.kind)
  return answer.items.map((item) => {
    if (item.kind !== 'row') throw new Error(item.reason)
    return item.row
  })
}

describe('recorded answers', () => {
  it.skipIf(binancePath === null || krakenPath === null)(
    'two venues tell the same minutes within three basis points, Kraken without its last row',
    () => {
      const binance = bars('binance', binancePath)
      const kraken = bars('kraken', krakenPath)
      expect([binance.length, kraken.length]).toEqual([5, 4])
      expect(binance[0]).toMatchObject({ ts: new Date('2026-09-26T18:00:00Z'), quoteCurrency: 'USDT' })
      expect(binance[0]?.quoteVolume?.toFixed()).toBe('291182.1040644')
      expect(kraken[0]?.vwap?.toFixed()).toBe('84117.2')
      const [a, b] = [vwapOf(binance.slice(0, 4)), vwapOf(kraken)]
      expect(a.minus(b).abs().dividedBy(b).lessThan(new Decimal('0.0003'))).toBe(true)
    },
  )

  it.skipIf(daysPath === null)(
    'Coinbase sends numbers, newest first: ten bars in order, to the last digit',
    () => {
      const found = bars('coinbase', daysPath)
      expect(found).toHaveLength(10)
      expect(found[0]?.ts.toISOString()).toBe('2026-08-01T00:00:00.000Z')
      expect(found.at(-1)?.baseVolume.toFixed()).toBe('6197.02944527')
      expect(found.at(-1)).toMatchObject({ quoteVolume: null, vwap: null, quoteCurrency: 'USD' })
    },
  )

  it.skipIf(hourPath === null)('Bitstamp sends objects of strings', () => {
    expect(bars('bitstamp', hourPath, 'btcusdt').map((bar) => bar.close.toFixed())).toEqual(['73285'])
  })

  it.skipIf(errorPath === null)('Kraken reports an unknown pair in a good answer', () => {
    expect(parse('kraken', errorPath)).toEqual({ kind: 'not_listed' })
  })
})

function vwapOf(of: readonly VenueBar[]): Decimal {
  const result = venueVwap(of, null)
  if ('excluded' in result) throw new Error(result.excluded)
  return result.vwapUsd
}
