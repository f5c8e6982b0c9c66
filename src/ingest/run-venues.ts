import { sha256Hex } from '../core/canonical-json.js'
import type { AssetTier } from '../core/consensus.js'
import { readNewestBars } from '../domains/market/bar-store.js'
import type { Venue } from '../domains/market/model.js'
import type { HttpClient } from '../platform/http-client/http-client.js'
import { type AskVenue, createAskVenue, type VenueHarvest } from './ask-venue.js'
import { barsKeptFrom, FIRST_REACH_MS, OVERLAP_MS, VENUE_PAUSE_MS } from './candles-policy.js'
import { IngestError } from './feed.js'
import { MAX_REJECTIONS_KEPT, type Rejection } from './ledger.js'
import { type AssetLoad, createAssetLoader } from './load-bars.js'
import type { VenueAdapter } from './providers/exchanges/venue-adapter.js'
import { type IngestDeps, type OpenRun, runInLedger } from './run.js'
import { stablecoinsFirst } from './usd-rates.js'
import type { DatasetCounts } from './write-dataset.js'

export interface VenueDeps extends IngestDeps {
  readonly http: HttpClient
  /** Least milliseconds between two requests to a venue; its own limit when left out. */
  readonly pauseMs?: (venue: Venue) => number
}

export interface VenueAsset {
  readonly assetId: number
  readonly slug: string
  readonly ticker: string
  readonly tier: AssetTier
}

export interface VenueOptions {
  readonly assets: readonly VenueAsset[]
  /** Bars that start in [from, to). Null: where each venue's bars end, a little earlier; a day back at first. */
  readonly from: Date | null
  readonly to: Date
  readonly adapters: readonly VenueAdapter[]
}

export interface VenueSummary {
  readonly venue: Venue
  readonly runId: string
  /** Failed: not one of its answers could be read. */
  readonly status: 'succeeded' | 'failed'
  readonly requests: number
  /** Assets that the venue does not list. */
  readonly notListed: number
  readonly added: number
  readonly revised: number
  readonly unchanged: number
  readonly rejected: number
  /** The first of them. */
  readonly rejections: readonly Rejection[]
  /** How long the venue wants no request, as far as it said so; null: it did not. */
  readonly retryAfterMs: number | null
}

export interface CandleRunSummary {
  readonly venues: readonly VenueSummary[]
  readonly candles: DatasetCounts
  readonly durationMs: number
}

/**
 * Asks venues for one-minute bars and makes candles of them. Venues are asked side by side, each one request at a
 * time; each asset is written in one transaction: bars, the candles of the windows they touch, the dataset's version
 * if anything changed. A venue that is out or sends rubbish is missing from the consensus and hinders no other; the
 * ledger has a row for each venue with what was rejected and why. Assets written before a failure of the database
 * stay. Throws IngestError for a span that is empty or begins before the bars that are kept.
 */
export async function runVenues(deps: VenueDeps, options: VenueOptions): Promise<CandleRunSummary> {
  const now = deps.clock.now()
  refuseSpan(options, now)
  const { adapters } = options
  const targets = adapters.map(({ venue, provider }) => ({
    feed: { id: `candles-${venue}`, provider, dataset: 'candles' } as const,
    origin: provider.url,
  }))
  return runInLedger(deps, targets, async (opened) => {
    const began = performance.now()
    const runs = opened.flatMap((run, at) => venueRun(deps, run, adapters[at]))
    const candles = await loadAll(deps, options, runs, now)
    const venues = await Promise.all(runs.map((run) => closeRun(deps, run)))
    const durationMs = Math.round(performance.now() - began)
    deps.log.info({ candles, venues: venues.map(({ rejections: _, ...venue }) => venue) }, 'candles ingested')
    return { venues, candles, durationMs }
  })
}

interface VenueRun {
  readonly adapter: VenueAdapter
  readonly run: OpenRun
  readonly ask: AskVenue
  readonly harvests: Omit<VenueHarvest, 'bars'>[]
  readonly counts: { added: number; revised: number; unchanged: number }
}

