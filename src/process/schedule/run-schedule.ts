import type { Config } from '../../config.js'
import { systemClock } from '../../core/time.js'
import { startConfiguredLanes } from '../../ingest/candles/lanes/wiring.js'
import type { Job } from '../../ingest/schedule/job.js'
import type { JobEvent } from '../../ingest/schedule/options.js'
import { type Scheduler, startScheduler } from '../../ingest/schedule/scheduler.js'
import { configuredJobs } from '../../ingest/wiring.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { createSigner } from '../../platform/secrets/signing.js'
import type { Tracing } from '../../platform/telemetry/tracing.js'
import { traced } from '../../platform/telemetry/wiring.js'
import { configuredHttp } from '../../platform/wiring.js'

export interface RunScheduleOptions {
  readonly config: Config
  /** Its statements have the limits of a batch. */
  readonly database: Database
  readonly log: Logger
  readonly onRun: (event: JobEvent) => void
  /** Null without tracing. */
  readonly tracing: Tracing | null
}

/** Runs the configured schedule in this process, and the lanes of the exchanges if it has candles. */
export function runSchedule(options: RunScheduleOptions): Scheduler {
  const { config, onRun, tracing } = options
  const { database, log } = traced(options, tracing)
  const jobs = configuredJobs(config).scheduled
  const http = configuredHttp(config, { database, log }, tracing)
  const scheduler = startScheduler({
    jobs: tracing === null ? jobs : jobs.map((job) => tracedJob(job, tracing)),
    database,
    clock: systemClock,
    http,
    signer: config.signingKey === null ? null : createSigner(config.signingKey),
    log,
    onRun,
  })
  const candles = jobs.find(({ name }) => name === 'candles')
  if (candles === undefined) return scheduler
  const isScheduled = jobs.some(({ name }) => name === candles.needs)
  const needs = isScheduled ? (candles.needs ?? null) : null
  const lanes = startConfiguredLanes({ database, clock: systemClock, http, log, onRun, needs })
  return { stop: async () => void (await Promise.all([scheduler.stop(), lanes.stop()])) }
}

/** The job with a span for each attempt. */
function tracedJob(job: Job, tracing: Tracing): Job {
  const attributes = { 'gateway.job': job.name, 'gateway.dataset': job.dataset }
  return {
    ...job,
    run: (context) => tracing.root({ name: `job ${job.name}`, attributes }, () => job.run(context)),
  }
}
