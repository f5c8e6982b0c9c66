import { DERIVED_RATE_DIGITS, Decimal, ratioOfRates, roundSignificant } from '../../core/decimal.js'
import type { Method } from '../../core/method.js'
import { FOREX_BASE } from './model.js'

/** How a rate between two currencies was obtained. */
export type RateMethod = 'published' | 'inverse' | 'cross'

/** The method of all derived rates. */
export const CROSS_METHOD: Method = {
  summary: 'Rates between two currencies are derived via EUR from the euro reference rates of the same day.',
  section: 'exchange-rates',
}

/** The rate of the euro against itself. */
export const EURO_RATE = new Decimal(1)

export function rateMethodOf(base: string, quote: string): RateMethod {
  if (base === FOREX_BASE) return 'published'
  return quote === FOREX_BASE ? 'inverse' : 'cross'
}

/** Units of quote per unit of base, from the units of each per EUR. Published if the base is EUR, otherwise rounded. */
export function crossRate(base: string, baseRate: Decimal, quoteRate: Decimal): Decimal {
  if (base === FOREX_BASE) return quoteRate
  return roundSignificant(ratioOfRates(quoteRate, baseRate), DERIVED_RATE_DIGITS)
}
