import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { endOfDay, type IsoDate } from '../../../core/time.js'
import { deriveFundamentals } from '../../../domains/protocols/fundamentals-store.js'
import type { ProtocolFact } from '../../../domains/protocols/model.js'
import { removeProtocols, undoProtocolFacts, writeProtocolFacts } from '../../../domains/protocols/store.js'
import type { Transaction } from '../../../platform/database/database.js'
import { bindFeed, SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { defiLlamaEconomics } from '../../providers/defillama/economics.js'
import { defiLlamaProtocols } from '../../providers/defillama/protocols.js'
import { seedProtocols, seedProtocolsBody } from './seed-protocols.js'

/** Days for which a run has brought fees or revenue. */
const daysOfRun = memoizeByObject((_run: Transaction) => new Set<IsoDate>())

/**
 * Writes protocols and their figures. At the end of a run it derives the fundamentals of assets. They are as new as
 * the run, because the figures are about the time before it.
 */
export const protocolsSink: Sink<ProtocolFact> = {
  write: (tx, facts, known) => {
    const days = daysOfRun(tx)
    for (const { economics, snapshotDate } of facts) if (economics !== null) days.add(snapshotDate)
    return writeProtocolFacts(tx, facts, known)
  },
  undo: undoProtocolFacts,
  finish: async (tx, known) => ({ changed: await deriveFundamentals(tx, [...daysOfRun(tx)], known) }),
  removeSeed: (tx) => removeProtocols(tx, SEED_SOURCE),
  newest: (facts, { knownAt }) => {
    const ends = facts.map(({ snapshotDate }) => endOfDay(new Date(snapshotDate)).getTime())
    return new Date(ends.reduce((latest, end) => Math.max(latest, Math.min(end, knownAt.getTime())), 0))
  },
}

/** Protocols with their fees and revenue. */
export const protocols = {
  feeds: [
    bindFeed(defiLlamaProtocols, protocolsSink),
    ...defiLlamaEconomics.map((feed) => bindFeed(feed, protocolsSink)),
  ],
  seed: { protocols: seedFeed(seedProtocols, protocolsSink, seedProtocolsBody) },
} satisfies Ingestion
