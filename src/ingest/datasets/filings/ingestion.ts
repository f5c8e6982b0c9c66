import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { FactsWriter, removeFacts } from '../../../domains/filings/facts-store.js'
import type { FiledFact } from '../../../domains/filings/model.js'
import type { Transaction } from '../../../platform/database/database.js'
import { bindFeed, SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { companyFactsFile } from '../../providers/sec/company-facts.js'
import { rejectBody } from '../reject-body.js'
import { seedFilings, seedFilingsBody } from './seed-filings.js'

const writerOf = memoizeByObject((tx: Transaction) => new FactsWriter(tx))

/** Writes the facts of filers and computes the figures of their periods. Facts are as new as the last request, because on most days nobody files. */
export const filingsSink: Sink<FiledFact> = {
  write: (tx, facts, known) => writerOf(tx).write(facts, known),
  finish: async (tx, known) => {
    const changed = await writerOf(tx).withdrawUnlisted(known).catch(rejectBody)
    await writerOf(tx).storePeriods(known)
    return { changed, refused: await writerOf(tx).listImplausibleCounts() }
  },
  removeSeed: (tx) => removeFacts(tx, SEED_SOURCE),
}

/** Writes synthetic facts, which only grow from year to year. */
export const seedFilingsSink: Sink<FiledFact> = {
  ...filingsSink,
  finish: async (tx, known) => {
    await writerOf(tx).storePeriods(known)
    return { changed: 0 }
  },
}

/** Reported figures of filers. */
export const filings = {
  feeds: [bindFeed(companyFactsFile, filingsSink)],
  seed: {
    filings: seedFeed(seedFilings, seedFilingsSink, seedFilingsBody),
  },
} satisfies Ingestion
