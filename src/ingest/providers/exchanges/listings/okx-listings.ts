import type { CoinListingLine } from '../../../../domains/instruments/coins/coin-listings-model.js'
import { wholeJson } from '../../../bodies/json/json-body.js'
import type { Feed } from '../../../feed.js'
import { venueRequestRate } from '../venue-request-rate.js'
import { exchangeLists, listedRows, parsePairs } from './listed-pair.js'

/** The spot pairs of OKX. https://www.okx.com/docs-v5/en/#public-data-rest-api-get-instruments */
export const okxListings: Feed<CoinListingLine> = {
  id: 'okx-listings',
  provider: exchangeLists,
  dataset: 'instruments',
  description: 'Pairs that OKX trades; those against a dollar are stored',
  cadence: 'daily',
  fileNames: ['instruments.json'],
  request: () => ({
    url: 'https://www.okx.com/api/v5/public/instruments?instType=SPOT',
    headers: { accept: 'application/json' },
    rate: venueRequestRate('okx'),
  }),
  parse: (body, context) =>
    parsePairs('okx', listedRows(wholeJson(body), 'data'), context, (row) => ({
      symbol: row.get('instId'),
      base: row.get('baseCcy'),
      quote: row.get('quoteCcy'),
      isTrading: row.get('state') === 'live',
    })),
}
