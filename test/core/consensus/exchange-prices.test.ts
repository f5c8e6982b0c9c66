import { describe, expect, it } from 'vitest'
import { exchangePrices } from '../../../src/core/consensus/exchange-prices.js'
import type { VenueBar } from '../../../src/core/consensus/venue-vwap.js'
import { decimal } from '../../../src/core/decimal.js'

/** `61 100 105 99 101 2`: minute, open, high, low, close and volume. */
function bar(text: string): VenueBar {
  const [minute, ...figures] = text.split(' ')
  const [open, high, low, close, baseVolume] = figures.map(decimal)
  if (!open || !high || !low || !close || !baseVolume) throw new Error(`${text} is no bar`)
  const ts = new Date(Number(minute) * 60_000)
  const base = { venue: 'okx', ts, open, high, low, close, baseVolume, vwap: null }
  return { ...base, quoteVolume: close.times(baseVolume), quoteCurrency: 'USDT' }
}

const texts = (bars: readonly VenueBar[]) => JSON.parse(JSON.stringify(exchangePrices(bars)))

describe('the prices of an exchange in a window', () => {
  it('are those of its traded bars in the order of time', () => {
    const bars = ['3 103 104 101 102 2', '1 100 101 99 100 1', '2 100 110 100 103 0.5'].map(bar)
    expect(texts(bars)).toEqual({
      ...{ open: '100', high: '110', low: '99', close: '102' },
      ...{ volume: '3.5', quoteVolume: '355.5', quoteCurrency: 'USDT' },
    })
  })

  it('leave out a bar without a trade, which repeats an earlier price', () => {
    expect(texts(['1 90 90 90 90 0', '2 100 101 99 100 1', '3 100 200 1 100 0'].map(bar))).toMatchObject({
      ...{ open: '100', high: '101', low: '99', close: '100', volume: '1' },
    })
  })

  it('are null without a trade', () => {
    expect(exchangePrices(['1 90 90 90 90 0'].map(bar))).toBeNull()
    expect(exchangePrices([])).toBeNull()
  })
})
