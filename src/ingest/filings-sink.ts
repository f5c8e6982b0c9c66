import { oncePer } from '../core/once-per.js'
import { FactsWriter, removeFacts, writeFacts } from '../domains/filings/facts-store.js'
import type { FiledFact } from '../domains/filings/model.js'
import { TooManyWithdrawn } from '../platform/bi-temporal/withdraw-unseen.js'
import type { Transaction } from '../platform/database/database.js'
import { BrokenBody, SEED_SOURCE, type Sink } from './feed.js'

const writerOf = oncePer((tx: Transaction) => new FactsWriter(tx))

/** A body that lacks much of what was known is taken for cut off; the next company is read all the same. */
function refuseBody(error: unknown): never {
  throw error instanceof TooManyWithdrawn ? new BrokenBody(error.message, { cause: error }) : error
}

/** Where the facts of filers go. They are as new as the last look at the filer: most days nobody files. */
export const filingsSink: Sink<FiledFact> = {
  write: (tx, facts, known) => writerOf(tx).write(facts, known),
  finish: (tx, known) => writerOf(tx).withdrawUnlisted(known).catch(refuseBody),
  removeSeed: (tx) => removeFacts(tx, SEED_SOURCE),
  newest: (_facts, { knownAt }) => knownAt,
}

/** The same for synthetic facts, of which each year has more and none less. */
export const seedFilingsSink: Sink<FiledFact> = {
  write: writeFacts,
  removeSeed: filingsSink.removeSeed,
  newest: filingsSink.newest,
}