function venueRun(
  { http, pauseMs }: VenueDeps,
  run: OpenRun,
  adapter: VenueAdapter | undefined,
): readonly VenueRun[] {
  if (adapter === undefined) return []
  const ask = createAskVenue(http, adapter, (pauseMs ?? ((of) => VENUE_PAUSE_MS[of]))(adapter.venue))
  return [{ adapter, run, ask, harvests: [], counts: { added: 0, revised: 0, unchanged: 0 } }]
}

async function loadAll(
  deps: VenueDeps,
  options: VenueOptions,
  runs: readonly VenueRun[],
  now: Date,
): Promise<DatasetCounts> {
  const load = createAssetLoader(deps.database, now)
  const total = { added: 0, revised: 0, unchanged: 0, removedSeed: 0 }
  for (const asset of stablecoinsFirst(options.assets)) {
    const { candles, bars } = await load(asset, await askAll(deps, asset, options, runs, now))
    for (const run of runs) add(run.counts, bars.get(run.adapter.venue))
    total.added += candles.added
    total.revised += candles.revised
    total.unchanged += candles.unchanged
    total.removedSeed += candles.removedSeed
  }
  return total
}

function add(counts: VenueRun['counts'], more: Readonly<VenueRun['counts']> | undefined): void {
  if (more === undefined) return
  counts.added += more.added
  counts.revised += more.revised
  counts.unchanged += more.unchanged
}

async function askAll(
  deps: VenueDeps,
  asset: VenueAsset,
  options: VenueOptions,
  runs: readonly VenueRun[],
  now: Date,
): Promise<AssetLoad> {
  const venues = runs.map(({ adapter }) => adapter.venue)
  const newest = await readNewestBars(deps.database, asset.assetId, venues)
  const spans = runs.map(({ adapter }) => options.from ?? resumeAt(newest.get(adapter.venue), now))
  const harvests = await Promise.all(
    runs.map(async (run, at) => {
      const from = spans[at] ?? now
      const harvest = await run.ask({ ...asset, from, to: options.to, now })
      const { bars: _, ...summary } = harvest
      run.harvests.push(summary)
      return harvest
    }),
  )
  const from = new Date(Math.min(...spans.map((span) => span.getTime()), options.to.getTime()))
  return { harvests, from, to: options.to }
}

function resumeAt(newest: Date | undefined, now: Date): Date {
  if (newest === undefined)
    return new Date(Math.floor((now.getTime() - FIRST_REACH_MS) / 3_600_000) * 3_600_000)
  return new Date(Math.max(newest.getTime() - OVERLAP_MS, barsKeptFrom(now).getTime()))
}

async function closeRun({ database }: VenueDeps, venue: VenueRun): Promise<VenueSummary> {
  const { adapter, harvests, counts, run } = venue
  const requests = sum(harvests.map((harvest) => harvest.requests))
  const rejected = harvests.flatMap((harvest) => harvest.rejections)
  const bodies = harvests.flatMap((harvest) => harvest.bodies)
  run.received({
    sha256: sha256Hex(new TextEncoder().encode(bodies.map(({ sha256 }) => sha256).join(''))),
    bytes: sum(bodies.map(({ bytes }) => bytes)),
  })
  const rejections = rejected.slice(0, MAX_REJECTIONS_KEPT)
  const outcome = { ...counts, rejected: rejected.length, rejections }
  const isFailed = requests > 0 && harvests.every((harvest) => harvest.answers === 0)
  if (isFailed) await run.fail(new IngestError(rejected[0]?.reason ?? 'no answer'))
  else await run.succeed(database, outcome)
  const notListed = harvests.filter((harvest) => !harvest.isListed).length
  const status = isFailed ? 'failed' : 'succeeded'
  const pauses = harvests.flatMap(({ retryAfterMs }) => (retryAfterMs === null ? [] : [retryAfterMs]))
  const retryAfterMs = pauses.length === 0 ? null : Math.max(...pauses)
  return { venue: adapter.venue, runId: run.runId, status, requests, notListed, retryAfterMs, ...outcome }
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}

function refuseSpan({ from, to }: VenueOptions, now: Date): void {
  const keptFrom = barsKeptFrom(now)
  if (from !== null && from < keptFrom) {
    throw new IngestError(`bars are kept from ${keptFrom.toISOString()} on; older days are backfilled`)
  }
  if (from !== null && from >= to) throw new IngestError('the span from --from to --to is empty')
}
