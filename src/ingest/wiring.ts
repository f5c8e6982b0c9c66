import type { Config } from '../config.js'
import { configuredReleases } from '../domains/releases/wiring.js'
import { createJobs } from './jobs.js'
import type { Job } from './schedule/job.js'
import { selectJobs } from './schedule/select-jobs.js'

/** All jobs. */
export interface ConfiguredJobs {
  readonly jobs: readonly Job[]
  /** The jobs that the configuration turns on. */
  readonly scheduled: readonly Job[]
}

/** The jobs of the configuration. Throws IngestError for an unknown name in SCHEDULE, or one whose key is not set. */
export function configuredJobs({
  schedule,
  rpcUrls,
  languageModel,
  aiCallsPerRun,
  etherscanKey,
  openFigi,
  hasOpenSanctions,
  hasCoinMetrics,
  newsFeeds,
  providerKeys,
  releases,
}: Pick<
  Config,
  | 'schedule'
  | 'rpcUrls'
  | 'languageModel'
  | 'aiCallsPerRun'
  | 'etherscanKey'
  | 'openFigi'
  | 'hasOpenSanctions'
  | 'hasCoinMetrics'
  | 'newsFeeds'
  | 'providerKeys'
  | 'releases'
>): ConfiguredJobs {
  const isWorded = languageModel !== null && aiCallsPerRun > 0
  const jobs = createJobs({
    rpcUrls,
    etherscanKey,
    openFigi,
    hasOpenSanctions,
    hasCoinMetrics,
    newsFeeds,
    ...(releases.isWeekly
      ? { weekly: { releases: configuredReleases({ releases }), retention: releases } }
      : {}),
    ...(isWorded ? { wording: { endpoint: languageModel, callsPerRun: aiCallsPerRun } } : {}),
  })
  return { jobs, scheduled: selectJobs(jobs, schedule, providerKeys) }
}
