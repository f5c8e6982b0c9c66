import { Decimal, type DecimalText, decimalText, roundSignificant } from '../../../core/decimal.js'
import { type Read, readOn } from '../../bodies/read.js'
import { quoted } from '../../feed.js'

/** Figures have up to 36 digits; the store keeps 30 decimals. */
const DIGITS = 30

/** Far above any real figure; more is a broken input. */
const MAX_EXPONENT = 30
const MAX_LENGTH = 100
const NUMBER = /^\d+(?:\.\d+)?(?:[eE][-+]?\d{1,4})?$/

/** A figure of zero or more; null for an empty cell. */
export function readFigure(column: string, text: string): Read<Decimal | null> {
  if (text === '') return { value: null }
  const wrong = { wrong: `${column} is ${quoted(text)}, not a number of zero or more in the supported range` }
  if (text.length > MAX_LENGTH || !NUMBER.test(text)) return wrong
  const value = new Decimal(text)
  if (Math.abs(value.e) > MAX_EXPONENT) return wrong
  return { value: roundSignificant(value, DIGITS) }
}

/** Like `readFigure`, for a count. */
export function readCount(column: string, text: string): Read<Decimal | null> {
  return readOn(readFigure(column, text), (value) => {
    const isCount = value === null || (value.isInteger() && value.lessThan(1e15))
    return isCount ? { value } : { wrong: `${column} is ${quoted(text)}, not a count` }
  })
}

/** a / b; null if either is unknown, for a division by zero, and beyond the range of the store. */
export function divide(a: Decimal | null, b: Decimal | null): Decimal | null {
  if (a === null || b === null || b.isZero()) return null
  const ratio = roundSignificant(a.dividedBy(b), DIGITS)
  return ratio.e > MAX_EXPONENT ? null : ratio
}

export function formatDecimalFigure(value: Decimal | null): DecimalText | null {
  return value === null ? null : decimalText(value.toDecimalPlaces(DIGITS))
}
