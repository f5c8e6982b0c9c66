import type { Venue } from '../../../core/consensus/venue-symbols.js'
import { type Clock, MINUTE_MS } from '../../../core/time.js'
import type { ShardPermit } from '../../../platform/outbox/shard-leases.js'
import type { MonotonicTimers } from '../../../platform/timers.js'
import type { VenueHarvest } from '../ask-venue.js'
import type { Coverage } from '../coverage-store.js'
import { resumeAt } from '../resume-at.js'
import type { LaneAnswer, VenueLane } from '../venue-lane.js'
import { type LaneAsset, type LanePair, putOff } from './lane-asset.js'
import type { PlannedRound } from './plan-rounds.js'
import type { AnsweredRound, WrittenRound } from './write-round.js'

/** Answers that come later are written by themselves. Longer than a full queue of Kraken and one time-out. */
const ROUND_MS = MINUTE_MS

export interface RunRoundDeps {
  readonly clock: Clock
  readonly timers: MonotonicTimers
  readonly random: () => number
  readonly lanes: ReadonlyMap<Venue, VenueLane>
  /** Writes one round at a time. */
  readonly write: (round: AnsweredRound) => Promise<WrittenRound>
}

/**
 * Asks the venues of a round and writes their answers together as soon as all have answered or the deadline has passed.
 * `onWritten` is called then; the result resolves when the late ones are written too. Rejects if the database fails; the
 * answers are asked for again.
 */
export async function runRound(
  deps: RunRoundDeps,
  { of, venues }: PlannedRound,
  permit: ShardPermit,
  onWritten: () => void,
): Promise<void> {
  const { timers, clock } = deps
  const askedAt = clock.now()
  const inTime: PairAnswer[] = []
  const deadline = new AbortController()
  let isLate = false
  const store = (answers: readonly PairAnswer[]) => storeAnswers(deps, of, permit, { askedAt, answers })
  const asks = Promise.all(
    venues.map(async (venue) => {
      const answer = await askPair(deps, of, venue, permit)
      if (answer === null) return
      if (isLate) await store([answer])
      else inTime.push(answer)
    }),
  )
  asks.catch(() => {
    // Thrown below, also if the answers in time could not be written.
  })
  await Promise.race([asks, timers.sleep(ROUND_MS, deadline.signal)])
  deadline.abort()
  isLate = true
  await store(inTime)
  onWritten()
  await asks
}

interface PairAnswer extends LaneAnswer {
  readonly pair: LanePair
}

async function askPair(
  { clock, lanes }: RunRoundDeps,
  { asset, pairs }: LaneAsset,
  venue: Venue,
  permit: ShardPermit,
): Promise<PairAnswer | null> {
  const pair = pairs.get(venue)
  const lane = lanes.get(venue)
  if (pair === undefined || lane === undefined) return null
  pair.isInFlight = true
  try {
    const from = resumeAt(pair.coveredTo, clock.now())
    const answer = await lane.ask({ ...asset, from }, permit)
    return answer && { pair, to: answer.to, harvest: withLostMinutes(answer, pair, asset.slug) }
  } finally {
    pair.isInFlight = false
  }
}

/** Names the minutes that the venue no longer serves, because it was not asked in time. */
function withLostMinutes(
  { harvest, to }: LaneAnswer,
  { adapter, coveredTo }: LanePair,
  slug: string,
): VenueHarvest {
  const { reachMs } = adapter
  if (reachMs === undefined || coveredTo === null || harvest.answers === 0) return harvest
  const servedFrom = new Date(to.getTime() - reachMs)
  if (coveredTo >= servedFrom) return harvest
  const reason = `the minutes from ${coveredTo.toISOString()} to ${servedFrom.toISOString()} are no longer served`
  return { ...harvest, rejections: [...harvest.rejections, { position: slug, reason }] }
}

interface RoundAnswers {
  readonly askedAt: Date
  readonly answers: readonly PairAnswer[]
}

async function storeAnswers(
  { clock, random, write }: RunRoundDeps,
  of: LaneAsset,
  permit: ShardPermit,
  { askedAt, answers }: RoundAnswers,
): Promise<void> {
  const harvests = answers.map(({ harvest }) => harvest)
  const coverage = answers.flatMap((answer) => toCoverage(of, answer, askedAt))
  const { rollAt, ratesKnownAt } = await write({ of, permit, harvests, coverage })
  of.rollAtMs = rollAt?.getTime() ?? null
  of.ratesKnownAt = ratesKnownAt
  of.failures = 0
  for (const { pair, harvest } of answers) {
    const row = coverage.find(({ venue }) => venue === pair.adapter.venue)
    if (row !== undefined) noteCoverage(pair, row)
    else if (!harvest.isOut) putOff(pair, clock.now().getTime(), random())
  }
}

/** None if the venue did not answer in full. */
function toCoverage(
  { asset }: LaneAsset,
  { pair, harvest, to }: PairAnswer,
  askedAt: Date,
): readonly Coverage[] {
  const { isListed, isWhole } = harvest
  if (!isWhole) return []
  const coveredTo = isListed ? to : pair.coveredTo
  return [{ assetId: asset.assetId, venue: pair.adapter.venue, isListed, coveredTo, askedAt }]
}

function noteCoverage(pair: LanePair, { isListed, coveredTo, askedAt }: Coverage): void {
  pair.isListed = isListed
  pair.coveredTo = coveredTo
  pair.askedAtMs = askedAt.getTime()
  pair.failures = 0
  pair.notBeforeMs = 0
}
