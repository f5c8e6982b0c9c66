import type { VenueBar } from '../../core/consensus/venue-vwap.js'
import { endOfDay, startOfDay } from '../../core/time.js'
import {
  type BarCounts,
  loadBars,
  loadFirstBar,
  loadMissingWindows,
  writeBars,
} from '../../domains/market/bar-store.js'
import type { CandleRow } from '../../domains/market/store.js'
import type { Database, Transaction } from '../../platform/database/database.js'
import { barsKeptFrom, CONSENSUS_SOURCE } from '../datasets/market/candles-policy.js'
import { candlesSink, consensusProvider } from '../datasets/market/ingestion.js'
import {
  isRollable,
  type PricedAsset,
  rollUp,
  uniqueWindows,
  type Window,
  windowsOfHours,
  windowsWithin,
} from '../datasets/market/roll-up.js'
import { type DatasetCounts, lockDataset, writeDataset } from '../run/write-dataset.js'
import type { VenueHarvest } from './ask-venue.js'
import { createUsdRates, isStablecoin, type UsdRates } from './usd-rates.js'

/** Bars per statement, as in run-feed. */
const BATCH_BARS = 5_000

/** The sink of the candles made here. */
export const CANDLES = { dataset: 'candles', provider: consensusProvider, sink: candlesSink } as const

/** The answers of the venues about an asset, and the requested span [from, to). */
export interface AssetLoad {
  readonly harvests: readonly VenueHarvest[]
  readonly from: Date
  readonly to: Date
}

export interface LoadedAsset {
  readonly candles: DatasetCounts
  /** By venue. */
  readonly bars: ReadonlyMap<string, BarCounts>
}

/**
 * Writes the bars of one asset in one transaction, with the candles of finished windows that lack a candle or have
 * a new or revised bar. A changed stablecoin makes the windows of the assets that it converts be rolled up again.
 */
export function createAssetLoader(database: Database, now: Date) {
  const rates = createUsdRates()
  const revalued: Window[] = []
  return (asset: PricedAsset & { readonly ticker: string }, load: AssetLoad): Promise<LoadedAsset> =>
    database.transaction(async (tx) => {
      await lockDataset(tx, 'candles')
      const bars = await writeHarvests(tx, asset.assetId, load.harvests, now)
      const touched = windowsOfHours([...bars.values()].flatMap(({ changedHours }) => changedHours))
      const windows = await loadDueWindows(tx, asset.assetId, { ...load, touched, revalued, now })
      const rows = await rollWindows(tx, asset, windows, rates)
      const candles = await writeDataset(tx, CANDLES, [rows], now)
      if (isStablecoin(asset)) revalued.push(...touched)
      return { candles, bars }
    })
}

async function writeHarvests(
  tx: Transaction,
  assetId: number,
  harvests: readonly VenueHarvest[],
  knownAt: Date,
): Promise<ReadonlyMap<string, BarCounts>> {
  const counts = new Map<string, BarCounts>()
  for (const { venue, bars } of harvests) {
    for (let at = 0; at < bars.length; at += BATCH_BARS) {
      const written = await writeBars(tx, assetId, bars.slice(at, at + BATCH_BARS), { knownAt })
      counts.set(venue, together(counts.get(venue), written))
    }
  }
  return counts
}

function together(a: BarCounts | undefined, b: BarCounts): BarCounts {
  if (a === undefined) return b
  return {
    added: a.added + b.added,
    revised: a.revised + b.revised,
    unchanged: a.unchanged + b.unchanged,
    changedHours: [...a.changedHours, ...b.changedHours],
  }
}

/** A window may end without a new bar, so windows without a candle are searched too. */
async function loadDueWindows(
  tx: Transaction,
  assetId: number,
  span: Pick<AssetLoad, 'from' | 'to'> & {
    readonly touched: readonly Window[]
    readonly revalued: readonly Window[]
    readonly now: Date
  },
): Promise<readonly Window[]> {
  const firstBar = await loadFirstBar(tx, assetId)
  if (firstBar === null) return []
  const known = { now: span.now, firstBar, keptFrom: barsKeptFrom(span.now) }
  const windows = windowsWithin(span.from, span.to).filter((window) => isRollable(window, known))
  const missing = await loadMissingWindows(tx, assetId, CONSENSUS_SOURCE, windows)
  const changed = [...span.touched, ...span.revalued].filter((window) => isRollable(window, known))
  return uniqueWindows([...changed, ...missing])
}

/** One day at a time, so that memory holds the bars of one day. */
async function rollWindows(
  tx: Transaction,
  asset: PricedAsset,
  windows: readonly Window[],
  rates: UsdRates,
): Promise<readonly CandleRow[]> {
  const days = new Set(windows.map(dayOf))
  const rows: CandleRow[] = []
  for (const day of days) {
    const due = windows.filter((window) => dayOf(window) === day)
    const from = new Date(day)
    const bars = await loadBars(tx, { assetId: asset.assetId, from, to: endOfDay(from) })
    for (const currency of currenciesOf(bars)) await rates.prepare(tx, currency, due)
    rows.push(...rollUp(asset, due, bars, rates.rateOf))
  }
  return rows
}

function dayOf({ ts }: Window): number {
  return startOfDay(ts).getTime()
}

function currenciesOf(bars: readonly VenueBar[]): ReadonlySet<VenueBar['quoteCurrency']> {
  return new Set(bars.map((bar) => bar.quoteCurrency))
}
