import { describe, expect, it } from 'vitest'
import { exponentialBackOffMs } from '../../src/core/exponential-back-off.js'

describe('the exponential back-off', () => {
  it('doubles each wait up to the longest', () => {
    const waits = [1, 2, 3, 4, 2_000].map((failures) =>
      exponentialBackOffMs(failures, { firstMs: 10, maxMs: 50 }),
    )
    expect(waits).toEqual([10, 20, 40, 50, 50])
  })

  it('multiplies each wait by the given factor', () => {
    const backOff = { firstMs: 10, maxMs: 1_000, factor: 5 }
    expect([1, 2, 3, 4].map((failures) => exponentialBackOffMs(failures, backOff))).toEqual([
      10, 50, 250, 1_000,
    ])
  })
})
