import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { endOfDay } from '../../../core/time.js'
import { FactsWriter, removeFacts, writeFacts } from '../../../domains/filings/facts-store.js'
import type { DailyPrice, FiledFact } from '../../../domains/filings/model.js'
import { removePrices, stagePrices, undoPrices, writePrices } from '../../../domains/filings/prices-store.js'
import { TooManyWithdrawn } from '../../../platform/bi-temporal/withdraw-unseen.js'
import type { Transaction } from '../../../platform/database/database.js'
import { BrokenBody, bindFeed, SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { companyFactsFile } from '../../providers/sec/company-facts.js'
import { newestInstant } from '../newest-instant.js'
import { seedFilings, seedFilingsBody } from './seed-filings.js'
import { seedPrices, seedPricesBody } from './seed-prices.js'

const writerOf = memoizeByObject((tx: Transaction) => new FactsWriter(tx))

/** A body that lacks much of the stored data counts as cut off; the next company is still read. */
function rejectBody(error: unknown): never {
  throw error instanceof TooManyWithdrawn ? new BrokenBody(error.message, { cause: error }) : error
}

/** Writes the facts of filers. They are as new as the last request, because on most days nobody files. */
export const filingsSink: Sink<FiledFact> = {
  write: (tx, facts, known) => writerOf(tx).write(facts, known),
  finish: async (tx, known) => ({ changed: await writerOf(tx).withdrawUnlisted(known).catch(rejectBody) }),
  removeSeed: (tx) => removeFacts(tx, SEED_SOURCE),
  newest: (_facts, { knownAt }) => knownAt,
}

/** Writes synthetic facts, which only grow from year to year. */
export const seedFilingsSink: Sink<FiledFact> = {
  write: writeFacts,
  removeSeed: filingsSink.removeSeed,
  newest: filingsSink.newest,
}

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

/** Reported figures of filers, and the daily prices for figures per share. */
export const filings = {
  feeds: [bindFeed(companyFactsFile, filingsSink)],
  seed: {
    filings: seedFeed(seedFilings, seedFilingsSink, seedFilingsBody),
    prices: seedFeed(seedPrices, pricesSink, seedPricesBody),
  },
} satisfies Ingestion
