import { loadCandlesOfDay, loadDoneVenues, recordDoneVenues } from '../../../domains/market/backfill-store.js'
import type { Database } from '../../../platform/database/database.js'
import { CONSENSUS_SOURCE, hourCandlesKeptFrom } from '../../datasets/market/candles-policy.js'
import { consensusProvider } from '../../datasets/market/ingestion.js'
import { type DatasetCounts, writeDataset } from '../../run/write-dataset.js'
import type { LedgerEntry } from '../lane-ledger.js'
import { CANDLES } from '../load-bars.js'
import type { VenueAsset } from '../venue-assets.js'
import { candlesOfDay } from './candles-of-day.js'
import { createStoredRates } from './stored-rates.js'
import type { ItemResult, OldDay, OpenWindow } from './work-window.js'

/**
 * A UTC day whose bars are not kept. The transaction of an asset writes its candles and notes the venues that are done, so a run
 * that was killed continues where it stopped. A venue that could not be loaded to the end contributes nothing.
 */
export async function openOldDay(
  database: Database,
  { from: day, venues }: OldDay,
  assets: readonly VenueAsset[],
  isAgain: boolean,
): Promise<OpenWindow> {
  const ids = isAgain ? [] : assets.map(({ assetId }) => assetId)
  const done = await loadDoneVenues(database.prisma, ids, day, CONSENSUS_SOURCE)
  const rates = createStoredRates(day)
  return {
    pendingOf: ({ assetId }) => venues.filter((venue) => done.get(assetId)?.has(venue) !== true),
    startOf: () => day,
    write: async (tx, asset, results, now) => {
      const settled = results.filter(({ kind }) => kind !== 'missed')
      const own = settled.map(({ venue }) => venue)
      const bars = settled.flatMap(({ harvest }) => harvest?.bars ?? [])
      const stored = await loadCandlesOfDay(tx.prisma, asset.assetId, day)
      const facts = { day, venues: own, bars, stored, hoursFrom: hourCandlesKeptFrom(now) }
      const rows = settled.length === 0 ? [] : candlesOfDay(asset, facts, await rates(tx, bars))
      const candles = await writeDataset(tx, CANDLES, [rows], now)
      if (settled.length > 0) await recordDoneVenues(tx, asset.assetId, day, own)
      return { candles, entries: [toEntry(results, candles)] }
    },
  }
}

/** Bars of old days are not stored, so the ledger has their candles, which belong to no venue. */
function toEntry(results: readonly ItemResult[], { added, revised, unchanged }: DatasetCounts): LedgerEntry {
  const harvests = results.flatMap(({ harvest }) => harvest ?? [])
  const sum = (of: (harvest: (typeof harvests)[number]) => number) =>
    harvests.reduce((total, harvest) => total + of(harvest), 0)
  return {
    feed: 'candles-backfill',
    provider: consensusProvider,
    answers: sum(({ answers }) => answers),
    bodies: harvests.flatMap(({ bodies }) => bodies),
    rejections: harvests.flatMap(({ rejections }) => rejections),
    ...{ added, revised, unchanged },
    rejected: sum(({ rejections }) => rejections.length),
    absent: sum(({ absent }) => absent) + unusedBars(results),
  }
}

/** Bars of days that came in part. */
function unusedBars(results: readonly ItemResult[]): number {
  const missed = results.filter(({ kind }) => kind === 'missed')
  return missed.reduce((total, { harvest }) => total + (harvest?.bars.length ?? 0), 0)
}
