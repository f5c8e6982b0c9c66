import type { AssetTier } from '../../../core/consensus/consensus.js'
import { pairOfAsset, VENUES } from '../../../core/consensus/venue-symbols.js'
import { groupBy } from '../../../core/group-by.js'
import { HOUR_MS } from '../../../core/time.js'
import type { Database } from '../../../platform/database/database.js'
import { CONSENSUS_VENUES } from '../../datasets/market/candles-policy.js'
import { RetryLater } from '../../feed.js'
import { type Job, type JobOutcome, NO_ROWS } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { loadCoverage, loadNewestBarOfVenues } from '../coverage-store.js'
import { attachVenueSymbols, loadCryptoAssets, type VenueAsset } from '../venue-assets.js'
import { isSilent, MAX_LATE_SHARE } from './lane-policy.js'
import { type LaneReport, loadLaneReports } from './lane-report.js'

const JITTER_MS = 5_000

/** The allowed age of candles by tier (API contract). */
const ALLOWED_AGE_MS: Readonly<Record<AssetTier, number>> = { 1: HOUR_MS, 2: 6 * HOUR_MS, 3: 12 * HOUR_MS }

/**
 * Checks each minute that the lanes of the exchanges work. The lanes request the bars by themselves (`lanes.ts`); this job says
 * how far they are, to operators and to the jobs that follow candles. `needs`: the job that creates the assets; it must have
 * succeeded once.
 */
export function createCandlesJob(needs: string | null): Job {
  return {
    name: 'candles',
    dataset: 'candles',
    cadence:
      'each exchange at its own rate: tier 1 every minute, tier 2 every 5, tier 3 every 15, or as often as its limit allows; checked every minute',
    schedule: byCron('* * * * *', JITTER_MS),
    feeds: CONSENSUS_VENUES.map((venue) => `candles-${venue}`),
    ...(needs === null ? {} : { needs }),
    run: async ({ database, clock }) => checkLanes(database, clock.now()),
  }
}

async function checkLanes(database: Database, now: Date): Promise<JobOutcome> {
  const assets = await loadCryptoAssets(database)
  if (assets.length === 0) return unfinished('the database has no crypto assets yet')
  const lanes = await loadLaneReports(database, now)
  if (lanes.length === 0) return unfinished('no node requests bars yet')
  const resting = lanes.filter(({ restUntil }) => restUntil !== null)
  if (resting.length === lanes.length) throw allResting(resting, now)
  const traded = await loadTradedAges(database, assets, now)
  const late = traded.filter(({ isLate }) => isLate).length
  const lateText = `${late} of ${traded.length} assets are older than their refresh interval`
  if (late > traded.length * MAX_LATE_SHARE) return unfinished(lateText)
  const newest = await loadNewestBarOfVenues(database)
  const answering = lanes.filter(({ venue, restUntil }) => restUntil === null && newest.has(venue))
  const silent = answering.filter(({ venue }) => isSilent(newest.get(venue) ?? null, now))
  const silentText = `no new bars from ${silent.map(({ venue }) => venue).join(', ')}`
  if (silent.length > 0 && silent.length === answering.length) return unfinished(silentText)
  const notes = [
    ...(late > 0 ? [lateText] : []),
    ...(silent.length > 0 ? [silentText] : []),
    ...(resting.length > 0 ? [restText(resting)] : []),
  ]
  const note = notes.length === 0 ? null : notes.join('; ')
  return { counts: NO_ROWS, note, isPartial: note !== null, unfinished: null }
}

/** Whether each asset that an exchange lists is older than allowed. One that was never asked for is. */
async function loadTradedAges(
  database: Database,
  assets: readonly VenueAsset[],
  now: Date,
): Promise<readonly { readonly isLate: boolean }[]> {
  const traded = (await attachVenueSymbols(database, assets)).filter((asset) =>
    VENUES.some((venue) => CONSENSUS_VENUES.includes(venue) && pairOfAsset(venue, asset) !== null),
  )
  const ids = traded.map(({ assetId }) => assetId)
  const coverage = groupBy(await loadCoverage(database, ids), ({ assetId }) => String(assetId))
  return traded.flatMap(({ assetId, tier }) => {
    const own = coverage.get(String(assetId)) ?? []
    const listed = own.filter(({ isListed }) => isListed)
    if (own.length > 0 && listed.length === 0) return []
    const newestMs = Math.max(...listed.map(({ askedAt }) => askedAt.getTime()))
    return [{ isLate: now.getTime() - newestMs > ALLOWED_AGE_MS[tier] }]
  })
}

function unfinished(reason: string): JobOutcome {
  return { counts: NO_ROWS, note: null, unfinished: reason }
}

function allResting(resting: readonly LaneReport[], now: Date): RetryLater {
  const firstMs = Math.min(...resting.map(({ restUntil }) => restUntil?.getTime() ?? now.getTime()))
  return new RetryLater(`no exchange answers; ${restText(resting)}`, firstMs - now.getTime())
}

function restText(resting: readonly LaneReport[]): string {
  const each = resting.map(
    ({ venue, restUntil, restCause }) =>
      `${venue} until ${restUntil?.toISOString().slice(0, 19)}Z (first: ${restCause ?? 'unknown'})`,
  )
  return `left alone: ${each.join(', ')}`
}
