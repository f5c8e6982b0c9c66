import type { CoinListingLine } from '../../../../domains/instruments/coins/coin-listings-model.js'
import { type Json, wholeJson } from '../../../bodies/json/json-body.js'
import type { Feed } from '../../../feed.js'
import { venueRequestRate } from '../venue-request-rate.js'
import { coinName, exchangeLists, listedRows, parsePairs } from './listed-pair.js'

/** The pairs of Bitstamp, with the names of their coins. https://www.bitstamp.net/api/ */
export const bitstampListings: Feed<CoinListingLine> = {
  id: 'bitstamp-listings',
  provider: exchangeLists,
  dataset: 'instruments',
  description: 'Pairs that Bitstamp trades; those against a dollar are stored',
  cadence: 'daily',
  fileNames: ['trading-pairs-info.json'],
  request: () => ({
    url: 'https://www.bitstamp.net/api/v2/trading-pairs-info/',
    headers: { accept: 'application/json' },
    rate: venueRequestRate('bitstamp'),
  }),
  parse: (body, context) =>
    parsePairs('bitstamp', listedRows(wholeJson(body), null), context, (row) => {
      const [base, quote] = partsOf(row.get('name'))
      return {
        symbol: row.get('url_symbol'),
        base,
        quote,
        isTrading: row.get('trading') === 'Enabled',
        name: coinName(partsOf(row.get('description'))[0]),
      }
    }),
}

/** The parts of "BTC/USD" and of "Bitcoin / U.S. dollar". */
function partsOf(pair: Json | undefined): readonly (string | undefined)[] {
  return typeof pair === 'string' ? pair.split('/') : []
}
