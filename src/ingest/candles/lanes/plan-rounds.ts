import type { Venue } from '../../../core/consensus/venue-symbols.js'
import { isStablecoin } from '../usd-rates.js'
import { intervalOf, type LaneAsset, type LanePair, overdueOf } from './lane-asset.js'
import type { LaneIntervals } from './lane-policy.js'

/** A pair that is nearly due is asked with one that is due, so that the venues of an asset answer together. */
const NEARLY_DUE = 0.75

/** The requests for one asset that begin together. Without a venue, only candles are computed. */
export interface PlannedRound {
  readonly of: LaneAsset
  readonly venues: readonly Venue[]
}

export interface RoundsPlan {
  readonly rounds: readonly PlannedRound[]
  /** When the next asset is due, if no lane changes meanwhile; null without one. */
  readonly nextAtMs: number | null
}

export interface RoundsInput {
  readonly assets: Iterable<LaneAsset>
  readonly intervals: LaneIntervals
  readonly nowMs: number
  /** Whether work on the asset may begin. */
  readonly mayBegin: (asset: LaneAsset) => boolean
  /** Free places in the queues of the lanes; 0 while the venue rests. */
  readonly room: ReadonlyMap<Venue, number>
  /** The number of rounds that may begin. */
  readonly most: number
}

interface Candidate {
  readonly of: LaneAsset
  readonly overdue: number
}

/**
 * Chooses the assets to ask for: the most overdue in proportion to its interval first, of equal ones stablecoins, which convert
 * the prices of others, then the better tier. A venue whose lane is full or rests is left out, and its pair stays due.
 */
export function planRounds(input: RoundsInput): RoundsPlan {
  const candidates: Candidate[] = []
  let nextAtMs: number | null = null
  for (const of of input.assets) {
    if (of.isBusy || !input.mayBegin(of)) continue
    const { overdue, atMs } = dueOf(of, input)
    if (overdue >= 1) candidates.push({ of, overdue })
    else if (atMs !== null && (nextAtMs === null || atMs < nextAtMs)) nextAtMs = atMs
  }
  candidates.sort(byUrgency)
  const taken = new Map<Venue, number>()
  const rounds: PlannedRound[] = []
  for (const { of } of candidates) {
    if (rounds.length >= input.most) break
    const hasRoom = (venue: Venue) => (input.room.get(venue) ?? 0) > (taken.get(venue) ?? 0)
    const due = duePairs(of, input).filter(([venue]) => hasRoom(venue))
    const isAnyDue = due.some(([, pair]) => overdueOf(pair, of.asset, input.intervals, input.nowMs) >= 1)
    if (!isAnyDue && !mustRoll(of, input.nowMs)) continue
    const venues = isAnyDue ? due.map(([venue]) => venue) : []
    for (const venue of venues) taken.set(venue, (taken.get(venue) ?? 0) + 1)
    rounds.push({ of, venues })
  }
  return { rounds, nextAtMs }
}

function mustRoll({ rollAtMs, notBeforeMs }: LaneAsset, nowMs: number): boolean {
  return rollAtMs !== null && rollAtMs <= nowMs && notBeforeMs <= nowMs
}

/** How overdue the asset is at the venues that can be asked now, or else when the first one is due. */
function dueOf(
  of: LaneAsset,
  { intervals, nowMs, room }: RoundsInput,
): { overdue: number; atMs: number | null } {
  if (of.notBeforeMs > nowMs) return { overdue: 0, atMs: of.notBeforeMs }
  let overdue = mustRoll(of, nowMs) ? 1 : 0
  let atMs = of.rollAtMs
  for (const [venue, pair] of of.pairs) {
    if (pair.isInFlight || (room.get(venue) ?? 0) === 0) continue
    const dueAtMs = Math.max((pair.askedAtMs ?? 0) + intervalOf(pair, of.asset, intervals), pair.notBeforeMs)
    if (dueAtMs <= nowMs) overdue = Math.max(overdue, overdueOf(pair, of.asset, intervals, nowMs))
    else atMs = Math.min(atMs ?? dueAtMs, dueAtMs)
  }
  return { overdue, atMs }
}

function duePairs(of: LaneAsset, { intervals, nowMs }: RoundsInput): readonly (readonly [Venue, LanePair])[] {
  return [...of.pairs].filter(
    ([, pair]) =>
      !pair.isInFlight &&
      pair.notBeforeMs <= nowMs &&
      overdueOf(pair, of.asset, intervals, nowMs) >= (pair.isListed ? NEARLY_DUE : 1),
  )
}

function byUrgency(a: Candidate, b: Candidate): number {
  if (a.overdue !== b.overdue) return b.overdue - a.overdue
  const [one, other] = [a.of.asset, b.of.asset]
  const first = Number(isStablecoin(other)) - Number(isStablecoin(one))
  return first !== 0 ? first : one.tier - other.tier || one.assetId - other.assetId
}
