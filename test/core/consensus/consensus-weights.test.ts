import { describe, expect, it } from 'vitest'
import { volumeWeights } from '../../../src/core/consensus/consensus-weights.js'
import { decimal, decimalText } from '../../../src/core/decimal.js'

function weights(volumes: Readonly<Record<string, number>>): Readonly<Record<string, string>> {
  const venues = Object.entries(volumes).map(([venue, volume]) => ({ venue, volumeUsd: decimal(volume) }))
  return Object.fromEntries([...volumeWeights(venues)].map(([venue, weight]) => [venue, decimalText(weight)]))
}

describe('volumeWeights', () => {
  it('gives the missing unit to the largest cut-off part, ties to the first', () => {
    expect(weights({ a: 1, b: 1, c: 1 })).toEqual({ a: '0.3333333334', b: '0.3333333333', c: '0.3333333333' })
    // 1/7 = 0.14285714285|7, 6/7 = 0.8571428571|4
    expect(weights({ a: 6, b: 1 })).toEqual({ a: '0.8571428571', b: '0.1428571429' })
  })

  it('keeps a half at a half, which "rest to the largest" would lift over it', () => {
    // Rounded to nearest, the three small ones are 0.1666666666, 0.1666666666 and 0.1666666667: 1e-10 is missing.
    expect(weights({ a: 50_000_000_000, b: 16_666_666_664, c: 16_666_666_664, d: 16_666_666_672 })).toEqual({
      a: '0.5',
      b: '0.1666666667',
      c: '0.1666666666',
      d: '0.1666666667',
    })
  })

  it('returns nothing for no venues', () => {
    expect(weights({})).toEqual({})
  })
})
