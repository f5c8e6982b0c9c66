import type { CoinListingLine } from '../../../../domains/instruments/coins/coin-listings-model.js'
import { wholeJson } from '../../../bodies/json/json-body.js'
import type { Feed } from '../../../feed.js'
import { venueRequestRate } from '../venue-request-rate.js'
import { exchangeLists, listedRows, parsePairs } from './listed-pair.js'

/** The spot pairs of Binance. https://developers.binance.com/docs/binance-spot-api-docs */
export const binanceListings: Feed<CoinListingLine> = {
  id: 'binance-listings',
  provider: exchangeLists,
  dataset: 'instruments',
  description: 'Pairs that Binance trades; those against a dollar are stored',
  cadence: 'daily',
  fileNames: ['exchangeInfo.json'],
  request: () => ({
    url: 'https://data-api.binance.vision/api/v3/exchangeInfo?permissions=SPOT',
    headers: { accept: 'application/json' },
    rate: venueRequestRate('binance'),
  }),
  parse: (body, context) =>
    parsePairs('binance', listedRows(wholeJson(body), 'symbols'), context, (row) => ({
      symbol: row.get('symbol'),
      base: row.get('baseAsset'),
      quote: row.get('quoteAsset'),
      isTrading: row.get('status') === 'TRADING' && row.get('isSpotTradingAllowed') !== false,
    })),
}
