import type { BoundFeed } from '../feed.js'
import { downloadBodyWith, fetchBodyWith } from '../run/ask-for-body.js'
import { usualSourceOf } from '../run/feed-body.js'
import { runFeed } from '../run/run-feed.js'
import type { Schedule } from '../schedule.js'
import { type Job, type JobContext, type JobCounts, jobCounts } from './job.js'

/** Runs a feed from its own source once: live, or what ships with the gateway. */
export async function runLive({ http, ...deps }: JobContext, bound: BoundFeed): Promise<JobCounts> {
  const transports = { fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
  return jobCounts(await runFeed({ ...deps, ...transports }, bound, usualSourceOf(bound.feed)))
}

/** The job of a feed that is scheduled by itself, under the name of the feed. `needs`: the job that its assets come from. */
export function feedJob(bound: BoundFeed, schedule: Schedule, needs: string | null): Job {
  const { id, dataset, cadence, keyVariable } = bound.feed
  return {
    name: id,
    dataset,
    cadence,
    schedule,
    feeds: [id],
    ...(needs === null ? {} : { needs }),
    ...(keyVariable === undefined ? {} : { keyVariable }),
    run: async (context) => ({ counts: await runLive(context, bound), note: null, unfinished: null }),
  }
}
