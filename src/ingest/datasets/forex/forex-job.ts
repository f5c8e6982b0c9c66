import { addDays, toIsoDate } from '../../../core/time.js'
import type { DatasetState } from '../../../platform/database/versions/data-version.js'
import { loadDatasetStates } from '../../../platform/database/versions/dataset-states-store.js'
import { ecbDaily } from '../../providers/ecb/ecb-daily.js'
import { ecbHistory } from '../../providers/ecb/ecb-history.js'
import { findFeed } from '../../registry.js'
import { transportsWith } from '../../run/ask-for-body.js'
import { runFeed } from '../../run/run-feed.js'
import { type Job, type JobContext, jobCounts } from '../../schedule/job.js'
import { afterEcbPublication, ecbPublicationBefore } from '../../schedule.js'

/** The daily feed reaches back 30 observations; after a longer outage the history fills the gap. */
const DAILY_REACH_DAYS = 35

/** Keeps the reference rates: first the whole history, then the last weeks on each TARGET day. */
export const forexJob: Job = {
  name: 'forex',
  dataset: 'forex',
  cadence: ecbDaily.cadence,
  schedule: afterEcbPublication,
  feeds: [ecbDaily.id, ecbHistory.id],
  run: async (context) => {
    const before = await loadForexState(context)
    const feed = needsHistory(before, context.clock.now()) ? ecbHistory : ecbDaily
    const deps = { ...context, ...transportsWith(context.http) }
    const counts = jobCounts(await runFeed(deps, findFeed(feed.id), { kind: 'live' }))
    const due = ecbPublicationBefore(context.coversTo)
    const after = await loadForexState(context)
    const isComplete = after !== null && after.observedAt >= due
    const missing = `the ECB has not published the rates of ${toIsoDate(due)} yet`
    return { counts, note: null, unfinished: isComplete ? null : missing }
  },
}

async function loadForexState({ database }: JobContext): Promise<DatasetState | null> {
  return (await loadDatasetStates(database)).get('forex') ?? null
}

function needsHistory(state: DatasetState | null, now: Date): boolean {
  if (state === null || state.isDevDataset) return true
  return toIsoDate(state.observedAt) < addDays(toIsoDate(now), -DAILY_REACH_DAYS)
}
