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

/** The schedule of this gateway. */
export interface Scheduling extends Scheduler {
  /** Ends the schedule and starts it with other settings, or not if they switch it off. */
  restart(config: Config): Promise<void>
  /** Lets a separate process read its log level again. */
  reload(): void
}

/**
 * Starts the schedule if it is on. On PostgreSQL it runs in a separate process, because parsing bodies and computing analyses
 * would delay requests. On the embedded database it runs in this process, because no other process may open the database.
 */
export function startScheduling({ config, ...options }: SchedulingOptions): Scheduling {
  let current = start(config, options)
  return {
    stop: () => current.stop(),
    restart: async (changed) => {
      await current.stop()
      current = start(changed, options)
    },
    reload: () => current.reload(),
  }
}

type Started = Scheduler & Pick<Scheduling, 'reload'>

function start(
  config: Config,
  { database, log, metrics, tracing }: Omit<SchedulingOptions, 'config'>,
): Started {
  const { scheduled } = configuredJobs(config)
  const before = namesOf(metrics)
  registerCheckGauges(metrics, { config, database, clock: systemClock }, log)
  const onRun = createJobMetrics({ metrics, database, log, scheduled })
  const names = [...namesOf(metrics)].filter((name) => !before.has(name))
  const scheduler =
    config.schedule === 'off'
      ? NOTHING
      : database.kind === 'postgres'
        ? startScheduleProcess({ log, onRun })
        : { ...runSchedule({ config, database, log, onRun, tracing }), reload: () => {} }
  return {
    reload: scheduler.reload,
    stop: async () => {
      await scheduler.stop()
      // They are about its jobs; the next schedule adds its own.
      for (const name of names) metrics.removeSingleMetric(name)
    },
  }
}

const NOTHING: Started = { stop: async () => {}, reload: () => {} }

function namesOf(metrics: Registry): ReadonlySet<string> {
  return new Set(metrics.getMetricsAsArray().map(({ name }) => name))
}
