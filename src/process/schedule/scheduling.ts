import type { Registry } from 'prom-client'
import type { Config } from '../../config.js'
import { systemClock } from '../../core/time.js'
import type { Scheduler } from '../../ingest/schedule/scheduler.js'
import { configuredJobs } from '../../ingest/wiring.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import type { Tracing } from '../../platform/telemetry/tracing.js'
import { registerCheckGauges } from '../check-gauges.js'
import { createJobMetrics } from './job-metrics.js'
import { runSchedule } from './run-schedule.js'
import { startScheduleProcess } from './schedule-process.js'

export interface SchedulingOptions {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
  readonly metrics: Registry
  /** Null without tracing. A separate schedule process traces by itself. */
  readonly tracing: Tracing | null
}

/**
 * Starts the schedule if it is on. On PostgreSQL it runs in a separate process, because parsing bodies and computing analyses
 * would delay requests. On the embedded database it runs in this process, because no other process may open the database.
 */
export function startScheduling({ config, database, log, metrics, tracing }: SchedulingOptions): Scheduler {
  const { scheduled } = configuredJobs(config)
  registerCheckGauges(metrics, { config, database, clock: systemClock }, log)
  const onRun = createJobMetrics({ metrics, database, log, scheduled })
  if (config.schedule === 'off') return { stop: async () => {} }
  if (database.kind === 'postgres') return startScheduleProcess({ log, onRun })
  return runSchedule({ config, database, log, onRun, tracing })
}
