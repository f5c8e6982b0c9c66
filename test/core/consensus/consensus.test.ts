import { describe, expect, it } from 'vitest'
import {
  CONSENSUS_METHOD,
  type Consensus,
  consensus,
  METHODOLOGY_VERSION,
  publishFigure,
  recompute,
  type VenueInput,
} from '../../../src/core/consensus/consensus.js'
import { Decimal, decimal, decimalText, toJsonNumber } from '../../../src/core/decimal.js'

/** From `name price volume, name price volume, ...`. */
function venues(text: string): readonly VenueInput[] {
  return text.split(', ').flatMap((row) => {
    const [venue = '', vwapUsd = '', volumeUsd = ''] = row.split(' ')
    return venue === '' ? [] : [{ venue, vwapUsd: decimal(vwapUsd), volumeUsd: decimal(volumeUsd) }]
  })
}

function text(value: Decimal | null): string | null {
  return value === null ? null : decimalText(value)
}

/** `venue weight` of each source used, `venue reason` of the others. */
function fates({ sources }: Consensus): readonly string[] {
  return sources.map(({ venue, weight, exclusion }) => `${venue} ${exclusion ?? text(weight) ?? 'passed'}`)
}

describe('consensus', () => {
  it('weights the prices of four venues by their volumes', () => {
    // 100 x 30 + 101 x 20 + 102 x 25 + 103 x 25 = 10145, over 100. Median 101.5.
    const result = consensus(venues('kraken 100 30, binance 101 20, okx 102 25, bitstamp 103 25'), 1)
    expect(result.status).toBe('ok')
    expect(text(result.vwapUsd)).toBe('101.45')
    expect(text(result.volumeUsd)).toBe('100')
    expect(result.exchangesCount).toBe(4)
    expect(text(result.maxSourceWeight)).toBe('0.3')
    expect(fates(result)).toEqual(['binance 0.2', 'bitstamp 0.25', 'kraken 0.3', 'okx 0.25'])
    expect(result.sources.map((source) => text(source.deviation))).toEqual([
      '-0.0049261084', // -0.5 / 101.5
      '0.0147783251', // 1.5 / 101.5
      '-0.0147783251',
      '0.0049261084',
    ])
  })

  it.each<readonly [string, 1 | 2 | 3, string, string | null, string]>([
    [
      'drops a price 4 % from the median in tier 1',
      1,
      'a 100 25, b 100 25, c 100 25, d 104 25',
      '100',
      'a 0.3333333334, b 0.3333333333, c 0.3333333333, d outlier',
    ],
    [
      'keeps it in tier 2',
      2,
      'a 100 25, b 100 25, c 100 25, d 104 25',
      '101',
      'a 0.25, b 0.25, c 0.25, d 0.25',
    ],
    [
      'drops a price 6 % below the median in tier 2',
      2,
      'a 100 25, b 100 25, c 100 25, d 94 25',
      '100',
      'a 0.3333333334, b 0.3333333333, c 0.3333333333, d outlier',
    ],
    [
      'keeps a price exactly on the band',
      3,
      'a 100 25, b 100 25, c 100 25, d 107 25',
      '101.75',
      'a 0.25, b 0.25, c 0.25, d 0.25',
    ],
    [
      'drops one a trillionth beyond it',
      3,
      'a 100 25, b 100 25, c 100 25, d 107.000000000001 25',
      '100',
      'a 0.3333333334, b 0.3333333333, c 0.3333333333, d outlier',
    ],
    [
      // Without a: 100 x 16 + 102 x 14 + 104 x 10 = 4068, over 40.
      'excludes the venue with 60 % of the volume and weighs the others again',
      1,
      'a 101 60, b 100 16, c 102 14, d 104 10',
      '101.7',
      'a dominant_volume, b 0.4, c 0.35, d 0.25',
    ],
    ['keeps a venue with half the volume', 1, 'a 100 50, b 101 30, c 102 20', '100.7', 'a 0.5, b 0.3, c 0.2'],
    [
      // 100 of 161, then 31 of 61; 12 of 30 stays: 100 x 12 + 101 x 8 + 102 x 10 = 3028, over 30.
      'repeats the exclusion until nobody holds more than half',
      1,
      'a 101 100, b 101 31, c 100 12, d 101 8, e 102 10',
      '100.933333333333',
      'a dominant_volume, b dominant_volume, c 0.4, d 0.2666666667, e 0.3333333333',
    ],
    [
      'gives no price when the repeated exclusion leaves two',
      1,
      'a 100 100, b 101 30, c 102 12, d 103 8',
      null,
      'a dominant_volume, b dominant_volume, c passed, d passed',
    ],
    [
      'judges the price before the volume: a dominant outlier is an outlier',
      1,
      'a 120 900, b 100 10, c 100 10, d 100 10',
      '100',
      'a outlier, b 0.3333333334, c 0.3333333333, d 0.3333333333',
    ],
    [
      'counts shares of what the outlier leaves: 30 of 50 is too much',
      1,
      'a 90 50, b 100 30, c 100 11, d 100 9',
      null,
      'a outlier, b dominant_volume, c passed, d passed',
    ],
    ['gives no price for two venues', 1, 'a 100 1, b 100 1', null, 'a passed, b passed'],
    ['takes the mean of the middle two as median', 1, 'a 100 1, b 110 1', null, 'a outlier, b outlier'],
    ['gives no price for nobody', 1, '', null, ''],
  ])('%s (tier %i)', (_, tier, rows, price, expected) => {
    const result = consensus(venues(rows), tier)
    expect(text(result.vwapUsd)).toBe(price)
    expect(fates(result).join(', ')).toBe(expected)
    expect(result.status).toBe(price === null ? 'insufficient_sources' : 'ok')
    expect(result.exchangesCount).toBe(result.sources.filter((source) => source.exclusion === null).length)
  })

  it('has neither volume nor weights nor largest weight without a price', () => {
    const result = consensus(venues('a 100 1, b 100 1'), 1)
    expect([result.vwapUsd, result.volumeUsd, result.maxSourceWeight]).toEqual([null, null, null])
    expect(result.sources.map((source) => source.weight)).toEqual([null, null])
  })

  it('names the reason of every venue without usable figures, and keeps them out of the median', () => {
    const result = consensus(
      [
        ...venues('a 100 1, b 100 1, c 100 1'),
        ...venues('dry 500 0, negative -100 1, short 100 -1, zero 0 0'),
        { venue: 'huge', vwapUsd: new Decimal('1e400'), volumeUsd: decimal(1) },
        { venue: 'nan', vwapUsd: new Decimal(Number.NaN), volumeUsd: decimal(1) },
        { venue: 'vast', vwapUsd: decimal(100), volumeUsd: new Decimal('1e400') },
        { venue: 'tether', excluded: 'stablecoin_off_peg' },
      ],
      1,
    )
    expect(fates(result).slice(3)).toEqual([
      'dry no_volume',
      'huge invalid_price',
      'nan invalid_price',
      'negative invalid_price',
      'short no_volume',
      'tether stablecoin_off_peg',
      'vast no_volume',
      'zero invalid_price',
    ])
    expect(text(result.vwapUsd)).toBe('100')
    expect(result.sources.slice(3).map((source) => source.deviation)).toEqual(Array(8).fill(null))
    expect(result.sources.map((source) => text(source.vwapUsd))).toEqual([
      '100',
      '100',
      '100',
      '500',
      null,
      null,
      '-100',
      '100',
      null,
      '100',
      '0',
    ])
  })

  it('calculates with the published figures of 15 digits, which a JSON number represents exactly', () => {
    const result = consensus(
      venues('a 0.000012345678901234567 1, b 0.000012345678901234567 1, c 0.0000124 1'),
      1,
    )
    expect(text(result.sources[0]?.vwapUsd ?? null)).toBe('0.0000123456789012346')
    // (2 x 0.0000123456789012346 + 0.0000124) / 3 = 0.00001236378593415640
    expect(text(result.vwapUsd)).toBe('0.0000123637859341564')
    expect(toJsonNumber(result.vwapUsd ?? decimal(0))).toBe(0.0000123637859341564)
  })

  it('refuses a repeated venue', () => {
    expect(() => consensus(venues('a 1 1, b 1 1, a 1 1'), 1)).toThrow(RangeError)
  })
})

