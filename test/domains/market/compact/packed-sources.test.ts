import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { consensus, type VenueInput } from '../../../../src/core/consensus/consensus.js'
import { VENUES } from '../../../../src/core/consensus/venue-symbols.js'
import { Decimal } from '../../../../src/core/decimal.js'
import {
  packSources,
  sourcesText,
  unpackSources,
} from '../../../../src/domains/market/compact/packed-sources-model.js'
import type { StoredSource } from '../../../../src/domains/market/model.js'
import { candleRow } from '../../../../src/ingest/datasets/market/roll-up.js'
import { SEED_ASSETS } from '../../../../src/ingest/datasets/market/seed-candles.js'
import { seedCandle } from '../../../../src/ingest/datasets/market/seed-market.js'
import { noise } from '../../../../src/ingest/seed/values/noise.js'

const source = (given: Partial<StoredSource>): StoredSource => ({
  ...{ venue: 'kraken', vwapUsd: null, volumeUsd: null, weight: null, exclusion: null, deviation: null },
  ...given,
})

/** The sources of a consensus of that many venues, with figures of up to 15 digits of any size. */
function consensusSources(seed: number): readonly StoredSource[] {
  const draw = (name: string) => noise(`${seed} ${name}`)
  const level = new Decimal(10).pow(Math.round(20 * draw('level') - 10))
  const inputs = VENUES.slice(0, 1 + (seed % VENUES.length)).map((venue): VenueInput => {
    if (draw(`${venue} gone`) < 0.1) return { venue, excluded: 'no_volume' }
    const isFar = draw(`${venue} far`) < 0.1
    const vwapUsd = level.times(1 + (isFar ? 0.2 : 0.001) * draw(`${venue} price`)).dividedBy(3)
    return { venue, vwapUsd, volumeUsd: new Decimal(10).pow(12 * draw(`${venue} volume`) - 2) }
  })
  const window = { timeframe: '1h', ts: new Date(0) } as const
  return candleRow(1, window, consensus(inputs, 1)).sources
}

