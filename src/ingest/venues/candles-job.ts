import { toAssetTier } from '../../core/consensus/consensus.js'
import { MINUTE_MS } from '../../core/time.js'
import type { Venue } from '../../domains/market/model.js'
import { loadCryptoAssets } from '../datasets/analysis/facts/load-series.js'
import { CONSENSUS_VENUES } from '../datasets/market/candles-policy.js'
import { VENUE_ADAPTERS } from '../datasets/market/ingestion.js'
import { RetryLater } from '../feed.js'
import { addCounts } from '../run/add-counts.js'
import { type Job, type JobCounts, type JobOutcome, NO_ROWS } from '../schedule/job.js'
import { byCron } from '../schedule.js'
import { attachVenueSymbols } from './attach-venue-symbols.js'
import { dueAssets } from './due-assets.js'
import { type CandleRunSummary, runVenues } from './run-venues.js'
import { type BackoffState, VenueBackoff } from './venue-backoff.js'
import type { VenueSummary } from './venue-run.js'

const JITTER_MS = 5_000

export interface CandlesJobOptions {
  /** Least milliseconds between two requests to a venue; by default the venue's limit. */
  readonly pauseMs?: (venue: Venue) => number
  readonly random: () => number
  /** The job that creates the assets; it must have succeeded once. */
  readonly needs?: string
}

/**
 * Requests each minute the bars of the assets that are due. The process remembers the last request of each: a new
 * leader requests all of them, best tier first, from where their stored bars end.
 */
export function createCandlesJob({ pauseMs, random, needs }: CandlesJobOptions): Job {
  const askedAt = new Map<number, number>()
  const rests = new VenueBackoff(random)
  return {
    name: 'candles',
    dataset: 'candles',
    cadence: 'every minute for assets of tier 1, every 5 minutes for tier 2, every 15 minutes for tier 3',
    schedule: byCron('* * * * *', JITTER_MS),
    feeds: CONSENSUS_VENUES.map((venue) => `candles-${venue}`),
    ...(needs === undefined ? {} : { needs }),
    run: async (context) => {
      const now = context.clock.now()
      const all = (await loadCryptoAssets(context.database)).map((asset) => ({
        ...asset,
        tier: toAssetTier(asset.tier),
      }))
      if (all.length === 0) return unfinished('the database has no crypto assets yet')
      const assets = await attachVenueSymbols(context.database, dueAssets(all, askedAt, now))
      if (assets.length === 0) return { counts: NO_ROWS, note: 'no asset is due', unfinished: null }
      const resting = restingVenues(rests, now)
      const adapters = VENUE_ADAPTERS.filter(
        ({ venue }) => CONSENSUS_VENUES.includes(venue) && !resting.has(venue),
      )
      if (adapters.length === 0) throw allResting(resting, now)
      const to = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS)
      const deps = { ...context, ...(pauseMs === undefined ? {} : { pauseMs }) }
      const summary = await runVenues(deps, { assets, from: null, to, adapters })
      for (const run of summary.venues) {
        rests.note(run.venue, { ...run, isOut: isOut(run), cause: causeOf(run) }, context.clock.now())
      }
      assertAnyVenueAnswered(summary)
      for (const { assetId } of assets) askedAt.set(assetId, now.getTime())
      const isPartial = summary.venues.some(isOut)
      return { counts: countsOf(summary), note: noteOf(summary, resting), isPartial, unfinished: null }
    },
  }
}

function unfinished(reason: string): JobOutcome {
  return { counts: NO_ROWS, note: null, unfinished: reason }
}

function restingVenues(rests: VenueBackoff, now: Date): ReadonlyMap<Venue, BackoffState> {
  return new Map(
    CONSENSUS_VENUES.flatMap((venue) => {
      const rest = rests.stateOf(venue, now)
      return rest === null ? [] : [[venue, rest] as const]
    }),
  )
}

function allResting(resting: ReadonlyMap<Venue, BackoffState>, now: Date): RetryLater {
  const firstMs = Math.min(...[...resting.values()].map(({ until }) => until.getTime()))
  return new RetryLater(restText(resting), firstMs - now.getTime())
}

function restText(resting: ReadonlyMap<Venue, BackoffState>): string {
  const each = [...resting].map(
    ([venue, { until, firstCause }]) =>
      `${venue} until ${until.toISOString().slice(0, 19)}Z (first: ${firstCause})`,
  )
  return `left alone: ${each.join(', ')}`
}

/** The venue stopped answering during the run, or never gave a readable answer. */
function isOut({ status, out }: VenueSummary): boolean {
  return out !== null || status === 'failed'
}

/** If no venue is left, some assets were not requested: the run fails, and what it wrote stays. */
function assertAnyVenueAnswered({ venues }: CandleRunSummary): void {
  if (!venues.every(isOut)) return
  const pauses = venues.map(({ retryAfterMs }) => retryAfterMs ?? 0)
  throw new RetryLater(`no venue answered: ${venues.map(venueFailureText).join('; ')}`, Math.min(...pauses))
}

function venueFailureText(run: VenueSummary): string {
  return `${run.venue}: ${causeOf(run)}`
}

function causeOf({ out, rejections }: VenueSummary): string {
  return out ?? rejections[0]?.reason ?? 'no answer'
}

/** Counts of the bars, from which candles are made. */
function countsOf({ venues }: CandleRunSummary): JobCounts {
  return venues.reduce<JobCounts>((sum, run) => addCounts(sum, run), NO_ROWS)
}

function noteOf({ venues }: CandleRunSummary, resting: ReadonlyMap<Venue, BackoffState>): string | null {
  const failed = venues.filter(isOut).map(venueFailureText)
  const notes = [...failed, ...(resting.size === 0 ? [] : [restText(resting)])]
  return notes.length === 0 ? null : notes.join('; ')
}
