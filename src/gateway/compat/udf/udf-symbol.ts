import { VENUES, type Venue } from '../../../core/consensus/venue-symbols.js'
import { notFound } from '../../../core/errors.js'

/** The prices that a symbol names. */
export type UdfSymbol =
  | {
      readonly kind: 'crypto'
      /** Null for the consensus. */
      readonly exchange: Venue | null
      readonly asset: string
      /** Key of the asset in the star schema, by which its events are found; null if the symbol does not have it. */
      readonly assetId: string | null
    }
  | { readonly kind: 'forex'; readonly base: string; readonly quote: string }
  | {
      readonly kind: 'stock' | 'etf'
      /** Null if the ticker alone names the listing. */
      readonly mic: string | null
      readonly ticker: string
      readonly adjust: 'none' | 'splits' | 'all'
    }

export const CONSENSUS = 'CONSENSUS'
export const ECB = 'ECB'

const MARKET = /^[A-Z0-9]{4}$/
const NAME = /^[\w.=^-]{1,64}$/

export function unknownSymbol(text: string) {
  return notFound(`unknown_symbol ${text.slice(0, 80)}`)
}

/**
 * Reads CONSENSUS:bitcoin, BINANCE:bitcoin:1 with the key of the asset, ECB:EURUSD, XNAS:AAPL, STOCK:AAPL or ETF:QQQ. A share
 * may have the options `etf`, `splits` and `all` after it: XNAS:QQQ:etf:all. Null for a name without a prefix. Throws 404 for
 * anything else.
 */
export function parseUdfSymbol(text: string): UdfSymbol | null {
  const [prefix = '', name = '', ...options] = text.split(':')
  if (name === '' && NAME.test(prefix)) return null
  if (!NAME.test(name)) throw unknownSymbol(text)
  const symbol = parseShare(prefix.toUpperCase(), name.toUpperCase(), options)
  const known = symbol ?? parseOther(prefix.toUpperCase(), name, options)
  if (known === null) throw unknownSymbol(text)
  return known
}

function parseShare(prefix: string, ticker: string, options: readonly string[]): UdfSymbol | null {
  const isNamed = prefix === 'STOCK' || prefix === 'ETF'
  if (!isNamed && !MARKET.test(prefix)) return null
  const others = options.filter((option) => option !== 'etf')
  const [adjust = 'none', ...unknown] = others
  if (unknown.length > 0 || !isAdjustment(adjust)) return null
  const kind = prefix === 'ETF' || options.includes('etf') ? 'etf' : 'stock'
  return { kind, mic: isNamed ? null : prefix, ticker, adjust }
}

function isAdjustment(text: string): text is 'none' | 'splits' | 'all' {
  return text === 'none' || text === 'splits' || text === 'all'
}

function parseOther(prefix: string, name: string, options: readonly string[]): UdfSymbol | null {
  const [, base, quote] = /^([A-Z]{3})([A-Z]{3})$/.exec(name.toUpperCase()) ?? []
  if (prefix === ECB && base !== undefined && quote !== undefined && options.length === 0)
    return { kind: 'forex', base, quote }
  const exchange = VENUES.find((venue) => venue.toUpperCase() === prefix) ?? null
  const [assetId = null, ...more] = options
  const isId = assetId === null || /^[1-9]\d{0,9}$/.test(assetId)
  if ((exchange === null && prefix !== CONSENSUS) || !isId || more.length > 0) return null
  return { kind: 'crypto', exchange, asset: name.toLowerCase(), assetId }
}
