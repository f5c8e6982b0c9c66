import { tickerAt, type Venue } from '../../../../core/consensus/venue-symbols.js'
import type { Provider } from '../../../../core/providers.js'
import {
  type CoinListing,
  type CoinListingLine,
  DOLLARS,
} from '../../../../domains/instruments/coins/coin-listings-model.js'
import { isJsonObject, isList, type Json, type JsonObject, shown } from '../../../bodies/json/json-body.js'
import type { Read } from '../../../bodies/read.js'
import { BrokenBody, type ParseContext, type Parsed } from '../../../feed.js'

/** The lists of pairs that exchanges publish. */
export const exchangeLists: Provider = {
  id: 'exchanges',
  name: 'Binance, Bitstamp, Coinbase Exchange, Kraken and OKX',
  url: 'https://exchange.coinbase.com',
  licence: 'Symbols and names that the exchanges list; their lists are not redistributed',
  attribution: 'Symbols and names: Binance, Bitstamp, Coinbase Exchange, Kraken, OKX',
  disclaimer: 'Names and symbols are those of the exchanges, without warranty.',
  licensedForCommercialUse: false,
}

/** A pair as a venue states it. */
export interface StatedPair {
  readonly symbol: Json | undefined
  readonly base: Json | undefined
  readonly quote: Json | undefined
  readonly isTrading: boolean
  readonly name?: string | null
}

/** The list of rows in a member of the body. Throws BrokenBody without one. */
export function listedRows(value: Json, member: string | null): readonly Json[] {
  const rows = member === null ? value : isJsonObject(value) ? value.get(member) : undefined
  if (!isList(rows) || rows.length === 0) throw new BrokenBody('the body is not a list of pairs')
  return rows
}

/** Reads each row of a list as a pair. `toPair` returns null for a row that is not a pair of this market. */
export function* parsePairs(
  venue: Venue,
  rows: readonly Json[],
  context: ParseContext,
  toPair: (row: JsonObject) => StatedPair | null,
): Generator<Parsed<CoinListingLine>> {
  const symbols = new Set<string>()
  for (const [at, row] of rows.entries()) {
    const position = `entry ${at}`
    const stated = isJsonObject(row)
      ? toPair(row)
      : { symbol: row, base: undefined, quote: undefined, isTrading: false }
    if (stated === null || isOfOtherMarket(stated)) {
      context.onAbsent()
      continue
    }
    const read = readPair(venue, stated)
    if ('wrong' in read)
      yield { kind: 'rejected', position, reason: read.wrong, listed: { kind: 'unreadable', venue } }
    else if (symbols.has(read.value.symbol))
      yield { kind: 'rejected', position, reason: `${read.value.symbol} is listed twice` }
    else yield { kind: 'row', row: { kind: 'pair', ...read.value } }
    if ('value' in read) symbols.add(read.value.symbol)
  }
  context.onRead(1)
}

/** A thousand or a million units of a coin under one name, e.g. 1000SATS: its price is not that of the coin. */
const FACTOR = /^1(?:0{3,}|M)[A-Z]/

function isOfOtherMarket({ base, quote }: StatedPair): boolean {
  const isDollar = DOLLARS.some((dollar) => dollar === quote)
  const isText = typeof quote === 'string' && quote !== ''
  return (isText && !isDollar) || (typeof base === 'string' && FACTOR.test(base))
}

function readPair(
  venue: Venue,
  { symbol, base, quote, isTrading, name = null }: StatedPair,
): Read<CoinListing> {
  const dollar = DOLLARS.find((one) => one === quote)
  if (dollar === undefined) return { wrong: `the quote currency ${shown(quote)} is not usable` }
  if (typeof base !== 'string' || !/^[A-Z0-9]{1,20}$/.test(base))
    return { wrong: `the coin ${shown(base)} is not usable` }
  if (typeof symbol !== 'string' || !/^[A-Za-z0-9/-]{2,24}$/.test(symbol))
    return { wrong: `the symbol ${shown(symbol)} is not usable` }
  return { value: { venue, symbol, ticker: tickerAt(venue, base), quote: dollar, isTrading, name } }
}

/** Longer than any name of a coin. */
const MAX_NAME_LENGTH = 60

/** A name of a coin; null if it is not usable. */
export function coinName(value: Json | undefined): string | null {
  if (typeof value !== 'string') return null
  const name = value.trim()
  return name === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name) ? null : name
}
