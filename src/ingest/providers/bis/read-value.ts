import { Decimal, type DecimalText, decimal, decimalText } from '../../../core/decimal.js'
import { quoted } from '../../feed.js'

/** Read, or why not. */
export type Read<Value> = { readonly value: Value } | { readonly wrong: string }

/** OBS_STATUS of an observation without a value: missing, for various reasons, or a holiday. */
const WITHOUT_VALUE = new Set(['H', 'L', 'M', 'Q'])

/** The value in the unit of its series; null for one that is missing. `status` is '' where the body has none. */
export function readValue(text: string, status: string, exponent: number): Read<DecimalText | null> {
  if (text === '') return { value: null }
  if (text === 'NaN') {
    return WITHOUT_VALUE.has(status)
      ? { value: null }
      : { wrong: 'NaN is no value, and the status of the observation does not say that it is missing' }
  }
  try {
    const published = decimal(text)
    const value = exponent === 0 ? published : published.times(new Decimal(10).pow(exponent))
    return { value: decimalText(value) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { wrong: `the value ${quoted(text)} is no decimal within range` }
  }
}

/** UNIT_MULT, a power of ten; null where the body does not say. */
export function readUnitMult(text: string): Read<number | null> {
  if (text === '') return { value: null }
  return /^-?\d{1,2}$/.test(text)
    ? { value: Number(text) }
    : { wrong: `the unit multiplier ${quoted(text)} is no power of ten` }
}
