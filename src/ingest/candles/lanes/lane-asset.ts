import type { Venue } from '../../../core/consensus/venue-symbols.js'
import { pairOfAsset } from '../../../core/consensus/venue-symbols.js'
import type { VenueAdapter } from '../../providers/exchanges/venue-adapter.js'
import { backOffMs } from '../../schedule/back-off.js'
import type { Coverage } from '../coverage-store.js'
import { isStablecoin } from '../usd-rates.js'
import type { VenueAsset } from '../venue-assets.js'
import { intervalMs, type LaneIntervals, NOT_LISTED_MS, WINDOW_WAIT_MS } from './lane-policy.js'

/** What a lane knows about the pair of an asset. */
export interface LanePair {
  readonly adapter: VenueAdapter
  isListed: boolean
  /** Null before the first complete answer. */
  coveredTo: Date | null
  /** When the last answered request began; null if there was none. */
  askedAtMs: number | null
  /** Not asked before, because the last answers could not be read. */
  notBeforeMs: number
  failures: number
  isInFlight: boolean
}

/** An asset of this node, with its pairs. */
export interface LaneAsset {
  /** As the database had it at the last look. */
  asset: VenueAsset
  pairs: ReadonlyMap<Venue, LanePair>
  /** When this process began to work on it. */
  readonly sinceMs: number
  /** When finished windows without a candle stop to wait for bars; null if none waits. */
  rollAtMs: number | null
  /** When the rates of stablecoins were last compared with its candles; null before. */
  ratesKnownAt: Date | null
  /** Not touched before, because the last write failed. */
  notBeforeMs: number
  failures: number
  /** Requests or writes are in progress. */
  isBusy: boolean
}

/** An asset that this process begins to work on, with its stored coverage. */
export function toLaneAsset(
  asset: VenueAsset,
  adapters: readonly VenueAdapter[],
  coverage: readonly Coverage[],
  nowMs: number,
): LaneAsset {
  return {
    asset,
    pairs: pairsOf(asset, adapters, (adapter) => toLanePair(adapter, coverage)),
    sinceMs: nowMs,
    // The process before may have left windows that wait.
    rollAtMs: nowMs + WINDOW_WAIT_MS,
    ratesKnownAt: null,
    notBeforeMs: 0,
    failures: 0,
    isBusy: false,
  }
}

/** Takes over a change of the asset's tier or symbols. */
export function refreshLaneAsset(of: LaneAsset, asset: VenueAsset, adapters: readonly VenueAdapter[]): void {
  of.asset = asset
  of.pairs = pairsOf(asset, adapters, (adapter) => of.pairs.get(adapter.venue) ?? toLanePair(adapter, []))
}

/** The pairs of an asset that venues can have. */
function pairsOf(
  asset: VenueAsset,
  adapters: readonly VenueAdapter[],
  pairAt: (adapter: VenueAdapter) => LanePair,
): ReadonlyMap<Venue, LanePair> {
  const traded = adapters.filter(({ venue }) => pairOfAsset(venue, asset) !== null)
  return new Map(traded.map((adapter) => [adapter.venue, pairAt(adapter)]))
}

function toLanePair(adapter: VenueAdapter, coverage: readonly Coverage[]): LanePair {
  const stored = coverage.find(({ venue }) => venue === adapter.venue)
  return {
    adapter,
    isListed: stored?.isListed ?? true,
    coveredTo: stored?.coveredTo ?? null,
    askedAtMs: stored?.askedAt.getTime() ?? null,
    notBeforeMs: 0,
    failures: 0,
    isInFlight: false,
  }
}

/** The wanted time between two requests for the pair; that of tier 1 for a stablecoin, which converts the others. */
export function intervalOf(
  { adapter, isListed, coveredTo, askedAtMs }: LanePair,
  asset: VenueAsset,
  intervals: LaneIntervals,
): number {
  // A venue in maintenance may deny a pair for a while.
  const unlistedMs = (askedAtMs ?? 0) - (coveredTo?.getTime() ?? 0)
  if (!isListed && unlistedMs >= NOT_LISTED_MS) return NOT_LISTED_MS
  return intervalMs(intervals, isStablecoin(asset) ? 1 : asset.tier, adapter.reachMs)
}

/** The time since the last request in intervals: due from 1 on; infinite if the pair was never asked for. */
export function overdueOf(
  pair: LanePair,
  asset: VenueAsset,
  intervals: LaneIntervals,
  nowMs: number,
): number {
  if (pair.askedAtMs === null) return Number.POSITIVE_INFINITY
  return (nowMs - pair.askedAtMs) / intervalOf(pair, asset, intervals)
}

/** Puts the pair or the asset off after a failure, longer after each one in a row. */
export function putOff(what: { notBeforeMs: number; failures: number }, nowMs: number, random: number): void {
  what.failures += 1
  what.notBeforeMs = nowMs + backOffMs(what.failures, null, random)
}
