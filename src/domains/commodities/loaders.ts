import { defineDayLoaders } from '../../platform/request/define-day-loaders.js'
import { loadCommodityPrices } from './store.js'

/** Monthly prices of a symbol. */
export const { newestOf: newestPriceOf, daysOf: pricesWithin } = defineDayLoaders({
  read: loadCommodityPrices,
  keyOf: ({ symbol }) => symbol,
})
