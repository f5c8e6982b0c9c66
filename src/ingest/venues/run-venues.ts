import type { AssetTier } from '../../core/consensus/consensus.js'
import type { TradedAsset } from '../../core/consensus/venue-symbols.js'
import type { Clock } from '../../core/time.js'
import { loadNewestBars } from '../../domains/market/bar-store.js'
import type { Transaction } from '../../platform/database/database.js'
import type { HttpClient } from '../../platform/http-client/http-client.js'
import { barsKeptFrom } from '../datasets/market/candles-policy.js'
import { IngestError } from '../feed.js'
import type { VenueAdapter } from '../providers/exchanges/venue-adapter.js'
import { lockDataset } from '../run/lock-dataset.js'
import { type IngestDeps, runInLedger } from '../run/run.js'
import type { DatasetCounts } from '../run/write-dataset.js'
import type { VenueHarvest } from './ask-venue.js'
import { rollAsset, writeHarvests } from './load-bars.js'
import { resumeAt } from './resume-at.js'
import { stablecoinsFirst } from './usd-rates.js'
import { openVenueRun, type VenueRun, type VenueSummary } from './venue-run.js'

export interface VenueDeps extends IngestDeps {
  readonly http: HttpClient
}

export interface VenueAsset extends TradedAsset {
  readonly assetId: number
  readonly slug: string
  readonly tier: AssetTier
  /** False: exchanges do not agree about its price yet, so its bars give no candles. Undefined: true. */
  readonly isConfirmed?: boolean
}

export interface VenueOptions {
  readonly assets: readonly VenueAsset[]
  /**
   * Requests bars that start in [from, to). If null, from shortly before the end of each venue's stored bars, or
   * from a day ago.
   */
  readonly from: Date | null
  readonly to: Date
  readonly adapters: readonly VenueAdapter[]
}

export interface CandleRunSummary {
  readonly venues: readonly VenueSummary[]
  readonly candles: DatasetCounts
  readonly durationMs: number
}

/**
 * Requests one-minute bars from venues and makes candles of them. Venues are requested in parallel, each with one
 * request at a time. One transaction per asset writes its bars, the candles of the windows that they touch, and the
 * dataset's version if anything changed. A venue that does not answer gets no more requests in this run. The
 * consensus of the others goes on without it and without a venue whose answers cannot be read. The ledger has a row
 * for each venue with its rejections. If the database fails, the assets written before stay. Throws IngestError for
 * a span that is empty or begins before the bars that are kept.
 */
export async function runVenues(deps: VenueDeps, options: VenueOptions): Promise<CandleRunSummary> {
  const now = deps.clock.now()
  assertSpan(options, now)
  const { adapters } = options
  const targets = adapters.map(({ venue, provider }) => ({
    feed: { id: `candles-${venue}`, provider, dataset: 'candles' } as const,
    origin: provider.url,
  }))
  return runInLedger(deps, targets, async (opened) => {
    const began = performance.now()
    const runs = opened.flatMap((run, at) => openVenueRun(deps.http, run, adapters[at]))
    const candles = await loadAll(deps, options, runs, now)
    const venues = await Promise.all(runs.map((run) => run.close(deps.database, options.assets.length)))
    const durationMs = Math.round(performance.now() - began)
    deps.log.info({ candles, venues: venues.map(({ rejections: _, ...venue }) => venue) }, 'candles ingested')
    return { venues, candles, durationMs }
  })
}

async function loadAll(
  deps: VenueDeps,
  options: VenueOptions,
  runs: readonly VenueRun[],
  now: Date,
): Promise<DatasetCounts> {
  const total = { added: 0, revised: 0, unchanged: 0, alsoChanged: 0, removedSeed: 0 }
  for (const asset of stablecoinsFirst(options.assets)) {
    if (runs.every((run) => run.isOut)) break
    const load = await askAll(deps, asset, options, runs, now)
    const { candles, bars } = await deps.database.transaction((tx) => writeAsset(tx, asset, load, deps.clock))
    for (const run of runs) run.wrote(bars.get(run.venue))
    total.added += candles.added
    total.revised += candles.revised
    total.unchanged += candles.unchanged
    total.removedSeed += candles.removedSeed
  }
  return total
}

/** The answers of the venues about an asset, and the requested span [from, to). */
interface AssetLoad {
  readonly harvests: readonly VenueHarvest[]
  readonly from: Date
  readonly to: Date
}

async function writeAsset(
  tx: Transaction,
  asset: VenueAsset,
  { harvests, from, to }: AssetLoad,
  clock: Clock,
) {
  await lockDataset(tx, 'candles')
  // Read under the lock, because the lanes write other assets meanwhile.
  const now = clock.now()
  const bars = await writeHarvests(tx, asset.assetId, harvests, now)
  // A command is run once: no later run completes what is missing.
  const isComplete = () => true
  const { candles } = await rollAsset(tx, asset, { bars, from, to, now, isComplete, ratesKnownAt: null })
  return { candles, bars }
}

async function askAll(
  deps: VenueDeps,
  asset: VenueAsset,
  options: VenueOptions,
  runs: readonly VenueRun[],
  now: Date,
): Promise<AssetLoad> {
  const venues = runs.map(({ venue }) => venue)
  const newest = await loadNewestBars(deps.database, asset.assetId, venues)
  const spans = runs.map(({ venue }) => options.from ?? resumeAt(newest.get(venue), now))
  const harvests = await Promise.all(
    runs.map((run, at) => run.ask({ ...asset, from: spans[at] ?? now, to: options.to, now })),
  )
  const from = new Date(Math.min(...spans.map((span) => span.getTime()), options.to.getTime()))
  return { harvests: harvests.filter((harvest) => harvest !== null), from, to: options.to }
}

function assertSpan({ from, to }: VenueOptions, now: Date): void {
  const keptFrom = barsKeptFrom(now)
  if (from !== null && from < keptFrom) {
    throw new IngestError(
      `bars are kept from ${keptFrom.toISOString()} on; use candles backfill for older days`,
    )
  }
  if (from !== null && from >= to) throw new IngestError('the span from --from to --to is empty')
}
