import { type IsoDate, parseIsoDate } from '../time.js'
import type { QuoteCurrency } from './venue-vwap.js'

/** A pair as a venue writes it, with what its prices are quoted in. */
export interface VenuePair {
  readonly symbol: string
  readonly quoteCurrency: QuoteCurrency
}

/** The venues that one-minute bars can be had from. */
export const BAR_VENUES = ['binance', 'bitstamp', 'coinbase', 'kraken', 'okx'] as const

export type BarVenue = (typeof BAR_VENUES)[number]

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
    exceptions: { BTC: 'XBT', DOGE: 'XDG', XNO: 'NANO' },
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

/** An asset as far as it decides how venues write its pair. */
export interface TradedAsset {
  readonly ticker: string
  /** By venue, as stored; null: the venue is not asked for it. Left out: by rule. */
  readonly symbols?: Readonly<Record<string, string | null>>
}

/** The venue's pair of an asset: as stored, else by rule. */
export function pairOfAsset(venue: BarVenue, { ticker, symbols }: TradedAsset): VenuePair | null {
  if (symbols === undefined) return pairOf(venue, ticker)
  const symbol = symbols[venue] ?? null
  return symbol === null ? null : { symbol, quoteCurrency: SPELLINGS[venue].quoteCurrency }
}

/** An asset whose ticker was changed. */
interface Renaming {
  readonly ticker: string
  readonly former: string
  /** First day of the new pair, by the announcement of the venue, which pauses between the two: no day has both. */
  readonly firstDays: Partial<Readonly<Record<BarVenue, IsoDate>>>
}

const RENAMINGS: readonly Renaming[] = [
  { ticker: 'POL', former: 'MATIC', firstDays: { binance: dateOf('2024-09-13') } },
  { ticker: 'RENDER', former: 'RNDR', firstDays: { binance: dateOf('2024-07-26') } },
]

function renamingOf(venue: BarVenue, pair: VenuePair | null): Renaming | undefined {
  return pair === null
    ? undefined
    : RENAMINGS.find(({ ticker }) => pairOf(venue, ticker)?.symbol === pair.symbol)
}

/** The venue's pair of an asset on a day: the former one before the asset was renamed there, where that day is known. */
export function pairOnDay(venue: BarVenue, asset: TradedAsset, day: IsoDate): VenuePair | null {
  const pair = pairOfAsset(venue, asset)
  const renaming = renamingOf(venue, pair)
  const firstDay = renaming?.firstDays[venue]
  return renaming === undefined || firstDay === undefined || day >= firstDay
    ? pair
    : pairOf(venue, renaming.former)
}

/** The former ticker of an asset that is not asked for by it, as the day of the renaming at the venue is not known; else null. */
export function formerTickerNotAsked(venue: BarVenue, asset: TradedAsset): string | null {
  const renaming = renamingOf(venue, pairOfAsset(venue, asset))
  return renaming === undefined || renaming.firstDays[venue] !== undefined ? null : renaming.former
}

function dateOf(text: string): IsoDate {
  const date = parseIsoDate(text)
  if (date === null) throw new Error(`${text} is no date`)
  return date
}

/** The pair of a ticker at every venue, by rule. */
export function symbolsOf(ticker: string): Readonly<Record<BarVenue, string | null>> {
  const symbols = BAR_VENUES.map((venue) => [venue, pairOf(venue, ticker)?.symbol ?? null])
  return Object.fromEntries(symbols) as Record<BarVenue, string | null> // one of each venue
}

/** What is wrong with a symbol as that venue writes pairs; null when nothing is. */
export function explainVenueSymbol(venue: BarVenue, symbol: string): string | null {
  if (!/^[A-Za-z0-9-]{2,20}$/.test(symbol)) return 'must have 2 to 20 letters, digits and hyphens'
  const { quoteCurrency, write } = SPELLINGS[venue]
  const base = symbol.slice(0, symbol.length - write('', quoteCurrency).length)
  if (base !== '' && write(base.toUpperCase(), quoteCurrency) === symbol) return null
  return `is no pair of ${venue} in ${quoteCurrency}, such as ${write('ABC', quoteCurrency)}`
}
