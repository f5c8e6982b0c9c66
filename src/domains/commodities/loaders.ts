import { type DayRange, dayRangeText, NEWEST_DAY } from '../../core/day-range.js'
import { groupBy } from '../../core/group-by.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { CommodityPrice } from './model.js'
import { readCommodityPrices } from './store.js'

/** The newest price of a symbol; one statement for all that are asked for at once. */
export const newestPriceOf = defineSharedLoader<string, CommodityPrice>({
  load: async (symbols, { database }) => {
    const prices = await readCommodityPrices(database, symbols, NEWEST_DAY)
    return new Map(prices.map((price) => [price.symbol, price]))
  },
  likenessOf: () => '',
})

/** Prices of a symbol within a range. */
interface HistoryKey extends DayRange {
  readonly symbol: string
}

const historyText = (key: HistoryKey) => `${key.symbol} ${dayRangeText(key)}`

/** One statement for all symbols of a range. */
const histories = defineLoader<HistoryKey, readonly CommodityPrice[]>(async (keys, { database }) => {
  const found = new Map<string, readonly CommodityPrice[]>()
  for (const group of groupBy(keys, dayRangeText).values()) {
    const prices = await readCommodityPrices(
      database,
      group.map(({ symbol }) => symbol),
      group[0],
    )
    const bySymbol = groupBy(prices, ({ symbol }) => symbol)
    for (const key of group) found.set(historyText(key), bySymbol.get(key.symbol) ?? [])
  }
  return found
}, historyText)

/** Prices of a symbol within a range, oldest first. */
export async function historyOf(
  key: HistoryKey,
  context: RequestContext,
): Promise<readonly CommodityPrice[]> {
  return (await histories(context).load(key)) ?? []
}
