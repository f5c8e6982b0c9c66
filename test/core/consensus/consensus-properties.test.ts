import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AssetTier,
  consensus,
  MAX_SOURCE_WEIGHT,
  MIN_SOURCES,
  type PublishedSource,
  publishFigure,
  recompute,
  type SourceOutcome,
  type VenueFigures,
} from '../../../src/core/consensus/consensus.js'
import { Decimal, decimal, decimalText, toJsonNumber } from '../../../src/core/decimal.js'

const tiers = fc.constantFrom<AssetTier[]>(1, 2, 3)

/** Prices around 100, most within the bands, volumes of a kind: most of these have a consensus. */
const figures = fc.record({
  vwapUsd: fc.integer({ min: 9_400_000, max: 10_600_000 }).map((n) => decimal(n).dividedBy(100_000)),
  volumeUsd: fc.integer({ min: 1, max: 3_000_000 }).map((n) => decimal(n).dividedBy(1_000)),
})
const markets = fc
  .array(figures, { minLength: 3, maxLength: 8 })
  .map((rows) => rows.map((row, index): VenueFigures => ({ venue: `venue-${index}`, ...row })))

/** Whatever decimal.js can hold, infinities and NaN too. */
const anyDecimal = fc.oneof(
  fc
    .tuple(fc.bigInt(-(10n ** 40n), 10n ** 40n), fc.integer({ min: -500, max: 500 }))
    .map(([digits, exponent]) => new Decimal(`${digits}e${exponent}`)),
  fc
    .constantFrom('0', '-0', '1e30', '1e-30', '9e8999999999999999', '1e-8999999999999999')
    .map((x) => new Decimal(x)),
  fc.constantFrom('NaN', 'Infinity', '-Infinity').map((x) => new Decimal(x)),
)
const anything = fc
  .array(fc.record({ vwapUsd: anyDecimal, volumeUsd: anyDecimal }), { maxLength: 8 })
  .map((rows) => rows.map((row, index): VenueFigures => ({ venue: `venue-${index}`, ...row })))

function publishedText({ venue, vwapUsd, volumeUsd, exclusion }: SourceOutcome): PublishedSource {
  return {
    venue,
    vwapUsd: vwapUsd === null ? null : decimalText(vwapUsd),
    volumeUsd: volumeUsd === null ? null : decimalText(volumeUsd),
    exclusion,
  }
}

function sum(values: readonly (Decimal | null)[]): Decimal {
  return Decimal.sum(0, ...values.map((value) => value ?? 0))
}

