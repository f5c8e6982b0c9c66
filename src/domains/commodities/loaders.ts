import { groupBy } from '../../core/group-by.js'
import { isoDateOf } from '../../core/time.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { CommodityPrice } from './model.js'
import { type PriceRange, readCommodityPrices } from './store.js'

/** The range of days that there are. */
export const ALL_DAYS = {
  from: isoDateOf(new Date('1900-01-01')),
  to: isoDateOf(new Date('2200-12-31')),
} as const

/** The newest price of a symbol; one statement for all that are asked for at once. */
export const newestPriceOf = defineSharedLoader<string, CommodityPrice>({
  load: async (symbols, { database }) => {
    const prices = await readCommodityPrices(database, symbols, { ...ALL_DAYS, asOf: null, limit: 1 })
    return new Map(prices.map((price) => [price.symbol, price]))
  },
  likenessOf: () => '',
})

/** Prices of a symbol within a range. */
export interface HistoryKey extends PriceRange {
  readonly symbol: string
}

const rangeText = ({ from, to, limit, asOf }: HistoryKey) => [from, to, limit, asOf?.getTime()].join(' ')
const historyText = (key: HistoryKey) => `${key.symbol} ${rangeText(key)}`

/** One statement for all symbols of a range. */
const histories = defineLoader<HistoryKey, readonly CommodityPrice[]>(async (keys, { database }) => {
  const found = new Map<string, readonly CommodityPrice[]>()
  for (const group of groupBy(keys, rangeText).values()) {
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
