import type { BoundFeed } from '../feed.js'
import { downloadBodyWith, fetchBodyWith } from '../run/ask-for-body.js'
import { usualSourceOf } from '../run/feed-body.js'
import { runFeed } from '../run/run-feed.js'
import type { Schedule } from '../schedule.js'
import { type Job, type JobContext, type JobCounts, jobCounts } from './job.js'

/** Runs a feed once from its default source: the provider, or the body that ships with the gateway. */
export async function runLive({ http, ...deps }: JobContext, bound: BoundFeed): Promise<JobCounts> {
  const transports = { fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
  return jobCounts(await runFeed({ ...deps, ...transports }, bound, usualSourceOf(bound.feed)))
}

/** Creates the job of a scheduled feed, with the feed's id as its name. `needs`: the job that creates its assets. */
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
