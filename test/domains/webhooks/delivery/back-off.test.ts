import { describe, expect, it } from 'vitest'
import { holdMs, retryMs } from '../../../../src/domains/webhooks/delivery/back-off.js'

describe('the waits between attempts', () => {
  it('spread eight attempts over about a day, each five times as long, at most 12 hours', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) => retryMs(attempts, 10_000, () => 0.5) / 1_000)
    expect(waits).toEqual([10, 50, 250, 1_250, 6_250, 31_250, 43_200])
    const hours = waits.reduce((a, b) => a + b, 0) / 3_600
    expect(hours).toBeCloseTo(22.85, 2)
  })

  it('vary by a fifth', () => {
    expect([0, 0.999_999_9].map((random) => retryMs(1, 10_000, () => random))).toEqual([8_000, 12_000])
  })

  it('pause the whole webhook after five failures in a row, at most five minutes', () => {
    expect([1, 4, 5, 6, 9, 40].map((failures) => holdMs(failures, 10_000))).toEqual([
      0, 0, 10_000, 20_000, 160_000, 300_000,
    ])
  })
})
