import { decimal, decimalText } from '../../../../core/decimal.js'
import type { AnalysedAsset } from '../generator.js'

/** `Bitcoin (BTC)`; only the ticker if the name is the same. */
export function formatAssetTitle({ name, ticker }: AnalysedAsset): string {
  return name === ticker ? name : `${name} (${ticker})`
}

/** Two decimals from 1,000 upwards, six significant digits below, never an exponent; commas between thousands. */
export function usdText(value: number): string {
  if (Math.abs(value) >= 1_000 || value === 0) return thousands(value.toFixed(2))
  return decimalText(decimal(value.toPrecision(6)))
}

/** A fraction as `12.3 %`. */
export function percentText(fraction: number): string {
  return `${thousands((fraction * 100 + 0).toFixed(1))} %`
}

/** `+12.3 %` or `-4.0 %`; a value that rounds to zero has no sign. */
export function signedPercentText(fraction: number): string {
  const text = percentText(Math.abs(fraction))
  if (text === '0.0 %') return text
  return `${fraction > 0 ? '+' : '-'}${text}`
}

/** `a`, `a and b`, `a, b and c`. */
export function listText(items: readonly string[]): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`
}

/** Adds a capital letter and a full stop. */
export function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

function thousands(digits: string): string {
  return digits.replace(/^-?\d{4,}(?=\.)/, (whole) => BigInt(whole).toLocaleString('en-US'))
}
