import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  coverage,
  denseSeries,
  maxDrawdown,
  movingAverage,
  realisedVolatility,
  roundDigits,
  roundTo,
  simpleReturn,
  valueBack,
} from '../../../../../src/ingest/datasets/analysis/rules/statistics.js'

const prices = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 31, maxLength: 60 })
const factor = fc.double({ min: 1e-3, max: 1e3, noNaN: true })

describe('a dense series', () => {
  const grid = { lastMs: 300, stepMs: 100, count: 3 }
  const point = (ms: number) => ({ ts: new Date(ms), value: ms })

  it('has an element for each window, null for a missing one', () => {
    expect(denseSeries([point(100), point(300)], grid, ({ value }) => value)).toEqual([100, null, 300])
  })

  it('omits windows outside the span or off the grid', () => {
    const given = [point(0), point(150), point(200), point(400)]
    expect(denseSeries(given, grid, ({ value }) => value)).toEqual([null, 200, null])
  })
})

describe('a price some windows back', () => {
  it('is the newest of that window and the two before', () => {
    const series = [1, 2, null, null, 5, null]
    expect([0, 1, 2, 3, 4].map((back) => valueBack(series, back))).toEqual([5, 5, 2, 2, 2])
    expect(valueBack([1, null, null, null], 0)).toBeNull()
    expect(valueBack([], 0)).toBeNull()
  })
})

describe('a return', () => {
  it('is the last price over that of n windows before, minus one', () => {
    expect(simpleReturn([80, 90, 100], 2)).toBe(0.25)
    expect(simpleReturn([100, 90, 80], 2)).toBeCloseTo(-0.2, 15)
  })

  it('is null if the history is too short, never zero', () => {
    expect(simpleReturn([90, 100], 2)).toBeNull()
    expect(simpleReturn([0, 1, 100], 2)).toBeNull()
  })

  it('does not depend on the unit of the prices', () => {
    fc.assert(
      fc.property(prices, factor, (series, by) => {
        const scaled = simpleReturn(
          series.map((price) => price * by),
          30,
        )
        const plain = simpleReturn(series, 30)
        expect(Math.abs((scaled ?? 9) - (plain ?? 9))).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(plain ?? 9)))
      }),
    )
  })
})

describe('realised volatility', () => {
  it('is the sample deviation of the log returns over the square root of a year', () => {
    // Log returns of ln 2, -ln 2, ln 2, -ln 2: mean 0, squares 4 (ln 2)^2, over n - 1 = 3.
    const expected = Math.sqrt((4 * Math.LN2 ** 2) / 3) * Math.sqrt(365)
    expect(realisedVolatility([1, 2, 1, 2, 1], 4)).toBeCloseTo(expected, 12)
    expect(realisedVolatility([1, 2, 1, 2, 1], 4, 252)).toBeCloseTo(
      (expected * Math.sqrt(252)) / Math.sqrt(365),
      12,
    )
  })

  it('is zero for a constant price and for constant growth', () => {
    expect(realisedVolatility([5, 5, 5, 5], 3)).toBe(0)
    expect(realisedVolatility([1, 2, 4, 8], 3)).toBeCloseTo(0, 12)
  })

  it('omits returns across a gap, and is null with less than 80 % coverage', () => {
    const twelve = [1, 2, 1, 2, 1, 2, 1, 2, null, 2, 1]
    expect(realisedVolatility(twelve, 10)).toBeGreaterThan(0) // 8 of 10
    expect(realisedVolatility([1, null, 1, 2, 1, 2, 1, 2, null, 2, 1], 10)).toBeNull() // 6 of 10
    expect(realisedVolatility([1, 2, 1], 3)).toBeNull()
  })

  it('does not depend on the unit of the prices and is never negative', () => {
    fc.assert(
      fc.property(prices, factor, (series, by) => {
        const plain = realisedVolatility(series, 30) ?? -1
        const scaled = realisedVolatility(
          series.map((price) => price * by),
          30,
        )
        expect(plain).toBeGreaterThanOrEqual(0)
        expect(Math.abs((scaled ?? -9) - plain)).toBeLessThanOrEqual(1e-6 * (1 + plain))
      }),
    )
  })
})

describe('the largest drawdown', () => {
  it('is the deepest fall from an earlier high', () => {
    expect(maxDrawdown([100, 120, 60, 90, 130, 117], 6)).toBe(0.5)
    expect(maxDrawdown([120, 60, 90, 130, 117], 3)).toBeCloseTo(0.1, 15)
  })

  it('is zero for prices that never fall, and null below the coverage', () => {
    expect(maxDrawdown([1, 2, 2, 3], 4)).toBe(0)
    expect(maxDrawdown([1, 2, 3], 4)).toBeNull()
    expect(maxDrawdown([null, null, 2, 3], 4)).toBeNull()
  })

  it('lies between 0 and 1 and grows with the span', () => {
    fc.assert(
      fc.property(prices, (series) => {
        const short = maxDrawdown(series, 10) ?? -1
        const long = maxDrawdown(series, 30) ?? -1
        expect(short).toBeGreaterThanOrEqual(0)
        expect(long).toBeGreaterThanOrEqual(short)
        expect(long).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('a moving average', () => {
  it('is the mean of the last n figures', () => {
    expect(movingAverage([100, 1, 2, 3, 4], 4)).toBe(2.5)
  })

  it('is the mean of the known figures from 80 % on, else null', () => {
    expect(movingAverage([1, 2, null, 4, 5], 5)).toBe(3)
    expect(movingAverage([1, null, null, 4, 5], 5)).toBeNull()
    expect(movingAverage([1, 2, 3], 4)).toBeNull()
  })
})

it('coverage counts windows before the series as missing', () => {
  expect(coverage([1, null], 4)).toBe(0.25)
})

it('rounding keeps null and avoids negative zero', () => {
  expect([roundTo(null, 2), roundTo(1.005e3, 2), roundTo(-0.001, 2)]).toEqual([null, 1005, 0])
  expect(Object.is(roundTo(-0.001, 2), -0)).toBe(false)
  expect([roundDigits(null, 3), roundDigits(123456, 3), roundDigits(0.00012345, 3)]).toEqual([
    null,
    123000,
    0.000123,
  ])
})
