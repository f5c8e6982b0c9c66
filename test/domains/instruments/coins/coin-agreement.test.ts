import { describe, expect, it } from 'vitest'
import {
  agreementOf,
  type VenuePrices,
} from '../../../../src/domains/instruments/coins/coin-agreement-model.js'

const hours = (count: number, price: number, from = 0): ReadonlyMap<number, number> =>
  new Map(Array.from({ length: count }, (_, at) => [(from + at) * 3_600_000, price * (1 + (at % 3) / 1_000)]))

const series = (prices: Readonly<Record<string, ReadonlyMap<number, number>>>): readonly VenuePrices[] =>
  Object.entries(prices).map(([venue, own]) => ({ venue, prices: own }))

describe('exchanges agree about the price of a ticker', () => {
  it.each([1.029, 0.972, 1])('if the median of their differences is at most 3 %%: %s', (factor) => {
    const agreement = agreementOf(series({ kraken: hours(24, 100), coinbase: hours(24, 100 * factor) }))
    expect(agreement).toEqual({ kind: 'agreed', venues: ['kraken', 'coinbase'], others: [] })
  })

  it('not if they differ by more, and says by how much', () => {
    const agreement = agreementOf(series({ kraken: hours(24, 100), coinbase: hours(24, 103.2) }))
    expect(agreement).toEqual({ kind: 'open', reason: 'kraken and coinbase differ by 3.20 %' })
  })

  it('although some hours differ', () => {
    const outliers = new Map(
      [...hours(24, 100)].map(([hour, price], at) => [hour, at < 5 ? price * 4 : price]),
    )
    expect(agreementOf(series({ kraken: hours(24, 100), coinbase: outliers })).kind).toBe('agreed')
  })

  it('and name an exchange that trades another coin under it', () => {
    const prices = { binance: hours(24, 2), coinbase: hours(24, 2.01), kraken: hours(24, 0.002) }
    expect(agreementOf(series(prices))).toEqual({
      kind: 'agreed',
      venues: ['binance', 'coinbase'],
      others: [
        {
          venue: 'kraken',
          reason: expect.stringMatching(/^its price differs from that at binance by 9.99e\+4 %$/),
        },
      ],
    })
  })

  it('not if two pairs of exchanges trade two coins', () => {
    const prices = { binance: hours(24, 2), coinbase: hours(24, 2), kraken: hours(24, 5), okx: hours(24, 5) }
    expect(agreementOf(series(prices))).toMatchObject({
      kind: 'open',
      reason: expect.stringContaining('binance and kraken differ by 150 %'),
    })
  })

  it.each([
    ['only one exchange', { kraken: hours(24, 100) }],
    ['five common hours', { kraken: hours(24, 100), coinbase: hours(5, 100) }],
    ['no common hour', { kraken: hours(12, 100), coinbase: hours(12, 100, 12) }],
    ['nothing', {}],
  ])('not from %s', (_what, prices) => {
    expect(agreementOf(series(prices))).toEqual({
      kind: 'open',
      reason: 'no two exchanges traded it in 6 common hours of the last 24',
    })
  })

  it('and keep an exchange that has too few hours to be compared', () => {
    const prices = { binance: hours(24, 2), coinbase: hours(24, 2), kraken: hours(3, 7) }
    expect(agreementOf(series(prices))).toEqual({
      kind: 'agreed',
      venues: ['binance', 'coinbase'],
      others: [],
    })
  })
})
