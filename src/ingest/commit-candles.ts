import type { CandleRow } from '../domains/market/store.js'
import { readLatestCandleEnd, removeCandles, writeCandles } from '../domains/market/store.js'
import type { Known, WriteCounts } from '../platform/bi-temporal/series-table.js'
import { bumpDataset, readDatasetState } from '../platform/database/data-version.js'
import type { Transaction } from '../platform/database/database.js'
import { CONSENSUS_SOURCE } from './candles-policy.js'
import { SEED_SOURCE } from './feed.js'

export interface CandleCounts extends WriteCounts {
  /** Synthetic candles removed, as these were the dataset's first live ones. */
  readonly removedSeed: number
}

/** Held to the end of the transaction: two runs would both see the old state of the candles. */
export async function lockCandles(tx: Transaction): Promise<void> {
  await tx.rows('select pg_advisory_xact_lock(hashtext($1))::text', ['ingest candles'])
}

/**
 * Writes live candles and, when that changes something, the dataset's new version, in the caller's transaction, which
 * holds the lock. The first of them take the place of the synthetic ones.
 */
export async function commitCandles(
  tx: Transaction,
  rows: readonly CandleRow[],
  known: Known,
): Promise<CandleCounts> {
  if (rows.length === 0) return { added: 0, revised: 0, unchanged: 0, removedSeed: 0 }
  const state = await readDatasetState(tx, 'candles')
  const removedSeed = state?.isDevDataset === true ? await removeCandles(tx, SEED_SOURCE) : 0
  const counts = await writeCandles(tx, rows, known)
  const observedAt = await readLatestCandleEnd(tx)
  if (observedAt !== null && (removedSeed > 0 || counts.added + counts.revised > 0)) {
    await bumpDataset(tx, {
      dataset: 'candles',
      // History from files does not take the name from candles made here.
      source: state?.source === CONSENSUS_SOURCE ? CONSENSUS_SOURCE : known.source,
      isDevDataset: false,
      observedAt,
      changedAt: known.knownAt,
    })
  }
  return { ...counts, removedSeed }
}
