import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instantText } from '../../src/core/instant-text.js'

const HOUR_MS = 3_600_000

describe('instantText', () => {
  it('equals toISOString for any instant, even if hours share a slot of the table', () => {
    const hours = fc.integer({ min: -2_000_000, max: 2_000_000 }).map((hour) => hour * HOUR_MS)
    const anyMs = fc.integer({ min: -8.64e15, max: 8.64e15 })
    const sharing = fc.integer({ min: -3, max: 3 }).map((turn) => (5 + 1_024 * turn) * HOUR_MS)
    fc.assert(
      fc.property(fc.array(fc.oneof(hours, anyMs, sharing), { maxLength: 50 }), (all) => {
        for (const ms of all) expect(instantText(new Date(ms))).toBe(new Date(ms).toISOString())
      }),
    )
  })

  it('throws for an invalid instant, like toISOString', () => {
    expect(() => instantText(new Date(Number.NaN))).toThrow(RangeError)
  })
})
