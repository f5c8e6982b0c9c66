import { type IsoDate, requireIsoDate } from '../time.js'
import type { QuoteCurrency } from './venue-vwap.js'

/** A pair in the spelling of a venue, with its quote currency. */
export interface VenuePair {
  readonly symbol: string
  readonly quoteCurrency: QuoteCurrency
}

/** The exchanges that prices come from. Each provides one-minute bars. */
export const VENUES = ['binance', 'bitstamp', 'coinbase', 'kraken', 'okx'] as const

export type Venue = (typeof VENUES)[number]

interface Spelling {
  readonly quoteCurrency: QuoteCurrency
  write(base: string, quote: string): string
  /** The venue's own name of an asset; null if the venue cannot have such a pair. */
  readonly exceptions: Readonly<Record<string, string | null>>
}

const SPELLINGS: Readonly<Record<Venue, Spelling>> = {
  binance: { quoteCurrency: 'USDT', write: (base, quote) => base + quote, exceptions: { USDT: null } },
  bitstamp: {
    quoteCurrency: 'USD',
    write: (base, quote) => (base + quote).toLowerCase(),
    exceptions: {},
  },
  coinbase: {
    quoteCurrency: 'USD',
    write: (base, quote) => `${base}-${quote}`,
    exceptions: { USDC: null }, // one order book for dollar and USDC
  },
  kraken: {
    quoteCurrency: 'USD',
    write: (base, quote) => base + quote,
    exceptions: { BTC: 'XBT', DOGE: 'XDG', XNO: 'NANO' },
  },
  okx: { quoteCurrency: 'USDT', write: (base, quote) => `${base}-${quote}`, exceptions: { USDT: null } },
}

/**
 * The venue's pair of an asset against USD, or against USDT on venues that trade that. Null for a ticker that no venue can
 * have and for a currency against itself. The venue decides whether the pair is listed.
 */
export function buildPair(venue: Venue, ticker: string): VenuePair | null {
  const { quoteCurrency, write, exceptions } = SPELLINGS[venue]
  if (!/^[A-Z0-9]{1,10}$/.test(ticker)) return null
  const base = Object.hasOwn(exceptions, ticker) ? exceptions[ticker] : ticker
  return base == null ? null : { symbol: write(base, quoteCurrency), quoteCurrency }
}

/** The dollar whose pairs are requested from the venue. */
export function dollarOf(venue: Venue): QuoteCurrency {
  return SPELLINGS[venue].quoteCurrency
}

/** The ticker of a coin that the venue calls `base`. */
export function tickerAt(venue: Venue, base: string): string {
  const named = Object.entries(SPELLINGS[venue].exceptions).find(([, own]) => own === base)
  return named?.[0] ?? base
}

/** The ticker that a coin had before its renaming; null if none is known. */
export function formerTickerOf(ticker: string): string | null {
  return RENAMINGS.find((one) => one.ticker === ticker)?.former ?? null
}

/** The properties of an asset that decide how venues write its pair. */
export interface TradedAsset {
  readonly ticker: string
  /** Stored symbols by venue; null if the venue is not asked for the asset. Absent venues follow the rule. */
  readonly symbols?: Readonly<Record<string, string | null>>
}

/** The venue's pair of an asset: the stored one, else by rule. */
export function pairOfAsset(venue: Venue, { ticker, symbols }: TradedAsset): VenuePair | null {
  if (symbols === undefined) return buildPair(venue, ticker)
  const symbol = symbols[venue] ?? null
  return symbol === null ? null : { symbol, quoteCurrency: SPELLINGS[venue].quoteCurrency }
}

/** A change of an asset's ticker. */
interface Renaming {
  readonly ticker: string
  readonly former: string
  /** First day of the new pair, from the venue's announcement. Venues pause between the two pairs, so no day has both. */
  readonly firstDays: Partial<Readonly<Record<Venue, IsoDate>>>
}

const RENAMINGS: readonly Renaming[] = [
  { ticker: 'POL', former: 'MATIC', firstDays: { binance: requireIsoDate('2024-09-13') } },
  { ticker: 'RENDER', former: 'RNDR', firstDays: { binance: requireIsoDate('2024-07-26') } },
]

function renamingOf(venue: Venue, pair: VenuePair | null): Renaming | undefined {
  return pair === null
    ? undefined
    : RENAMINGS.find(({ ticker }) => buildPair(venue, ticker)?.symbol === pair.symbol)
}

/** The venue's pair of an asset on a day: the former pair before the venue renamed the asset, if that day is known. */
export function pairOnDay(venue: Venue, asset: TradedAsset, day: IsoDate): VenuePair | null {
  const pair = pairOfAsset(venue, asset)
  const renaming = renamingOf(venue, pair)
  const firstDay = renaming?.firstDays[venue]
  return renaming === undefined || firstDay === undefined || day >= firstDay
    ? pair
    : buildPair(venue, renaming.former)
}

/** The former ticker of an asset, if it is not requested because the day of the renaming at the venue is unknown; else null. */
export function formerTickerNotAsked(venue: Venue, asset: TradedAsset): string | null {
  const renaming = renamingOf(venue, pairOfAsset(venue, asset))
  return renaming === undefined || renaming.firstDays[venue] !== undefined ? null : renaming.former
}

/** The pair of a ticker at every venue, by rule. */
export function buildSymbols(ticker: string): Readonly<Record<Venue, string | null>> {
  const symbols = VENUES.map((venue) => [venue, buildPair(venue, ticker)?.symbol ?? null])
  return Object.fromEntries(symbols) as Record<Venue, string | null> // one of each venue
}

/** What is wrong with a symbol in the venue's spelling; null for a valid one. */
export function explainVenueSymbol(venue: Venue, symbol: string): string | null {
  if (!/^[A-Za-z0-9-]{2,20}$/.test(symbol)) return 'must have 2 to 20 letters, digits and hyphens'
  const { quoteCurrency, write } = SPELLINGS[venue]
  const base = symbol.slice(0, symbol.length - write('', quoteCurrency).length)
  if (base !== '' && write(base.toUpperCase(), quoteCurrency) === symbol) return null
  return `is not a pair of ${venue} in ${quoteCurrency}, such as ${write('ABC', quoteCurrency)}`
}
