import { sha256Hex } from '../core/canonical-json.js'
import type { AssetTier } from '../core/consensus.js'
import type { Clock } from '../core/time.js'
import { readNewestBars } from '../domains/market/bar-store.js'
import type { Venue } from '../domains/market/model.js'
import type { Database } from '../platform/database/database.js'
import type { HttpClient } from '../platform/http-client/http-client.js'
import type { Logger } from '../platform/logger.js'
import { type AskVenue, createAskVenue, type VenueHarvest } from './ask-venue.js'
import { barsKeptFrom, FIRST_REACH_MS, OVERLAP_MS, VENUE_PAUSE_MS } from './candles-policy.js'
import type { CandleCounts } from './commit-candles.js'
import { IngestError } from './feed.js'
import {
  errorText,
  failRun,
  holdRuns,
  MAX_REJECTIONS_KEPT,
  newRunId,
  type Rejection,
  startRun,
  succeedRun,
} from './ledger.js'
import { type AssetLoad, createAssetLoader } from './load-bars.js'
import type { VenueAdapter } from './providers/exchanges/venue-adapter.js'
import { stablecoinsFirst } from './usd-rates.js'

export interface VenueDeps {
  readonly database: Database
  readonly clock: Clock
  readonly http: HttpClient
  readonly log: Pick<Logger, 'info' | 'error'>
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
}

export interface CandleRunSummary {
  readonly venues: readonly VenueSummary[]
  readonly candles: CandleCounts
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
  const started = options.adapters.map((adapter) => ({ adapter, runId: newRunId() }))
  const runIds = started.map(({ runId }) => runId)
  return holdRuns(deps.database, runIds, () => runHeld(deps, options, started, now))
}

async function runHeld(
  deps: VenueDeps,
  options: VenueOptions,
  started: readonly Pick<VenueRun, 'adapter' | 'runId'>[],
  now: Date,
): Promise<CandleRunSummary> {
  const began = performance.now()
  const runs = await Promise.all(started.map((run) => openRun(deps, run, now)))
  try {
    const candles = await loadAll(deps, options, runs, now)
    const venues = await Promise.all(runs.map((run) => closeRun(deps, run)))
    const durationMs = Math.round(performance.now() - began)
    deps.log.info({ candles, venues: venues.map(({ rejections: _, ...venue }) => venue) }, 'candles ingested')
    return { venues, candles, durationMs }
  } catch (error) {
    deps.log.error({ reason: errorText(error) }, 'candles could not be ingested')
    const end = { finishedAt: deps.clock.now(), body: null, error }
    await Promise.all(runs.map((run) => failRun(deps.database, run.runId, end))).catch((later) =>
      deps.log.error({ reason: errorText(later) }, 'the failed run could not be noted'),
    )
    throw error
  }
}

interface VenueRun {
  readonly adapter: VenueAdapter
  readonly runId: string
  readonly ask: AskVenue
  readonly harvests: Omit<VenueHarvest, 'bars'>[]
  readonly counts: { added: number; revised: number; unchanged: number }
}

async function openRun(
  deps: VenueDeps,
  { adapter, runId }: Pick<VenueRun, 'adapter' | 'runId'>,
  startedAt: Date,
): Promise<VenueRun> {
  const { venue, provider } = adapter
  const pauseMs = (deps.pauseMs ?? ((of) => VENUE_PAUSE_MS[of]))(venue)
  const feed = { id: `candles-${venue}`, provider, dataset: 'candles' } as const
  await startRun(deps.database, feed, { runId, startedAt, origin: provider.url })
  return {
    adapter,
    runId,
    ask: createAskVenue(deps.http, adapter, pauseMs),
    harvests: [],
    counts: { added: 0, revised: 0, unchanged: 0 },
  }
}

async function loadAll(
  deps: VenueDeps,
  options: VenueOptions,
  runs: readonly VenueRun[],
  now: Date,
): Promise<CandleCounts> {
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

async function closeRun(deps: VenueDeps, run: VenueRun): Promise<VenueSummary> {
  const { harvests, counts, runId } = run
  const requests = sum(harvests.map((harvest) => harvest.requests))
  const rejected = harvests.flatMap((harvest) => harvest.rejections)
  const bodies = harvests.flatMap((harvest) => harvest.bodies)
  const body = {
    sha256: sha256Hex(new TextEncoder().encode(bodies.map(({ sha256 }) => sha256).join(''))),
    bytes: sum(bodies.map(({ bytes }) => bytes)),
  }
  const rejections = rejected.slice(0, MAX_REJECTIONS_KEPT)
  const outcome = { ...counts, rejected: rejected.length, rejections }
  const isFailed = requests > 0 && harvests.every((harvest) => harvest.answers === 0)
  const finishedAt = deps.clock.now()
  if (isFailed) {
    const error = new IngestError(rejected[0]?.reason ?? 'no answer')
    await failRun(deps.database, runId, { finishedAt, body, error })
  } else {
    await succeedRun(deps.database, runId, { finishedAt, body, counts: outcome })
  }
  const notListed = harvests.filter((harvest) => !harvest.isListed).length
  return {
    venue: run.adapter.venue,
    runId,
    status: isFailed ? 'failed' : 'succeeded',
    requests,
    notListed,
    ...outcome,
  }
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}

function refuseSpan({ from, to }: VenueOptions, now: Date): void {
  const keptFrom = barsKeptFrom(now)
  if (from !== null && from < keptFrom) {
    throw new IngestError(`bars are kept from ${keptFrom.toISOString()} on; history comes from candles-daily`)
  }
  if (from !== null && from >= to) throw new IngestError('the span from --from to --to is empty')
}
