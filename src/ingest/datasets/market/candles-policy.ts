import { DAY_MS, startOfDay } from '../../../core/time.js'
import type { Venue } from '../../../domains/market/model.js'
import { deleteBarsBefore, deleteHourCandlesBefore } from '../../../domains/market/retention-store.js'
import { bumpDataset, loadDatasetState } from '../../../platform/database/data-version.js'
import type { Database } from '../../../platform/database/database.js'

/** `source` of candles made here from the bars of several venues: they have no single provider. */
export const CONSENSUS_SOURCE = 'consensus_vwap'

/** The venues asked when none are named; four of them by the API contract. OKX is in reserve. */
export const CONSENSUS_VENUES: readonly Venue[] = ['binance', 'bitstamp', 'coinbase', 'kraken']

/** The venues asked for old days when none are named: Kraken gives the newest 12 hours alone, so OKX takes its place. */
export const BACKFILL_VENUES: readonly Venue[] = ['binance', 'bitstamp', 'coinbase', 'okx']

/** Least time between two requests to a venue, well below what each allows a caller without a key. */
export const VENUE_PAUSE_MS: Readonly<Record<Venue, number>> = {
  binance: 100, // 6,000 weight a minute, 2 a request
  bitfinex: 1_000, // daily files only
  bitstamp: 100, // 10,000 in 10 minutes
  coinbase: 150, // about 10 a second
  kraken: 1_100, // about 1 a second
  okx: 100, // 40 in 2 seconds
}

/** Asked again each time: bars that a venue corrects, it corrects within minutes. */
export const OVERLAP_MS = 15 * 60_000

/** How far back the very first run of an asset goes; Kraken gives 12 hours at most. */
export const FIRST_REACH_MS = 24 * 3_600_000

/** One-minute bars: long enough to mend and re-check a month's candles. */
const BAR_DAYS = 35

/** Hour candles; day candles are kept for ever. */
const HOUR_CANDLE_YEARS = 5

/** The oldest instant whose bars are kept: the start of a day, so that no window loses a part of its bars. */
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
 * Deletes bars and hour candles beyond their time, in bounded batches that are committed one by one: stopped half
 * way, the next run goes on where it ended.
 */
export async function applyCandleRetention(database: Database, now: Date): Promise<CandleRetention> {
  const bars = await deleteBarsBefore(database, barsKeptFrom(now))
  const hourCandles = await deleteHourCandlesBefore(database, hourCandlesKeptFrom(now))
  // Bars are served to nobody; of candles gone, cached answers must learn.
  if (hourCandles > 0) await noteRemoval(database, now)
  return { bars, hourCandles }
}

async function noteRemoval(database: Database, now: Date): Promise<void> {
  await database.transaction(async (tx) => {
    const state = await loadDatasetState(tx, 'candles')
    if (state !== null) await bumpDataset(tx, { ...state, changedAt: now })
  })
}
