import type { DecimalText } from '../../../core/decimal.js'
import type { Read } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { quoted } from '../../feed.js'

/** OBS_STATUS of an observation without a value: missing for various reasons, or a holiday. */
const WITHOUT_VALUE = new Set(['H', 'L', 'M', 'Q'])

/**
 * Parses a value in the unit of its series; null if it is missing. `status` is null if the body has no statuses.
 */
export function readValue(text: string, status: string | null, exponent: number): Read<DecimalText | null> {
  if (text === '') return { value: null }
  if (text === 'NaN') {
    return status === null || WITHOUT_VALUE.has(status)
      ? { value: null }
      : { wrong: 'NaN is not a value, and the status of the observation does not say that it is missing' }
  }
  return readDecimal(text, exponent)
}

/** Parses UNIT_MULT, a power of ten; null if the body does not state it. */
export function readUnitMultOrNull(text: string): Read<number | null> {
  if (text === '') return { value: null }
  return /^-?\d{1,2}$/.test(text)
    ? { value: Number(text) }
    : { wrong: `the unit multiplier ${quoted(text)} is not a power of ten` }
}
