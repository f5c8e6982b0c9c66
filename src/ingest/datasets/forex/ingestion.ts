import { ecbPublication } from '../../../core/calendars/target.js'
import type { Rate } from '../../../domains/forex/model.js'
import { removeRates, stageRates, writeRates } from '../../../domains/forex/store.js'
import { bindFeed, SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { ecbDaily } from '../../providers/ecb/ecb-daily.js'
import { ecbHistory } from '../../providers/ecb/ecb-history.js'
import { newestInstant } from '../newest-instant.js'
import { seedForex, seedForexBody, seedForexVintages } from './seed-forex.js'

/** Writes rates. Their newest fact is the publication of the latest day, not its arrival. */
export const forexSink: Sink<Rate> = {
  write: writeRates,
  stage: stageRates,
  removeSeed: (tx) => removeRates(tx, SEED_SOURCE),
  newest: (rates) =>
    newestInstant([...new Set(rates.map(({ date }) => date))].map((date) => ecbPublication(date))),
}

/** Exchange rates of the euro. */
export const forex = {
  feeds: [bindFeed(ecbHistory, forexSink), bindFeed(ecbDaily, forexSink)],
  seed: { forex: seedFeed(seedForex, forexSink, seedForexBody, { vintages: seedForexVintages }) },
} satisfies Ingestion
