import type { Config } from '../config.js'
import type { DatasetName } from '../core/datasets.js'
import { memoizeByObject } from '../core/memoize-by-object.js'
import type { DatasetJob } from '../domains/datasets/model.js'
import { configuredReleases } from '../domains/releases/wiring.js'
import { RELEASES } from './datasets/releases/release-jobs.js'
import type { GroupSettings } from './feed-group.js'
import { createJobs } from './jobs.js'
import type { Job } from './schedule/job.js'
import { selectJobs } from './schedule/select-jobs.js'

type JobsConfig = Pick<
  Config,
  keyof GroupSettings | 'schedule' | 'languageModel' | 'aiCallsPerRun' | 'providerKeys' | 'releases'
>

export interface ConfiguredJobs {
  readonly jobs: readonly Job[]
  /** The jobs that the configuration turns on. */
  readonly scheduled: readonly Job[]
}

/** The jobs of the configuration. Throws IngestError for an unknown name in SCHEDULE, or one whose key is not set. */
export function configuredJobs(config: JobsConfig): ConfiguredJobs {
  const { languageModel, aiCallsPerRun, releases } = config
  const isWorded = languageModel !== null && aiCallsPerRun > 0
  const jobs = createJobs({
    ...config,
    weekly: { releases: configuredReleases({ releases }), keep: releases.keep },
    ...(isWorded ? { wording: { endpoint: languageModel, callsPerRun: aiCallsPerRun } } : {}),
  })
  return { jobs, scheduled: selectJobs(jobs, config.schedule, config.providerKeys) }
}

const jobsOfConfig = memoizeByObject(configuredJobs)

/** The jobs that refresh each dataset, with when each is due and the key that it lacks. They are created with the first question. */
export function configuredDatasetJobs(config: JobsConfig) {
  return (dataset: DatasetName, now: Date): readonly DatasetJob[] => {
    const { jobs, scheduled } = jobsOfConfig(config)
    return jobs
      .filter((job) => job.dataset === dataset && job.optIn !== RELEASES)
      .map((job) => ({
        job: job.name,
        nextRunAt: scheduled.includes(job) ? job.schedule.next(now) : null,
        missingKey:
          job.keyVariable !== undefined && config.providerKeys[job.keyVariable] === undefined
            ? job.keyVariable
            : null,
      }))
  }
}
