import type { Venue } from '../../../core/consensus/venue-symbols.js'
import { DAY_MS, startOfDay } from '../../../core/time.js'
import { deleteBarsBefore, deleteHourCandlesBefore } from '../../../domains/market/retention-store.js'
import type { Database } from '../../../platform/database/database.js'
import { bumpDataset } from '../../../platform/database/versions/bump-dataset.js'
import { loadDatasetState } from '../../../platform/database/versions/dataset-states-store.js'

/** `source` of candles computed by the gateway from bars of several venues. */
export const CONSENSUS_SOURCE = 'consensus_vwap'

/** The default venues; the API contract names four of them. OKX is in reserve. */
export const CONSENSUS_VENUES: readonly Venue[] = ['binance', 'bitstamp', 'coinbase', 'kraken']

/** The default venues for old days: Kraken serves only the newest 12 hours, so OKX takes its place. */
export const BACKFILL_VENUES: readonly Venue[] = ['binance', 'bitstamp', 'coinbase', 'okx']

/** The newest bars are requested again each time, because a venue corrects a bar within minutes. */
export const OVERLAP_MS = 15 * 60_000

/** How far back the first run of an asset goes; Kraken serves at most 12 hours. */
export const FIRST_REACH_MS = 24 * 3_600_000

/** One-minute bars: long enough to repair and check the candles of a month. */
const BAR_DAYS = 35

/** Hour candles; day candles are kept for ever. */
const HOUR_CANDLE_YEARS = 5

/** The oldest instant whose bars are kept: the start of a day, so that a window has all its bars or none. */
export function barsKeptFrom(now: Date): Date {
  return new Date(startOfDay(now).getTime() - BAR_DAYS * DAY_MS)
}

/** The oldest instant whose hour candles are kept. */
export function hourCandlesKeptFrom(now: Date): Date {
  const day = startOfDay(now)
  return new Date(day.setUTCFullYear(day.getUTCFullYear() - HOUR_CANDLE_YEARS))
}

export interface CandleRetention {
  readonly bars: number
  readonly hourCandles: number
}

/**
 * Deletes bars and hour candles that are too old, in bounded batches with a commit each. After an interruption the
 * next run continues.
 */
export async function applyCandleRetention(database: Database, now: Date): Promise<CandleRetention> {
  const bars = await deleteBarsBefore(database, barsKeptFrom(now))
  const hourCandles = await deleteHourCandlesBefore(database, hourCandlesKeptFrom(now))
  // No endpoint serves bars, but cached answers must notice deleted candles.
  if (hourCandles > 0) await noteRemoval(database, now)
  return { bars, hourCandles }
}

async function noteRemoval(database: Database, now: Date): Promise<void> {
  await database.transaction(async (tx) => {
    const state = await loadDatasetState(tx, 'candles')
    if (state !== null) await bumpDataset(tx, { ...state, changedAt: now })
  })
}
