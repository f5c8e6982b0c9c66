import { describe, expect, it } from 'vitest'
import { describeDifference } from '../../src/portal/changes/describe-difference.js'

const signal = (name: string, value: number | string | null, unit: string | null = 'USD') => ({
  name,
  unit,
  value,
})

describe('the words for a change of an analysis', () => {
  it('give amounts as a relative change and fractions before and after, the best known figures first', () => {
    const before = [
      signal('volume_1d_usd', 200),
      signal('change_24h', 0.005, 'fraction'),
      signal('market_cap_usd', 1_000),
    ]
    const after = [
      signal('volume_1d_usd', 300),
      signal('change_24h', -0.028, 'fraction'),
      signal('market_cap_usd', 931),
    ]
    expect(describeDifference({ signals: before }, { signals: after })).toEqual([
      'market value −6.9%',
      '24 h change +0.5% → −2.8%',
      'volume of the day +50.0%',
    ])
  })

  it('write the days of a return as those of a change', () => {
    const before = [signal('return_30d', 0.05, 'fraction')]
    const after = [signal('return_30d', -0.01, 'fraction')]
    expect(describeDifference({ signals: before }, { signals: after })).toEqual(['30 d return +5.0% → −1.0%'])
  })

  it('give words and plain numbers before and after', () => {
    const before = [signal('exchanges_count', 4, 'exchanges'), signal('regime', 'risk_on', null)]
    const after = [signal('exchanges_count', 3, 'exchanges'), signal('regime', 'neutral', null)]
    expect(describeDifference({ signals: before }, { signals: after })).toEqual([
      'regime risk on → neutral',
      'exchanges count 4 → 3',
    ])
  })

  it('leave out equal, new and missing figures, and name at most three', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const before = [...names.map((name) => signal(name, 1, null)), signal('gone', 1), signal('same', 1)]
    const after = [
      ...names.map((name) => signal(name, 2, null)),
      signal('gone', null),
      signal('same', 1),
      signal('new', 1),
    ]
    expect(describeDifference({ signals: before }, { signals: after })).toEqual([
      'a 1 → 2',
      'b 1 → 2',
      'c 1 → 2',
    ])
    expect(describeDifference({}, { signals: after })).toEqual([])
  })
})
