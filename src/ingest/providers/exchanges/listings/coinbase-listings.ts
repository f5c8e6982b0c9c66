import type { CoinListingLine } from '../../../../domains/instruments/coins/coin-listings-model.js'
import { isJsonObject, type Json, wholeJson } from '../../../bodies/json/json-body.js'
import type { FeedRequest, Page, PagedFeed, ParseContext, Parsed } from '../../../feed.js'
import { venueRequestRate } from '../venue-request-rate.js'
import { coinName, exchangeLists, listedRows, parsePairs } from './listed-pair.js'

const ADDRESS = 'https://api.exchange.coinbase.com'

const requestFor = (path: string): FeedRequest => ({
  url: ADDRESS + path,
  headers: { accept: 'application/json' },
  rate: venueRequestRate('coinbase'),
})

/** The pairs of Coinbase Exchange, and its currencies with their names. https://docs.cdp.coinbase.com/exchange/reference */
export const coinbaseListings: PagedFeed<CoinListingLine> = {
  id: 'coinbase-listings',
  provider: exchangeLists,
  dataset: 'instruments',
  description:
    'Pairs that Coinbase Exchange trades, with the names of coins; those against a dollar are stored',
  cadence: 'daily',
  fileNames: ['products.json'],
  request: () => requestFor('/products'),
  requests: () => [requestFor('/products'), requestFor('/currencies')],
  next: () => null,
  parsePages,
}

/** The second page, which a file does not have, are the currencies. */
function* parsePages(
  [products, currencies]: readonly Page[],
  context: ParseContext,
): Generator<Parsed<CoinListingLine>> {
  if (products === undefined) return
  const names = currencies === undefined ? new Map() : namesOf(wholeJson(currencies.body), context)
  yield* parsePairs('coinbase', listedRows(wholeJson(products.body), null), context, (row) => {
    const base = row.get('base_currency')
    return {
      symbol: row.get('id'),
      base,
      quote: row.get('quote_currency'),
      isTrading: row.get('status') === 'online' && row.get('trading_disabled') !== true,
      name: names.get(base) ?? null,
    }
  })
}

function namesOf(body: Json, context: ParseContext): ReadonlyMap<Json | undefined, string> {
  const currencies = listedRows(body, null)
  // They name coins of the pairs; they are no rows.
  context.onAbsent(currencies.length)
  return new Map(
    currencies.flatMap((row) => {
      const name = isJsonObject(row) ? coinName(row.get('name')) : null
      return isJsonObject(row) && name !== null ? [[row.get('id'), name] as const] : []
    }),
  )
}
