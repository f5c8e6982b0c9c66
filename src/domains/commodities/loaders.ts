import { defineDayLoaders } from '../../platform/request/define-day-loaders.js'
import { loadCommodityPrices } from './store.js'

/** Prices of a symbol, one a month. */
export const { newestOf: newestPriceOf, daysOf: pricesWithin } = defineDayLoaders({
  read: loadCommodityPrices,
  keyOf: ({ symbol }) => symbol,
})
