import { asOfText } from '../../core/as-of.js'
import { groupBy } from '../../core/group-by.js'
import { defineDayLoaders } from '../../platform/request/loaders/define-day-loaders.js'
import { defineLoader } from '../../platform/request/loaders/define-loader.js'
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

const rangeText = ({ from, to, limit, offset, asOf }: PricePageRange) =>
  [from, to, limit, offset, asOfText(asOf)].join(' ')
const pageText = (key: PricePageKey) => `${key.symbol} ${rangeText(key)}`

/** A page of the prices of a symbol. All symbols with the same range share one statement. */
export const commodityPricePage = defineLoader<PricePageKey, CommodityPricePage>(
  async (keys, { database }) => {
    const found = new Map<string, CommodityPricePage>()
    for (const group of groupBy(keys, rangeText).values()) {
      const symbols = group.map(({ symbol }) => symbol)
      const pages = await loadCommodityPricePages(database, symbols, group[0])
      for (const key of group) {
        const page = pages.get(key.symbol)
        if (page !== undefined) found.set(pageText(key), page)
      }
    }
    return found
  },
  pageText,
)
