import type { Exchange } from './exchange.js'

/** The preference (RFC 7240) for an answer whose `meta` and `_meta` lack what is null. */
export const RETURN_MINIMAL = 'return=minimal'

/** A preference with its value; parameters after a semicolon do not change `return`. */
const RETURN = /^return\s*=\s*(?:"([^"]*)"|([^\s;"]+))\s*(?:;|$)/i

/** Whether the header `Prefer` asks for a minimal answer. The first `return` counts (RFC 7240 §2). */
export function prefersMinimal(exchange: Pick<Exchange, 'header'>): boolean {
  const header = exchange.header('prefer')
  if (header === null) return false
  for (const preference of header.split(',')) {
    const [, quoted, token] = RETURN.exec(preference.trim()) ?? []
    const value = quoted ?? token
    if (value !== undefined) return value === 'minimal'
  }
  return false
}
