import { dollarOf, formerTickerOf, VENUES, type Venue } from '../../../core/consensus/venue-symbols.js'
import { groupBy } from '../../../core/group-by.js'
import type { VenueSymbols } from '../model.js'

/** The currencies that count as a dollar. */
export const DOLLARS = ['USD', 'USDT', 'USDC'] as const

export type Dollar = (typeof DOLLARS)[number]

/** A pair of a coin and a dollar in the list of a venue. */
export interface CoinListing {
  readonly venue: Venue
  /** The pair in the spelling of the venue. */
  readonly symbol: string
  /** The ticker of the coin in the spelling of the gateway. */
  readonly ticker: string
  readonly quote: Dollar
  /** Whether the venue trades the pair now. */
  readonly isTrading: boolean
  /** Name of the coin at the venue; null if it states none. */
  readonly name: string | null
}

/** A line of a list: a pair, or one that could not be read. */
export type CoinListingLine =
  | ({ readonly kind: 'pair' } & CoinListing)
  | { readonly kind: 'unreadable'; readonly venue: Venue }

/** A coin that venues trade against a dollar. */
export interface ListedCoin {
  readonly ticker: string
  /** The name at Coinbase, else at another venue that states one; null if none does. */
  readonly name: string | null
  readonly venues: readonly Venue[]
  /** The pair at each venue in the dollar that is requested from it; null if it has none. */
  readonly symbols: VenueSymbols
}

/** The coins that venues trade now. Pairs of a former ticker count for the present one while venues rename one after another. */
export function toListedCoins(listings: readonly CoinListing[]): readonly ListedCoin[] {
  const traded = listings.filter(({ isTrading }) => isTrading)
  const tickers = new Set(traded.map(({ ticker }) => ticker))
  const present = new Map([...tickers].flatMap((ticker) => followed(ticker, tickers)))
  const coins = groupBy(traded, ({ ticker }) => present.get(ticker) ?? ticker)
  return [...coins].map(([ticker, own]) => ({
    ticker,
    name: nameOf(ticker, own),
    venues: VENUES.filter((name) => own.some(({ venue }) => venue === name)),
    symbols: Object.fromEntries(VENUES.map((venue) => [venue, symbolAt(venue, ticker, own)])),
  }))
}

function followed(ticker: string, tickers: ReadonlySet<string>): readonly (readonly [string, string])[] {
  const former = formerTickerOf(ticker)
  return former !== null && tickers.has(former) ? [[former, ticker]] : []
}

function symbolAt(venue: Venue, ticker: string, listings: readonly CoinListing[]): string | null {
  const own = listings.filter((one) => one.venue === venue && one.quote === dollarOf(venue))
  return (own.find((one) => one.ticker === ticker) ?? own[0])?.symbol ?? null
}

function nameOf(ticker: string, listings: readonly CoinListing[]): string | null {
  const named = listings.filter((one) => one.ticker === ticker && one.name !== null)
  return (named.find(({ venue }) => venue === 'coinbase') ?? named[0])?.name ?? null
}
