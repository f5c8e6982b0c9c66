import type { Cik, Ticker } from '../../../core/identifiers.js'

/** A line of the SEC's complete list of tickers. */
export type ListedLine =
  | ListedSymbol
  /** A line whose ticker or holder cannot be read: it may be any stored one. */
  | { readonly kind: 'unreadable' }

/** A ticker of the list and the company that has it. */
export interface ListedSymbol {
  readonly kind: 'listed'
  readonly ticker: Ticker
  readonly cik: Cik
  /** As the list names it, e.g. Nasdaq. Empty if it names none. */
  readonly exchange: string
  readonly name: string
}

export interface ListedExchange {
  readonly exchange: string
  /** ISO 10383. Null if the list writes one name for several markets. */
  readonly mic: string | null
  /** The markets that the name can mean. */
  readonly markets: readonly string[]
}

/** The SEC writes NYSE for the New York Stock Exchange, NYSE American and NYSE Arca. */
export const LISTED_EXCHANGES: readonly ListedExchange[] = [
  { exchange: 'Nasdaq', mic: 'XNAS', markets: ['XNAS', 'XNGS', 'XNMS', 'XNCM'] },
  { exchange: 'NYSE', mic: null, markets: ['XNYS', 'XASE', 'ARCX'] },
  { exchange: 'CBOE', mic: 'BATS', markets: ['BATS'] },
  { exchange: 'OTC', mic: null, markets: ['OOTC', 'OTCM'] },
]

/** The SEC writes BRK-B where others write BRK.B. */
export function tickerOfList(ticker: string): string {
  return ticker.replaceAll('.', '-')
}

/** The markets that the name of an exchange in the list can mean. */
export function marketsOfExchange(name: string | null | undefined): readonly string[] {
  return LISTED_EXCHANGES.find(({ exchange }) => exchange === name)?.markets ?? []
}

/**
 * The listings on a market. Without one, those of which only the exchange is known, if its name can mean the market.
 */
export function listingsOnMarket<
  Own extends { readonly mic: string | null; readonly exchange?: string | null },
>(listings: readonly Own[], mic: string): readonly Own[] {
  const onMarket = listings.filter((listing) => listing.mic === mic)
  if (onMarket.length > 0) return onMarket
  return listings.filter((one) => one.mic === null && marketsOfExchange(one.exchange).includes(mic))
}
