import type { Registry } from 'prom-client'
import type { Config } from '../../config.js'
import { systemClock } from '../../core/time.js'
import type { Scheduler } from '../../ingest/schedule/scheduler.js'
import { configuredJobs } from '../../ingest/wiring.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import type { Tracing } from '../../platform/telemetry/tracing.js'
import { runSchedule } from './run-schedule.js'
import { createScheduleMetrics } from './schedule-metrics.js'
import { startScheduleProcess } from './schedule-process.js'

export interface SchedulingOptions {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
  readonly metrics: Registry
  /** Null: nothing is traced. A process of its own for the schedule traces by itself. */
  readonly tracing: Tracing | null
}

/**
 * Starts the schedule, if it is on: in a process of its own on PostgreSQL, where parsing bodies and making analyses would
 * delay requests; in this process on the embedded database, which no other may open.
 */
export function startScheduling({ config, database, log, metrics, tracing }: SchedulingOptions): Scheduler {
  const { scheduled } = configuredJobs(config)
  const onRun = createScheduleMetrics({ metrics, database, clock: systemClock, log, scheduled })
  if (config.schedule === 'off') return { stop: async () => {} }
  return database.kind === 'postgres'
    ? startScheduleProcess({ log, onRun })
    : runSchedule({ config, database, log, onRun, tracing })
}
