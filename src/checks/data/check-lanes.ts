import { refreshIntervalMs } from '../../core/freshness.js'
import { loadLateAssets, loadNewestBarOfVenues } from '../../ingest/candles/coverage-store.js'
import { isSilent, MAX_LATE_SHARE } from '../../ingest/candles/lanes/lane-policy.js'
import { loadLaneReports } from '../../ingest/candles/lanes/lane-report.js'
import { FIRST_REACH_MS } from '../../ingest/datasets/market/candles-policy.js'
import { commandLine } from '../../platform/installation/command-line.js'
import type { CheckWorld } from '../check.js'
import { ageSeconds, ageText, type Finding, noRequestsText, off, ok, warning } from '../finding.js'
import { scheduledJobs } from './check-jobs.js'

/** The job whose bars come from the exchanges. */
const CANDLES = 'candles'

const ADVICE = `read ${commandLine('admin')} feeds --asset SLUG; the other exchanges replace it meanwhile`

/** The first requests reach that far back, so an exchange that answered them without bars has none of this time. */
const NO_BARS_AGE_S = FIRST_REACH_MS / 1_000

/** Checks whether each exchange answers and gives new bars. */
export async function checkLanes({ database, clock }: CheckWorld): Promise<readonly Finding[]> {
  const now = clock.now()
  const newest = await loadNewestBarOfVenues(database)
  const lanes = await loadLaneReports(database, now)
  return lanes.map((lane) => {
    const newestBarAt = newest.get(lane.venue) ?? null
    const check = `exchange ${lane.venue}`
    const hasAnswered = newest.has(lane.venue)
    const ageS = newestBarAt === null ? null : ageSeconds(newestBarAt, now)
    const facts = {
      exchange: lane.venue,
      nodes: lane.nodes,
      queue: lane.queue,
      oldest_due_seconds: lane.oldestDueSeconds,
      requests_in_last_minute: lane.requestsInLastMinute,
      newest_bar_at: newestBarAt,
      newest_bar_age_seconds: ageS ?? (hasAnswered ? NO_BARS_AGE_S : null),
      rest_until: lane.restUntil,
      rest_cause: lane.restCause,
    }
    const age = ageS === null ? 'no bars yet' : `newest bar ${ageText(ageS)} ago`
    if (lane.restUntil !== null) {
      const message = `${age}; ${noRequestsText(lane.restUntil, lane.restCause)}`
      return { ...warning(check, message, ADVICE), facts }
    }
    const isLate = hasAnswered && isSilent(newestBarAt, now)
    return { ...(isLate ? warning(check, age, ADVICE) : ok(check, age)), facts }
  })
}

const TIERS = [1, 2, 3] as const

/** How old the newest bar of an asset may be, by tier, as for its candles. */
const ALLOWED_S = TIERS.map((tier) => refreshIntervalMs(`tier_${tier}`, new Date(0)) / 1_000)

/** Checks by tier whether the assets that exchanges list get bars in time. Few may have none, because nobody trades them. */
export async function checkLateAssets({ database, clock, config }: CheckWorld): Promise<readonly Finding[]> {
  if (!scheduledJobs(config).some(({ name }) => name === CANDLES))
    return [off('assets', `${CANDLES} is not in SCHEDULE=${config.schedule}`, `add ${CANDLES} to SCHEDULE`)]
  const rows = await loadLateAssets(database, clock.now(), TIERS, ALLOWED_S)
  return rows.map(({ tier, listed, late, oldestBarAt }) => {
    const check = `assets of tier ${tier}`
    const facts = { tier, listed, late, oldest_bar_at: oldestBarAt }
    const allowed = ageText(ALLOWED_S[tier - 1] ?? 0)
    const finding =
      late <= listed * MAX_LATE_SHARE
        ? ok(check, `${listed - late} of ${listed} have bars of the last ${allowed}`)
        : warning(check, `${late} of ${listed} have no bars of the last ${allowed}`, ADVICE)
    return { ...finding, facts }
  })
}
