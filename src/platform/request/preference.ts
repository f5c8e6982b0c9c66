import type { Exchange } from './exchange.js'

/** The preference (RFC 7240) for an answer whose `meta` and `_meta` lack what is null. */
export const RETURN_MINIMAL = 'return=minimal'

/** The preference for an answer with a receipt. */
export const RECEIPT = 'receipt'

/** A preference with its value; parameters after a semicolon do not change `return`. */
const RETURN = /^return\s*=\s*(?:"([^"]*)"|([^\s;"]+))\s*(?:;|$)/i

/** Whether the header `Prefer` asks for a minimal answer. The first `return` counts (RFC 7240 §2). */
export function prefersMinimal(exchange: Pick<Exchange, 'header'>): boolean {
  for (const preference of preferencesOf(exchange)) {
    const [, quoted, token] = RETURN.exec(preference) ?? []
    const value = quoted ?? token
    if (value !== undefined) return value === 'minimal'
  }
  return false
}

/** Whether the header `Prefer` asks for a receipt. */
export function prefersReceipt(exchange: Pick<Exchange, 'header'>): boolean {
  return preferencesOf(exchange).some((preference) => preference.toLowerCase() === RECEIPT)
}

function preferencesOf(exchange: Pick<Exchange, 'header'>): readonly string[] {
  const header = exchange.header('prefer')
  return header === null ? [] : header.split(',').map((preference) => preference.trim())
}
