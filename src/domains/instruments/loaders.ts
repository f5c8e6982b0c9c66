import { defineLoader, defineSharedLoader } from '../../platform/request/define-loader.js'
import { readAnswers, readListingsByTicker, readPrimaryListings } from './store.js'

/** All listings that carry a ticker; null for none. */
export const listingsByTicker = defineSharedLoader({
  load: (tickers: readonly string[], context) => readListingsByTicker(context.database, tickers),
  likenessOf: () => '',
})

/** The identifier service's answer to a ticker, while it is kept. */
export const answerByTicker = defineLoader((tickers: readonly string[], context) =>
  readAnswers(context.database, tickers, context.now),
)

/** The primary listing of an asset by its integer key; one statement for all assets of a page. */
export const instrumentByAssetId = defineLoader((assetIds: readonly number[], context) =>
  readPrimaryListings(context.database, assetIds),
)
