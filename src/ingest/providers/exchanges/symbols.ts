import type { QuoteCurrency } from '../../../core/venue-vwap.js'

/** A pair as a venue writes it, with what its prices are quoted in. */
export interface VenuePair {
  readonly symbol: string
  readonly quoteCurrency: QuoteCurrency
}

export type BarVenue = 'binance' | 'bitstamp' | 'coinbase' | 'kraken' | 'okx'

interface Spelling {
  readonly quoteCurrency: QuoteCurrency
  write(base: string, quote: string): string
  /** The venue's own name of an asset; null where it has no such pair by its nature. */
  readonly exceptions: Readonly<Record<string, string | null>>
}

const SPELLINGS: Readonly<Record<BarVenue, Spelling>> = {
  binance: { quoteCurrency: 'USDT', write: (base, quote) => base + quote, exceptions: { USDT: null } },
  bitstamp: {
    quoteCurrency: 'USD',
    write: (base, quote) => (base + quote).toLowerCase(),
    exceptions: {},
  },
  coinbase: {
    quoteCurrency: 'USD',
    write: (base, quote) => `${base}-${quote}`,
    exceptions: { USDC: null }, // one book for dollar and USDC
  },
  kraken: {
    quoteCurrency: 'USD',
    write: (base, quote) => base + quote,
    exceptions: { BTC: 'XBT', DOGE: 'XDG' },
  },
  okx: { quoteCurrency: 'USDT', write: (base, quote) => `${base}-${quote}`, exceptions: { USDT: null } },
}

/**
 * The venue's pair of an asset against its dollar: USD, or USDT where that is what is traded. Null for a ticker that
 * no venue could have and for a currency against itself. Whether it is listed, the venue says.
 */
export function pairOf(venue: BarVenue, ticker: string): VenuePair | null {
  const { quoteCurrency, write, exceptions } = SPELLINGS[venue]
  if (!/^[A-Z0-9]{1,10}$/.test(ticker)) return null
  const base = Object.hasOwn(exceptions, ticker) ? exceptions[ticker] : ticker
  return base == null ? null : { symbol: write(base, quoteCurrency), quoteCurrency }
}
