import { HOUR_MS } from '../../../core/time.js'
import type { ShardPermit } from '../../../platform/outbox/shard-leases.js'
import { endOfWindow, type Window } from '../../datasets/market/roll-up.js'
import type { VenueHarvest } from '../ask-venue.js'
import { type CommitDeps, commitAnswers } from '../commit-answers.js'
import { type Coverage, loadCoverage, writeCoverage } from '../coverage-store.js'
import { harvestEntries } from '../lane-ledger.js'
import { rollAsset, writeHarvests } from '../load-bars.js'
import { resumeAt } from '../resume-at.js'
import { isStablecoin } from '../usd-rates.js'
import type { LaneAsset } from './lane-asset.js'
import { WINDOW_WAIT_MS } from './lane-policy.js'

/** Bars of stablecoins that come this late still revise the candles that they convert. */
const LATE_RATES_MS = 6 * HOUR_MS

export interface WriteRoundDeps extends CommitDeps {
  /** The assets whose own prices convert others. */
  readonly stablecoinIds: readonly number[]
  /** Whether windows wait for the venue; false while it rests. */
  readonly isAwaited: (venue: string) => boolean
}

/** The answers about one asset that are written together. */
export interface AnsweredRound {
  readonly of: LaneAsset
  readonly permit: ShardPermit
  readonly harvests: readonly VenueHarvest[]
  /** The coverage that the answers give. */
  readonly coverage: readonly Coverage[]
}

export interface WrittenRound {
  /** When windows that wait for bars wait no longer; null if none waits. */
  readonly rollAt: Date | null
  /** The instant from which later bars of stablecoins outdate the candles. */
  readonly ratesKnownAt: Date
}

/**
 * Writes bars, coverage, candles, the dataset's version and the ledger of one asset in one transaction, which holds the lease
 * on its shard. Throws ShardLost if another node has it.
 */
export async function writeRound(deps: WriteRoundDeps, round: AnsweredRound): Promise<WrittenRound> {
  const { of, permit, harvests, coverage } = round
  const { rollAt, ratesKnownAt } = await commitAnswers(deps, permit, async (tx, now) => {
    await writeCoverage(tx, coverage)
    const bars = await writeHarvests(tx, of.asset.assetId, harvests, now)
    const converting = isStablecoin(of.asset) ? [] : deps.stablecoinIds
    const known = await loadCoverage(tx, [of.asset.assetId, ...converting])
    const isComplete = completeness(deps, of, known, now)
    const from = new Date(Math.min(...startsOf(of, known, now)))
    const roll = { bars, from, to: now, now, isComplete, ratesKnownAt: of.ratesKnownAt }
    const { waiting } = await rollAsset(tx, of.asset, roll)
    return { entries: harvestEntries(harvests, bars), rollAt: firstDeadline(waiting), ratesKnownAt: now }
  })
  return { rollAt, ratesKnownAt }
}

/** Where the windows begin whose candle may be missing or outdated: before the end of what the least covered venue has. */
function startsOf({ asset, pairs }: LaneAsset, known: readonly Coverage[], now: Date): readonly number[] {
  const own = known.filter(({ assetId, isListed }) => assetId === asset.assetId && isListed)
  const traded = new Set<string>(pairs.keys())
  const ends = own.filter(({ venue }) => traded.has(venue))
  const starts = ends.map(({ coveredTo }) => resumeAt(coveredTo, now).getTime())
  return [now.getTime() - LATE_RATES_MS, ...starts]
}

/** Whether every awaited venue has answered up to the end of a window, for the asset and for the coins that convert it. */
function completeness(
  { isAwaited }: WriteRoundDeps,
  { asset, pairs }: LaneAsset,
  known: readonly Coverage[],
  now: Date,
): (window: Window) => boolean {
  const unknown = [...pairs.keys()].filter(
    (venue) => !known.some((row) => row.assetId === asset.assetId && row.venue === venue),
  )
  const traded = new Set<string>(pairs.keys())
  const counts = ({ assetId, venue }: Coverage) => assetId !== asset.assetId || traded.has(venue)
  const ends = known
    .filter((row) => row.isListed && isAwaited(row.venue) && counts(row))
    .map(({ coveredTo }) => coveredTo?.getTime() ?? 0)
  const isKnown = !unknown.some(isAwaited)
  const coveredToMs = isKnown ? Math.min(now.getTime(), ...ends) : 0
  return (window) => {
    const endMs = endOfWindow(window).getTime()
    return endMs <= coveredToMs || endMs + WINDOW_WAIT_MS <= now.getTime()
  }
}

function firstDeadline(waiting: readonly Window[]): Date | null {
  if (waiting.length === 0) return null
  const ends = waiting.map((window) => endOfWindow(window).getTime())
  return new Date(Math.min(...ends) + WINDOW_WAIT_MS)
}
