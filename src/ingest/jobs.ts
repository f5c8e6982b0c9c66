import type { DatasetName } from '../core/datasets.js'
import { MACRO_PROVIDERS } from '../domains/macro/model.js'
import { createCandlesJob } from './candles/lanes/candles-job.js'
import { analysisJob, type Wording } from './datasets/analysis/analysis-job.js'
import { forexJob } from './datasets/forex/forex-job.js'
import { coinJobs } from './datasets/instruments/coins/coin-jobs.js'
import { type ReleaseJobsOptions, releaseJobs } from './datasets/releases/release-jobs.js'
import { type FeedGroup, feedGroup, type GroupSettings, NO_SETTINGS } from './feed-group.js'
import { FEED_GROUPS } from './feed-groups.js'
import { FEEDS } from './registry.js'
import { groupJob } from './schedule/group-job.js'
import type { Job } from './schedule/job.js'

export interface JobsOptions extends Partial<GroupSettings> {
  /** Writes the texts of analyses; if absent, the rules write them. */
  readonly wording?: Wording
  /** Where weekly releases are written, and which stay; without it no job writes any. */
  readonly weekly?: ReleaseJobsOptions
}

/** Macro series are about countries, not about assets. */
const WITHOUT_ASSETS: ReadonlySet<DatasetName> = new Set(MACRO_PROVIDERS)

/** One group for each scheduled feed that no other job runs. */
function ungroupedFeeds(masters: string | null): readonly FeedGroup[] {
  const taken = [forexJob.feeds, ...FEED_GROUPS.map(({ name, job }) => job?.feeds ?? [name])].flat()
  return FEEDS.flatMap((bound) => {
    const { id, dataset, schedule } = bound.feed
    if (schedule === undefined || taken.includes(id)) return []
    return [feedGroup(bound, { schedule, needsAssets: id !== masters && !WITHOUT_ASSETS.has(dataset) })]
  })
}

/** The name of the job that creates the assets; null if none is scheduled. */
function mastersJob(): string | null {
  const bound = FEEDS.find(({ feed }) => feed.dataset === 'instruments' && feed.schedule !== undefined)
  return bound?.feed.id ?? null
}

/** Creates all jobs of a scheduler, including one for each feed with a schedule. */
export function createJobs({ wording, weekly, ...configured }: JobsOptions = {}): readonly Job[] {
  const masters = mastersJob()
  const settings = { ...NO_SETTINGS, ...configured }
  const jobsOf = (groups: readonly FeedGroup[]) =>
    groups.flatMap((group) => {
      const { job } = group
      const isOn = job?.isOn?.(settings) ?? true
      return job !== undefined && isOn ? [groupJob(group, job, { settings, masters })] : []
    })
  const analyses = ([1, 2, 3] as const).map((tier) => analysisJob(tier, wording))
  return [
    ...jobsOf(ungroupedFeeds(masters)),
    ...jobsOf(FEED_GROUPS),
    ...coinJobs,
    forexJob,
    createCandlesJob(masters),
    ...analyses,
    ...(weekly === undefined ? [] : releaseJobs(weekly)),
  ]
}
