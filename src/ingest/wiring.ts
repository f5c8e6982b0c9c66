import type { Config } from '../config.js'
import { configuredReleases } from '../domains/releases/wiring.js'
import type { GroupSettings } from './feed-group.js'
import { createJobs } from './jobs.js'
import type { Job } from './schedule/job.js'
import { selectJobs } from './schedule/select-jobs.js'

export interface ConfiguredJobs {
  readonly jobs: readonly Job[]
  /** The jobs that the configuration turns on. */
  readonly scheduled: readonly Job[]
}

/** The jobs of the configuration. Throws IngestError for an unknown name in SCHEDULE, or one whose key is not set. */
export function configuredJobs(
  config: Pick<
    Config,
    keyof GroupSettings | 'schedule' | 'languageModel' | 'aiCallsPerRun' | 'providerKeys' | 'releases'
  >,
): ConfiguredJobs {
  const { languageModel, aiCallsPerRun, releases } = config
  const isWorded = languageModel !== null && aiCallsPerRun > 0
  const jobs = createJobs({
    ...config,
    weekly: { releases: configuredReleases({ releases }), keep: releases.keep },
    ...(isWorded ? { wording: { endpoint: languageModel, callsPerRun: aiCallsPerRun } } : {}),
  })
  return { jobs, scheduled: selectJobs(jobs, config.schedule, config.providerKeys) }
}
