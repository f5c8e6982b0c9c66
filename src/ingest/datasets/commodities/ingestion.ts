import { endOfPeriod } from '../../../core/period.js'
import { endOfDay, type IsoDate } from '../../../core/time.js'
import type { CommodityPriceRow } from '../../../domains/commodities/model.js'
import { removeCommodityPrices, writeCommodityPrices } from '../../../domains/commodities/store.js'
import { bindFeed, SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { imfCommodities } from '../../providers/imf/commodities.js'
import { worldBankCommodities } from '../../providers/worldbank/commodities.js'
import { newestInstant } from '../newest-instant.js'
import { seedCommodities, seedCommoditiesBody } from './seed-commodities.js'

/** Writes commodity prices. They are as new as the end of the newest month, or as now during that month. */
export const commoditiesSink: Sink<CommodityPriceRow> = {
  write: writeCommodityPrices,
  removeSeed: (tx) => removeCommodityPrices(tx, SEED_SOURCE),
  newest: (prices, { knownAt }) => {
    const end = newestInstant(prices.map(({ priceDate: start }) => endOfPriceMonth(start)))
    return new Date(Math.min(end.getTime(), knownAt.getTime()))
  },
}

function endOfPriceMonth(start: IsoDate): Date {
  return endOfDay(new Date(endOfPeriod({ frequency: 'monthly', start })))
}

/** Monthly prices of commodities. */
export const commodities = {
  feeds: [bindFeed(worldBankCommodities, commoditiesSink), bindFeed(imfCommodities, commoditiesSink)],
  seed: { commodities: seedFeed(seedCommodities, commoditiesSink, seedCommoditiesBody) },
} satisfies Ingestion
