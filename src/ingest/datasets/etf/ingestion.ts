import type { Isin } from '../../../core/identifiers.js'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { DAY_MS } from '../../../core/time.js'
import type { AssetCategory, EtfReport, EtfRow } from '../../../domains/etf/model.js'
import { EtfWriter, removeReports } from '../../../domains/etf/report-store.js'
import { noteIsins } from '../../../domains/instruments/mapping/mapping-questions-store.js'
import type { Transaction } from '../../../platform/database/database.js'
import { SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { seedEtf, seedEtfBody } from './seed-etf.js'

const writerOf = memoizeByObject((tx: Transaction) => new EtfWriter(tx))

/** When a report was published; the end of its day if its source does not say. */
function publicationOf({ publishedAt, asOf }: EtfReport): number {
  return publishedAt?.getTime() ?? Date.parse(asOf) + DAY_MS
}

/** Categories of holdings that a stock or an ETF may have; null: the source states none. */
const OF_LISTINGS: readonly (AssetCategory | null)[] = ['equity', 'fund', 'real_estate', 'other', null]

/** The ISIN of a holding that may be a stock or an ETF. */
function candidateOf({ holding }: EtfRow): readonly Isin[] {
  const isListing = holding !== null && OF_LISTINGS.includes(holding.assetCategory)
  return isListing && holding.isin !== null ? [holding.isin] : []
}

/** Writes holdings. They are as new as their publication, and not newer than their arrival. */
export const etfSink: Sink<EtfRow> = {
  write: async (tx, rows, known) => {
    const counts = await writerOf(tx).write(rows, known)
    if (known.source !== SEED_SOURCE) await noteIsins(tx, rows.flatMap(candidateOf))
    return counts
  },
  removeSeed: (tx) => removeReports(tx, SEED_SOURCE),
  newest: (rows, { knownAt }) => {
    const latest = rows.reduce((newest, { report }) => Math.max(newest, publicationOf(report)), 0)
    return new Date(Math.min(latest, knownAt.getTime()))
  },
}

/** Holdings of funds, loaded fund by fund. */
export const etf = {
  seed: { etf: seedFeed(seedEtf, etfSink, seedEtfBody) },
} satisfies Ingestion
