import { Counter, Gauge, type Registry } from 'prom-client'
import { refreshIntervalMs } from '../../core/freshness.js'
import type { Clock } from '../../core/time.js'
import { kindOfDataset } from '../../domains/datasets/registry-model.js'
import type { JobEvent } from '../../ingest/schedule/options.js'
import { type DatasetStates, readDatasetStates } from '../../platform/database/data-version.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { SharedRead } from '../../platform/shared-read.js'

/** A scrape does not wait for a database that is out of reach. */
const READ_MS = 2_000

export interface ScheduleMetricsOptions {
  readonly metrics: Registry
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
}

/** Registers the metrics of the data and of the schedule; the answer counts the attempts of jobs. */
export function createScheduleMetrics(options: ScheduleMetricsOptions): (event: JobEvent) => void {
  registerAges(options)
  const registers = [options.metrics]
  const runs = new Counter({
    name: 'ingest_runs_total',
    help: 'Attempts of scheduled jobs that ended, by job and by status (succeeded, failed, unfinished).',
    labelNames: ['job', 'status'],
    registers,
  })
  const rows = new Counter({
    name: 'ingest_rows_total',
    help: 'Rows of scheduled jobs, by job and by outcome (added, revised, unchanged, rejected).',
    labelNames: ['job', 'outcome'],
    registers,
  })
  return ({ job, status, counts }) => {
    runs.inc({ job, status })
    for (const [outcome, count] of Object.entries(counts)) rows.inc({ job, outcome }, count)
  }
}

/** Where the interval of a dataset depends on the tier of an asset, the shortest is shown: that of the first. */
const FIRST_TIER = 1

/** The age of each dataset, and the age at which it is stale, from one read for both. */
function registerAges({ metrics, database, clock, log }: ScheduleMetricsOptions): void {
  const registers = [metrics]
  const labelNames = ['dataset']
  const read = new SharedRead(async (): Promise<DatasetStates> => {
    try {
      return await readDatasetStates({
        rows: (sql, parameters) => database.rows(sql, parameters, { withinMs: READ_MS }),
      })
    } catch (error) {
      log.warn({ err: error }, 'the age of the data could not be read')
      return new Map()
    }
  })
  new Gauge({
    name: 'data_age_seconds',
    help: 'Age of the newest fact of each dataset; a dataset that holds nothing has none.',
    labelNames,
    registers,
    async collect() {
      const states = await read.join()
      const nowMs = clock.now().getTime()
      this.reset()
      for (const { dataset, observedAt } of states.values())
        this.set({ dataset }, Math.max(0, (nowMs - observedAt.getTime()) / 1000))
    },
  })
  new Gauge({
    name: 'data_refresh_interval_seconds',
    help: 'Age at which the newest fact of each dataset becomes stale; at three times that it is expired.',
    labelNames,
    registers,
    async collect() {
      const states = await read.join()
      this.reset()
      for (const { dataset, observedAt } of states.values()) {
        const kind = kindOfDataset(dataset, FIRST_TIER)
        this.set({ dataset }, refreshIntervalMs(kind, observedAt) / 1000)
      }
    },
  })
}