describe('publishFigure', () => {
  it.each([
    ['84130.87123456785', '84130.8712345678'],
    ['84130.87123456795', '84130.871234568'],
    ['84130.871234567850001', '84130.8712345679'],
    ['1169995682.02800140', '1169995682.028'],
  ])('rounds %s to %s: 15 digits, half to even', (exact, published) => {
    expect(decimalText(publishFigure(decimal(exact)))).toBe(published)
  })
})

describe('recompute', () => {
  const used = { exclusion: null, vwapUsd: '100', volumeUsd: '30' }
  const sources = [
    { venue: 'c', exclusion: null, vwapUsd: '101', volumeUsd: '30' },
    { venue: 'b', exclusion: 'outlier', vwapUsd: '150', volumeUsd: '10' },
    { venue: 'd', exclusion: 'stablecoin_off_peg', vwapUsd: null, volumeUsd: null },
    { venue: 'a', ...used },
    { venue: 'e', exclusion: null, vwapUsd: '102', volumeUsd: '40' },
  ]

  it('weighs the sources without an exclusion', () => {
    // 3000 + 3030 + 4080 = 10110, over 100.
    expect(text(recompute(sources))).toBe('101.1')
  })

  it('has no price from fewer than three', () => {
    expect(recompute(sources.slice(0, 4))).toBeNull()
    expect(recompute([])).toBeNull()
  })

  it('refuses a used source without readable figures', () => {
    expect(() => recompute([...sources, { venue: 'f', ...used, vwapUsd: null }])).toThrow(RangeError)
    expect(() => recompute([...sources, { venue: 'f', ...used, volumeUsd: 'NaN' }])).toThrow(
      '"NaN" is not a decimal',
    )
  })
})

describe('CONSENSUS_METHOD', () => {
  it('states the version and the smallest number of exchanges', () => {
    expect(CONSENSUS_METHOD.summary).toContain(METHODOLOGY_VERSION)
    expect(CONSENSUS_METHOD.summary).toContain('at least 3 exchanges')
  })
})
