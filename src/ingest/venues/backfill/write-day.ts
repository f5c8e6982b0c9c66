import type { VenueBar } from '../../../core/consensus/venue-vwap.js'
import { loadCandlesOfDay, recordDoneVenues } from '../../../domains/market/backfill-store.js'
import type { Database } from '../../../platform/database/database.js'
import { hourCandlesKeptFrom } from '../../datasets/market/candles-policy.js'
import type { UsdRate } from '../../datasets/market/roll-up.js'
import { lockDataset } from '../../run/lock-dataset.js'
import { type DatasetCounts, writeDataset } from '../../run/write-dataset.js'
import { CANDLES } from '../load-bars.js'
import type { VenueAsset } from '../run-venues.js'
import { candlesOfDay } from './candles-of-day.js'

/** The new bars of a day by venue. */
export interface DayLoad {
  readonly day: Date
  /** Venues that are done with the day, with or without bars. */
  readonly venues: readonly string[]
  readonly bars: readonly VenueBar[]
}

/** Writes the candles of a day of an asset, and notes the venues that are done with it, in one transaction. */
export function writeDay(
  database: Database,
  asset: VenueAsset,
  { day, venues, bars }: DayLoad,
  { usdRate, now }: { readonly usdRate: UsdRate; readonly now: Date },
): Promise<DatasetCounts> {
  return database.transaction(async (tx) => {
    await lockDataset(tx, 'candles')
    const stored = await loadCandlesOfDay(tx, asset.assetId, day)
    const facts = { day, venues, bars, stored, hoursFrom: hourCandlesKeptFrom(now) }
    const candles = await writeDataset(tx, CANDLES, [candlesOfDay(asset, facts, usdRate)], now)
    await recordDoneVenues(tx, asset.assetId, day, venues)
    return candles
  })
}
