import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Decimal, decimal } from '../../../src/core/decimal.js'
import { crossRate, EURO_RATE, rateMethodOf } from '../../../src/domains/forex/cross-rate.js'

/** Rates as the ECB publishes them: up to six significant digits, from thousandths to millions per EUR. */
const published = fc
  .record({ digits: fc.integer({ min: 1, max: 999_999 }), exponent: fc.integer({ min: -5, max: 2 }) })
  .map(({ digits, exponent }) => decimal(digits).times(new Decimal(10).pow(exponent)))

/** Six significant digits: at most half a unit of the last of them. */
const RELATIVE_ERROR = decimal('0.000005')

function isClose(value: Decimal, due: Decimal, roundings: number): boolean {
  // A little more than the sum of the errors: they also multiply.
  return value.minus(due).abs().lessThanOrEqualTo(due.times(RELATIVE_ERROR).times(roundings).times('1.0001'))
}

describe('a cross rate', () => {
  it('is the ratio of the two published rates to half a unit of its sixth digit', () => {
    fc.assert(
      fc.property(published, published, (base, quote) => {
        const rate = crossRate('USD', base, quote)
        expect(rate.precision()).toBeLessThanOrEqual(6)
        expect(isClose(rate, quote.dividedBy(base), 1)).toBe(true)
      }),
    )
  })

  it('and its inverse multiply to 1 within their roundings', () => {
    fc.assert(
      fc.property(published, published, (usd, gbp) => {
        const there = crossRate('USD', usd, gbp)
        expect(isClose(there.times(crossRate('GBP', gbp, usd)), new Decimal(1), 2)).toBe(true)
      }),
    )
  })

  it('over a third currency is the direct one within their roundings', () => {
    fc.assert(
      fc.property(published, published, published, (usd, gbp, jpy) => {
        const over = crossRate('USD', usd, gbp).times(crossRate('GBP', gbp, jpy))
        expect(isClose(over, quoteOver(usd, jpy), 2)).toBe(true)
        expect(isClose(over, crossRate('USD', usd, jpy), 3)).toBe(true)
      }),
    )
  })

  it('with the euro as its base is the published one, unrounded', () => {
    const rate = decimal('17123.456789')
    expect(crossRate('EUR', EURO_RATE, rate)).toBe(rate)
    expect(crossRate('IDR', rate, EURO_RATE).toFixed()).toBe('0.0000583994')
    expect(['EUR/USD', 'USD/EUR', 'USD/GBP'].map((pair) => rateMethodOf(...split(pair)))).toEqual([
      'published',
      'inverse',
      'cross',
    ])
  })

  it('does not exist for an invalid rate', () => {
    expect(() => crossRate('USD', decimal(0), decimal(1))).toThrow('rates are above zero')
    expect(() => crossRate('USD', decimal(1), decimal(-1))).toThrow('rates are above zero')
  })
})

function quoteOver(base: Decimal, quote: Decimal): Decimal {
  return quote.dividedBy(base)
}

function split(pair: string): [string, string] {
  return [pair.slice(0, 3), pair.slice(4)]
}
