import { Decimal as BaseDecimal } from 'decimal.js'

/** More than any price, rate or supply has; a longer figure is a broken input. */
const MAX_SIGNIFICANT_DIGITS = 30
const MAX_EXPONENT = 30
const MAX_TEXT_LENGTH = 100

/** Derived rates have as many digits as the ECB's own rates have at most. */
export const DERIVED_RATE_DIGITS = 6

const DECIMAL_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * Exact decimals with 40 significant digits, rounding half up. A private clone: what another library
 * configures on decimal.js does not change our arithmetic. Its text is plain, never in exponent form.
 */
export const Decimal = BaseDecimal.clone({
  precision: 40,
  rounding: BaseDecimal.ROUND_HALF_UP,
  toExpNeg: -100,
  toExpPos: 100,
})
export type Decimal = BaseDecimal

/** A decimal as plain text (`-12.5`, no exponent, no leading plus). Only `decimalText` creates it. */
export type DecimalText = string & { readonly __brand: 'DecimalText' }

/**
 * Reads a decimal: optional sign, digits with or without a point, optional exponent; no spaces, no separators.
 * Throws RangeError naming the text for anything else, for more than 30 significant digits and for exponents
 * beyond ±30. A number is read by its shortest text; a Decimal (of any clone) only has to be finite.
 */
export function decimal(value: string | number | Decimal): Decimal {
  if (typeof value === 'object') {
    if (!value.isFinite()) throw refusal(value.toString(), 'is not a finite decimal')
    return new Decimal(value)
  }
  const text = String(value)
  if (text.length > MAX_TEXT_LENGTH || !DECIMAL_TEXT.test(text)) throw refusal(text, 'is not a decimal')
  const parsed = new Decimal(text)
  // Far below the range decimal.js gives zero: only zero digits make a true one.
  const isZero = !/^[^eE]*[1-9]/.test(text)
  if (isZero) return new Decimal(0)
  if (!parsed.isFinite() || parsed.isZero() || Math.abs(parsed.e) > MAX_EXPONENT) {
    throw refusal(text, `is out of range: exponents go to ±${MAX_EXPONENT}`)
  }
  if (parsed.precision() > MAX_SIGNIFICANT_DIGITS) {
    throw refusal(text, `has more than ${MAX_SIGNIFICANT_DIGITS} significant digits`)
  }
  return parsed
}

/** The exact plain text, for storage and for text fields. */
export function decimalText(value: Decimal): DecimalText {
  // toFixed() without an argument is exact and never uses an exponent.
  return value.toFixed() as DecimalText
}

/** The nearest double, only for a JSON number of a response. */
export function toJsonNumber(value: Decimal): number {
  return value.toNumber()
}

/** Rounded half up to that many significant digits (1..40). */
export function roundSignificant(value: Decimal, digits: number): Decimal {
  return value.toSignificantDigits(digits)
}

/**
 * 1/rate to 6 significant digits: the ECB publishes units per euro only, the other direction is derived.
 * Throws RangeError for a rate that is not above zero.
 */
export function inverseRate(rate: Decimal): Decimal {
  return roundSignificant(ratioOfRates(new Decimal(1), rate), DERIVED_RATE_DIGITS)
}

/**
 * Units of the quote currency per unit of the base currency from their rates against a third one, to 40 significant
 * digits. Throws RangeError for a rate that is not above zero.
 */
export function ratioOfRates(quoteRate: Decimal, baseRate: Decimal): Decimal {
  for (const rate of [quoteRate, baseRate]) {
    if (rate.isFinite() && rate.greaterThan(0)) continue
    throw refusal(rate.toString(), 'is not a rate: rates are above zero')
  }
  return quoteRate.dividedBy(baseRate)
}

/** Rounded half up to that many places after the point. */
export function roundPlaces(value: Decimal, places: number): Decimal {
  return value.toDecimalPlaces(places)
}

function refusal(text: string, why: string): RangeError {
  return new RangeError(`"${text.slice(0, 40)}" ${why}`)
}
