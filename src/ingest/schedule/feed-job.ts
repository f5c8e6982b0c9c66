import type { Schedule } from '../../core/schedule.js'
import type { BoundFeed } from '../feed.js'
import { downloadBodyWith, fetchBodyWith } from '../read-body.js'
import { runFeed } from '../run-feed.js'
import { type Job, type JobContext, type JobCounts, jobCounts } from './job.js'

/** Runs a feed from its live source once. */
export async function runLive({ http, ...deps }: JobContext, bound: BoundFeed): Promise<JobCounts> {
  const transports = { fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
  return jobCounts(await runFeed({ ...deps, ...transports }, bound, { kind: 'live' }))
}

/** The job of a feed that is scheduled by itself, under the name of the feed. */
export function feedJob(bound: BoundFeed, schedule: Schedule): Job {
  const { id, dataset, cadence } = bound.feed
  return {
    name: id,
    dataset,
    cadence,
    schedule,
    feeds: [id],
    run: async (context) => ({ counts: await runLive(context, bound), note: null, unfinished: null }),
  }
}
