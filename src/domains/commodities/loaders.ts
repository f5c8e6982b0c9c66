import { asOfText } from '../../core/as-of.js'
import { defineDayLoaders } from '../../platform/request/loaders/define-day-loaders.js'
import { defineGroupedLoader } from '../../platform/request/loaders/define-loader.js'
import {
  type CommodityPricePage,
  loadCommodityPricePages,
  loadCommodityPrices,
  type PricePageRange,
} from './store.js'

/** Monthly prices of a symbol. */
export const { newestOf: newestPriceOf, daysOf: pricesWithin } = defineDayLoaders({
  read: loadCommodityPrices,
  keyOf: ({ symbol }) => symbol,
})

interface PricePageKey extends PricePageRange {
  readonly symbol: string
}

/** A page of the prices of a symbol. All symbols with the same range share one statement. */
export const commodityPricePage = defineGroupedLoader<PricePageKey, CommodityPricePage>({
  groupText: ({ from, to, limit, offset, asOf }) => [from, to, limit, offset, asOfText(asOf)].join(' '),
  itemText: ({ symbol }) => symbol,
  load: (keys, { database }) =>
    loadCommodityPricePages(
      database,
      keys.map(({ symbol }) => symbol),
      keys[0],
    ),
})
