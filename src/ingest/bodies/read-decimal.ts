import { Decimal, type DecimalText, decimal, decimalText } from '../../core/decimal.js'
import { quoted } from '../feed.js'
import type { Read } from './read.js'

/** Parses a published value times 10^exponent, exactly. */
export function readDecimal(text: string, exponent = 0): Read<DecimalText> {
  try {
    const published = decimal(text)
    const value = exponent === 0 ? published : published.times(new Decimal(10).pow(exponent))
    return { value: decimalText(value) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { wrong: `the value ${quoted(text)} is not a decimal in the supported range` }
  }
}