describe('packed sources', () => {
  it('give back the sources of every consensus, and do not store weights and deviations', () => {
    const seeds = SEED_ASSETS.flatMap((asset) =>
      Array.from({ length: 10 }, (_, hour) => {
        const window = { timeframe: '1h', ts: new Date(Date.UTC(2026, 10, 20, hour)) } as const
        return seedCandle(asset, window, hour % 9 === 0).sources
      }),
    )
    const others = Array.from({ length: 600 }, (_, seed) => consensusSources(seed))
    for (const sources of [...seeds, ...others]) {
      const bytes = packSources(sources)
      expect(unpackSources(bytes)).toEqual(sources)
      const priced = sources.filter(({ prices }) => prices !== undefined).length
      expect(bytes[0], JSON.stringify(sources)).toBe(priced > 0 ? 5 : 1)
      expect(bytes.length).toBeLessThanOrEqual(1 + 18 * sources.length + 26 * priced)
    }
    expect(others.some((sources) => sources.some(({ exclusion }) => exclusion === 'outlier'))).toBe(true)
    expect(others.some((sources) => sources.some(({ exclusion }) => exclusion === 'dominant_volume'))).toBe(
      true,
    )
  })

  it.each([
    ['no source', []],
    [
      'a weight that does not follow from the volumes',
      [source({ vwapUsd: '1', volumeUsd: '2', weight: '0.3' })],
    ],
    ['texts that are no plain decimals', [source({ vwapUsd: '01.50', volumeUsd: '-1e-7', deviation: '' })]],
    ['zeros at the end', [source({ vwapUsd: '1.500', volumeUsd: '1000000', deviation: '0' })]],
    ['more digits than a double has', [source({ vwapUsd: '12345678901234567890.123', deviation: '0' })]],
    ['more places than the scale has', [source({ vwapUsd: `0.${'0'.repeat(34)}7` })]],
    ['another venue and reason', [source({ venue: 'börse "x"', exclusion: 'maintenance' })]],
    ['a venue with a name of 300 characters', [source({ venue: 'v'.repeat(300) })]],
    [
      'a deviation that is rounded to zero',
      [source({ vwapUsd: '1', deviation: '-0' }), source({ vwapUsd: '1' })],
    ],
  ])('give back %s', (_, sources) => {
    expect(unpackSources(packSources(sources))).toEqual(sources)
    expect(JSON.parse(sourcesText(packSources(sources)))).toEqual(sources)
  })

  it('give back the prices of each exchange, whatever their digits', () => {
    const figure = fc.oneof(
      fc.integer({ min: 0, max: 10 ** 9 }).map((cents) => String(cents / 100)),
      fc.double({ min: 1e-30, max: 1e22, noNaN: true }).map((value) => new Decimal(value).toFixed()),
      fc.constantFrom('1.50', '0', '12345678901234567890.5', '-1', 'NaN'),
    )
    const prices = fc.record({
      ...{ open: figure, high: figure, low: figure, close: figure, volume: figure, quoteVolume: figure },
      quoteCurrency: fc.constantFrom('USD' as const, 'USDT' as const, 'USDC' as const),
    })
    const priced = fc
      .record({ volumeUsd: fc.option(figure), prices: fc.option(prices, { nil: undefined }) })
      .map(({ volumeUsd, prices: own }) =>
        source({ volumeUsd, ...(own === undefined ? {} : { prices: own }) }),
      )
    fc.assert(
      fc.property(fc.array(priced, { maxLength: 5 }), (sources) => {
        expect(unpackSources(packSources(sources))).toEqual(sources)
      }),
    )
  })

  it('write an hour of an exchange in a few bytes, and a turnover in US dollars once', () => {
    const prices = { open: '64000.5', high: '64100', low: '63900.01', close: '64010.1', volume: '12.5' }
    const bytes = (quoteVolume: string) =>
      packSources([
        source({ volumeUsd: '800000', prices: { ...prices, quoteVolume, quoteCurrency: 'USDT' } }),
      ]).length
    const without = packSources([source({ volumeUsd: '800000' })]).length
    expect(bytes('800000') - without).toBe(16)
    expect(bytes('799200') - bytes('800000')).toBe(3)
  })

  it('have the bytes of the first version for ever', () => {
    const stored: readonly StoredSource[] = [
      {
        venue: 'binance',
        vwapUsd: '64000.5',
        volumeUsd: '3000',
        weight: '0.3',
        exclusion: null,
        deviation: '0',
      },
      {
        venue: 'coinbase',
        vwapUsd: '64001.5',
        volumeUsd: '3000',
        weight: '0.3',
        exclusion: null,
        deviation: '0.0000156249',
      },
      {
        venue: 'kraken',
        vwapUsd: '63999.5',
        volumeUsd: '4000',
        weight: '0.4',
        exclusion: null,
        deviation: '-0.0000156249',
      },
      { venue: 'okx', vwapUsd: null, volumeUsd: null, weight: null, exclusion: 'no_volume', deviation: null },
    ]
    const bytes = '01000b05c40902b80b180b0fc40902b80b200bfbc30902a00f290000'
    expect(packSources(stored).toString('hex')).toBe(bytes)
    expect(unpackSources(Buffer.from(bytes, 'hex'))).toEqual(stored)
  })

  it('refuse bytes that this version cannot read', () => {
    expect(() => unpackSources(Buffer.from('7f', 'hex'))).toThrow('unknown format 127')
    expect(() => unpackSources(Buffer.from('01f8', 'hex'))).toThrow('end after 2')
    expect(() => unpackSources(Buffer.from('0100', 'hex'))).toThrow('end after 2')
    expect(() => unpackSources(Buffer.from('01500000', 'hex'))).toThrow('unknown codes 80')
    expect(() => unpackSources(Buffer.from('01001000', 'hex'))).toThrow('unknown kind 2')
    expect(() => unpackSources(Buffer.from('05200000ff', 'hex'))).toThrow('unknown form 255')
    expect(() => unpackSources(Buffer.from('0520000001', 'hex'))).toThrow('end after 5')
    expect(() => unpackSources(Buffer.from(`052000000100${'ff'.repeat(9)}`, 'hex'))).toThrow('without an end')
    expect(() => unpackSources(Buffer.from('052000000200', 'hex'))).toThrow('lack a figure')
  })
})
