import { endOfDay } from '../../../core/time.js'
import type { DailyPrice } from '../../../domains/prices/model.js'
import { removePrices, stagePrices, undoPrices, writePrices } from '../../../domains/prices/store.js'
import { SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { newestInstant } from '../newest-instant.js'
import { seedPrices, seedPricesBody } from './seed-prices.js'

/** Writes prices. They are as new as the end of the newest day. */
export const pricesSink: Sink<DailyPrice> = {
  write: writePrices,
  undo: undoPrices,
  stage: stagePrices,
  removeSeed: (tx) => removePrices(tx, SEED_SOURCE),
  newest: (prices, { knownAt }) => {
    const end = newestInstant(prices.map(({ date }) => endOfDay(new Date(date))))
    return new Date(Math.min(end.getTime(), knownAt.getTime()))
  },
}

/** Daily prices of stocks and funds. */
export const prices = {
  seed: { prices: seedFeed(seedPrices, pricesSink, seedPricesBody) },
} satisfies Ingestion