describe('consensus, for any market', () => {
  it('has a price for many of the generated markets, so that the properties are meaningful', () => {
    const samples = fc.sample(markets, { numRuns: 300, seed: 1 })
    const withPrice = samples.filter((market) => consensus(market, 3).status === 'ok')
    expect(withPrice.length).toBeGreaterThan(150)
  })

  it('does not depend on the order of the venues', () => {
    const shuffled = markets.chain((market) =>
      fc.tuple(fc.constant(market), fc.shuffledSubarray(market, { minLength: market.length })),
    )
    fc.assert(
      fc.property(shuffled, tiers, ([market, other], tier) => {
        expect(consensus(other, tier)).toEqual(consensus(market, tier))
      }),
    )
  })

  it('lies within the range of the venues used', () => {
    fc.assert(
      fc.property(markets, tiers, (market, tier) => {
        const result = consensus(market, tier)
        if (result.vwapUsd === null) return
        const prices = result.sources.flatMap((source) =>
          source.exclusion === null && source.vwapUsd !== null ? [source.vwapUsd] : [],
        )
        expect(prices.length).toBeGreaterThanOrEqual(MIN_SOURCES)
        expect(result.vwapUsd.greaterThanOrEqualTo(Decimal.min(...prices))).toBe(true)
        expect(result.vwapUsd.lessThanOrEqualTo(Decimal.max(...prices))).toBe(true)
      }),
    )
  })

  it('scales with the prices and keeps weights and exclusions', () => {
    // With 12 digits of price and 3 of factor no input is rounded, so only the result is, once on either side.
    fc.assert(
      fc.property(markets, tiers, fc.integer({ min: 1, max: 999 }), (market, tier, factor) => {
        const result = consensus(market, tier)
        const scaled = consensus(
          market.map((row) => ({ ...row, vwapUsd: row.vwapUsd.times(factor) })),
          tier,
        )
        const kept = (sources: readonly SourceOutcome[]) =>
          sources.map(({ venue, weight, exclusion, deviation }) => ({ venue, weight, exclusion, deviation }))
        expect(kept(scaled.sources)).toEqual(kept(result.sources))
        if (result.vwapUsd === null || scaled.vwapUsd === null) return
        const error = scaled.vwapUsd.dividedBy(result.vwapUsd.times(factor)).minus(1).abs()
        expect(error.lessThanOrEqualTo('1e-14')).toBe(true)
      }),
    )
  })

  it('has weights that add up to exactly 1, each at most a half', () => {
    fc.assert(
      fc.property(markets, tiers, (market, tier) => {
        const { status, sources, maxSourceWeight } = consensus(market, tier)
        if (status !== 'ok') return
        expect(decimalText(sum(sources.map((source) => source.weight)))).toBe('1')
        expect(maxSourceWeight?.lessThanOrEqualTo(MAX_SOURCE_WEIGHT)).toBe(true)
      }),
    )
  })

  it('does not change with a venue without volume', () => {
    fc.assert(
      fc.property(markets, tiers, (market, tier) => {
        const { sources, ...result } = consensus(market, tier)
        const dry = { venue: 'dry', vwapUsd: decimal(1), volumeUsd: decimal(0) }
        const { sources: others, ...unchanged } = consensus([dry, ...market], tier)
        expect(unchanged).toEqual(result)
        expect(others.slice(1)).toEqual(sources)
        expect(others[0]).toMatchObject({ venue: 'dry', exclusion: 'no_volume' })
      }),
    )
  })

  it('is recomputed exactly from its published sources, also through JSON numbers', () => {
    fc.assert(
      fc.property(markets, tiers, (market, tier) => {
        const result = consensus(market, tier)
        const published = result.sources.map(publishedText)
        expect(recompute(published)).toEqual(result.vwapUsd)
        expect(recompute(published.toReversed())).toEqual(result.vwapUsd)
        const asNumbers = published.map((source) => ({
          ...source,
          vwapUsd: String(toJsonNumber(decimal(source.vwapUsd ?? 0))),
          volumeUsd: String(toJsonNumber(decimal(source.volumeUsd ?? 0))),
        }))
        expect(recompute(asNumbers)).toEqual(result.vwapUsd)
      }),
    )
  })

  it('is reproduced from its own published figures', () => {
    fc.assert(
      fc.property(markets, tiers, (market, tier) => {
        const result = consensus(market, tier)
        const again = result.sources.flatMap(({ venue, vwapUsd, volumeUsd }) =>
          vwapUsd === null || volumeUsd === null ? [] : [{ venue, vwapUsd, volumeUsd }],
        )
        expect(consensus(again, tier)).toEqual(result)
      }),
    )
  })
})

describe('consensus, for any decimals at all', () => {
  it('never throws, and keeps every promise', () => {
    fc.assert(
      fc.property(anything, tiers, (market, tier) => {
        const { status, vwapUsd, sources, exchangesCount, maxSourceWeight } = consensus(market, tier)
        expect(sources.map((source) => source.venue)).toEqual(market.map((row) => row.venue))
        expect(status === 'ok').toBe(exchangesCount >= MIN_SOURCES)
        expect(recompute(sources.map(publishedText))).toEqual(vwapUsd)
        if (vwapUsd === null) return
        expect(publishFigure(vwapUsd)).toEqual(vwapUsd)
        expect(decimalText(sum(sources.map((source) => source.weight)))).toBe('1')
        expect(maxSourceWeight?.lessThanOrEqualTo(MAX_SOURCE_WEIGHT)).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  it('keeps every promise for one price and volumes of any size', () => {
    const volumes = fc
      .array(fc.tuple(fc.bigInt(1n, 10n ** 15n), fc.integer({ min: -30, max: 15 })), {
        minLength: 3,
        maxLength: 8,
      })
      .map((rows) => rows.map(([digits, exponent]) => new Decimal(`${digits}e${exponent}`)))
    fc.assert(
      fc.property(fc.array(volumes, { minLength: 1, maxLength: 1 }), ([row = []]) => {
        // Each twice, so that nobody dominates however far the sizes lie apart.
        const market = [...row, ...row].map((volumeUsd, index) => ({
          venue: `venue-${index}`,
          vwapUsd: decimal('123.456'),
          volumeUsd,
        }))
        const { vwapUsd, sources, maxSourceWeight } = consensus(market, 1)
        expect(vwapUsd === null ? null : decimalText(vwapUsd)).toBe('123.456')
        expect(decimalText(sum(sources.map((source) => source.weight)))).toBe('1')
        expect(maxSourceWeight?.lessThanOrEqualTo(MAX_SOURCE_WEIGHT)).toBe(true)
      }),
    )
  })
})
