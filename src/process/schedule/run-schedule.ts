import { setTimeout as sleep } from 'node:timers/promises'
import { configuredHttp } from '../../assembly/configured-http.js'
import { configuredJobs } from '../../assembly/configured-jobs.js'
import type { Config } from '../../config.js'
import { systemClock } from '../../core/time.js'
import type { JobEvent, Timers } from '../../ingest/schedule/options.js'
import { type Scheduler, startScheduler } from '../../ingest/schedule/scheduler.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { createSigner } from '../../platform/secrets/signing.js'

const systemTimers: Timers = {
  sleep: (ms, signal) =>
    sleep(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    }),
}

export interface RunScheduleOptions {
  readonly config: Config
  /** With the time of a batch for each statement. */
  readonly database: Database
  readonly log: Logger
  readonly onRun: (event: JobEvent) => void
}

/** Runs the configured schedule in this process. */
export function runSchedule({ config, database, log, onRun }: RunScheduleOptions): Scheduler {
  return startScheduler({
    jobs: configuredJobs(config).scheduled,
    database,
    clock: systemClock,
    timers: systemTimers,
    http: configuredHttp(config, log),
    signer: config.signingKey === null ? null : createSigner(config.signingKey),
    log,
    onRun,
  })
}
