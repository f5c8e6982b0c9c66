import { FactsWriter, removeFacts, writeFacts } from '../domains/filings/facts-store.js'
import type { FiledFact } from '../domains/filings/model.js'
import type { Transaction } from '../platform/database/database.js'
import { SEED_SOURCE, type Sink } from './feed.js'

const writers = new WeakMap<Transaction, FactsWriter>()

function writerOf(tx: Transaction): FactsWriter {
  const writer = writers.get(tx) ?? new FactsWriter(tx)
  writers.set(tx, writer)
  return writer
}

/** Where the facts of filers go. They are as new as the last look at the filer: most days nobody files. */
export const filingsSink: Sink<FiledFact> = {
  write: (tx, facts, known) => writerOf(tx).write(facts, known),
  finish: (tx, known) => writerOf(tx).withdrawUnlisted(known),
  removeSeed: (tx) => removeFacts(tx, SEED_SOURCE),
  newest: (_facts, { knownAt }) => knownAt,
}

/** The same for synthetic facts, of which each year has more and none less. */
export const seedFilingsSink: Sink<FiledFact> = {
  write: writeFacts,
  removeSeed: filingsSink.removeSeed,
  newest: filingsSink.newest,
}
