import type { VenueBar } from '../../core/consensus/venue-vwap.js'
import { startOfDay } from '../../core/time.js'
import {
  type BarCounts,
  loadBars,
  loadFirstBar,
  loadMissingWindows,
  writeBars,
} from '../../domains/market/bar-store.js'
import type { CandleRow } from '../../domains/market/store.js'
import type { Transaction } from '../../platform/database/database.js'
import { barsKeptFrom, CONSENSUS_SOURCE } from '../datasets/market/candles-policy.js'
import { candlesSink, consensusProvider } from '../datasets/market/ingestion.js'
import {
  isRollable,
  type PricedAsset,
  rollUp,
  spanOf,
  uniqueWindows,
  type Window,
  windowsOfHours,
  windowsWithin,
} from '../datasets/market/roll-up.js'
import { type DatasetCounts, writeDataset } from '../run/write-dataset.js'
import type { VenueHarvest } from './ask-venue.js'
import { noteNewestBars } from './coverage-store.js'
import { loadOutdatedWindows } from './outdated-windows.js'
import { createUsdRates, isStablecoin } from './usd-rates.js'

/** Bars per statement, as in run-feed. */
const BATCH_BARS = 5_000

/** The sink of the candles made here. */
export const CANDLES = { dataset: 'candles', provider: consensusProvider, sink: candlesSink } as const

/** What is known about an asset after new bars of it were written. */
export interface AssetRoll {
  /** What was written, by venue. */
  readonly bars: ReadonlyMap<string, BarCounts>
  /** The span [from, to) whose windows may lack a candle. */
  readonly from: Date
  readonly to: Date
  readonly now: Date
  /**
   * Whether all bars that a window waits for are there. A window without a candle waits until then; one that has a candle is
   * revised at once.
   */
  isComplete(window: Window): boolean
  /** Windows whose stablecoins had later bars only before this instant are up to date; null: compared with each candle. */
  readonly ratesKnownAt: Date | null
}

export interface RolledAsset {
  readonly candles: DatasetCounts
  /** Windows that have ended and wait for bars. */
  readonly waiting: readonly Window[]
}

/**
 * Writes the candles of finished windows of an asset: those that lack a candle and wait for nothing, have a new or revised bar,
 * or were converted by a stablecoin that has new bars since. An unconfirmed asset gets none.
 */
export async function rollAsset(
  tx: Transaction,
  asset: PricedAsset & { readonly ticker: string; readonly isConfirmed?: boolean },
  roll: AssetRoll,
): Promise<RolledAsset> {
  const { due, waiting } =
    asset.isConfirmed === false ? { due: [], waiting: [] } : await findDueWindows(tx, asset, roll)
  const rows = await rollWindows(tx, asset, due)
  return { candles: await writeDataset(tx, CANDLES, [rows], roll.now), waiting }
}

/** Writes the bars of the venues' answers about one asset, and notes the newest of each; returns the counts by venue. */
export async function writeHarvests(
  tx: Transaction,
  assetId: number,
  harvests: readonly VenueHarvest[],
  knownAt: Date,
): Promise<ReadonlyMap<string, BarCounts>> {
  const counts = new Map<string, BarCounts>()
  const newest = new Map<string, Date>()
  for (const { venue, bars } of harvests) {
    const last = bars.at(-1)
    if (last !== undefined) newest.set(venue, last.ts)
    for (let at = 0; at < bars.length; at += BATCH_BARS) {
      const written = await writeBars(tx, assetId, bars.slice(at, at + BATCH_BARS), { knownAt })
      counts.set(venue, together(counts.get(venue), written))
    }
  }
  await noteNewestBars(tx, assetId, newest)
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
async function findDueWindows(
  tx: Transaction,
  asset: PricedAsset & { readonly ticker: string },
  { bars, from, to, now, isComplete, ratesKnownAt }: AssetRoll,
): Promise<{ readonly due: readonly Window[]; readonly waiting: readonly Window[] }> {
  const firstBar = await loadFirstBar(tx, asset.assetId)
  if (firstBar === null) return { due: [], waiting: [] }
  const known = { now, firstBar, keptFrom: barsKeptFrom(now) }
  const touched = windowsOfHours([...bars.values()].flatMap(({ changedHours }) => changedHours))
  const windows = uniqueWindows([...touched, ...windowsWithin(from, to)]).filter((window) =>
    isRollable(window, known),
  )
  const missing = new Set(await loadMissingWindows(tx, asset.assetId, CONSENSUS_SOURCE, windows))
  const held = windows.filter((window) => !missing.has(window))
  const outdated = isStablecoin(asset) ? [] : await loadOutdatedWindows(tx, asset.assetId, held, ratesKnownAt)
  const changed = new Set(touched.map(keyOf))
  const revised = held.filter((window) => changed.has(keyOf(window)) || outdated.includes(window))
  const lacking = [...missing]
  return {
    due: [...revised, ...lacking.filter(isComplete)],
    waiting: lacking.filter((window) => !isComplete(window)),
  }
}

function keyOf({ timeframe, ts }: Window): string {
  return `${timeframe} ${ts.getTime()}`
}

/** One day at a time, so that memory holds the bars of one day. */
async function rollWindows(
  tx: Transaction,
  asset: PricedAsset,
  windows: readonly Window[],
): Promise<readonly CandleRow[]> {
  const rates = createUsdRates()
  const days = new Set(windows.map(dayOf))
  const rows: CandleRow[] = []
  for (const day of days) {
    const due = windows.filter((window) => dayOf(window) === day)
    const bars = await loadBars(tx, { assetId: asset.assetId, ...spanOf(due) })
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
