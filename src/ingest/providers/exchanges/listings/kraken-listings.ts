import type { CoinListingLine } from '../../../../domains/instruments/coins/coin-listings-model.js'
import { isJsonObject, isList, type Json, shown, wholeJson } from '../../../bodies/json/json-body.js'
import { BrokenBody, type Feed } from '../../../feed.js'
import { venueRequestRate } from '../venue-request-rate.js'
import { exchangeLists, parsePairs } from './listed-pair.js'

/** The spot pairs of Kraken. Its list of assets has no names. https://docs.kraken.com/api/docs/rest-api/get-tradable-asset-pairs */
export const krakenListings: Feed<CoinListingLine> = {
  id: 'kraken-listings',
  provider: exchangeLists,
  dataset: 'instruments',
  description: 'Pairs that Kraken trades; those against a dollar are stored',
  cadence: 'daily',
  fileNames: ['AssetPairs.json'],
  request: () => ({
    url: 'https://api.kraken.com/0/public/AssetPairs',
    headers: { accept: 'application/json' },
    rate: venueRequestRate('kraken'),
  }),
  parse: (body, context) =>
    parsePairs('kraken', pairsOf(wholeJson(body)), context, (row) => {
      // Pairs of the former dark pool have no name of this form.
      const name = row.get('wsname')
      if (typeof name !== 'string') return null
      const [base, quote] = name.split('/')
      // Earlier answers have no status.
      return {
        symbol: row.get('altname'),
        base,
        quote,
        isTrading: (row.get('status') ?? 'online') === 'online',
      }
    }),
}

function pairsOf(body: Json): readonly Json[] {
  if (!isJsonObject(body)) throw new BrokenBody('the body is not a list of pairs')
  const errors = body.get('error')
  if (isList(errors) && errors.length > 0)
    throw new BrokenBody(`Kraken answers ${errors.map(shown).join(', ')}`)
  const pairs = body.get('result')
  if (!isJsonObject(pairs) || pairs.size === 0) throw new BrokenBody('the body is not a list of pairs')
  return [...pairs.values()]
}
