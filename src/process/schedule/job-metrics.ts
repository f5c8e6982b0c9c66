import { Counter, Gauge, type Registry } from 'prom-client'
import { type Job, NO_ROWS } from '../../ingest/schedule/job.js'
import type { JobEvent } from '../../ingest/schedule/options.js'
import { SCHEDULE_WORK, shardOfJob } from '../../ingest/schedule/schedule-work.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { loadShardHolders } from '../../platform/outbox/shard-store.js'
import { boundedForScrape } from '../check-gauges.js'
import { registerShardGauge } from '../shard-metrics.js'

export interface JobMetricsOptions {
  readonly metrics: Registry
  readonly database: Database
  readonly log: Pick<Logger, 'warn'>
  /** The jobs of the schedule; empty if it is off. */
  readonly scheduled: readonly Job[]
}

/** Not `job`, which Prometheus uses for its targets. */
const JOB_LABEL = 'job_name'

/** Registers the metrics of the jobs; the answer counts their attempts. */
export function createJobMetrics(options: JobMetricsOptions): (event: JobEvent) => void {
  if (options.scheduled.length > 0) registerShards(options)
  const registers = [options.metrics]
  const runs = new Counter({
    name: 'ingest_runs_total',
    help: 'Attempts of scheduled jobs that ended, by job and by status (succeeded, failed, unfinished).',
    labelNames: [JOB_LABEL, 'status'],
    registers,
  })
  const rows = new Counter({
    name: 'ingest_rows_total',
    help: 'Rows of scheduled jobs, by job and by outcome (added, revised, unchanged, rejected, absent).',
    labelNames: [JOB_LABEL, 'outcome'],
    registers,
  })
  const count = ({ job, status, counts }: Pick<JobEvent, 'job' | 'status' | 'counts'>, runsMore: number) => {
    runs.inc({ [JOB_LABEL]: job, status }, runsMore)
    for (const [outcome, more] of Object.entries(counts)) rows.inc({ [JOB_LABEL]: job, outcome }, more)
  }
  // Start at zero: Prometheus sees no increase in a series whose first value is 1.
  for (const { name } of options.scheduled)
    for (const status of STATUSES) count({ job: name, status, counts: NO_ROWS }, 0)
  return (event) => count(event, 1)
}

const STATUSES: readonly JobEvent['status'][] = ['succeeded', 'failed', 'unfinished']

/** Who runs the schedule, read from the database, so every node reports the same. */
function registerShards({ metrics, database, log, scheduled }: JobMetricsOptions): void {
  const shards = scheduled.map(({ name }) => shardOfJob(name))
  const sql = boundedForScrape(database)
  new Gauge({
    name: 'ingest_schedule_leader',
    help: '1: each job of this schedule has a node that runs it; 0: a job has none.',
    registers: [metrics],
    aggregator: 'max',
    async collect() {
      this.remove()
      const warn = (error: unknown) => log.warn({ err: error }, 'the state of the schedule could not be read')
      const holders = await loadShardHolders(sql, SCHEDULE_WORK).catch(warn)
      if (holders !== undefined) this.set(shards.every((shard) => holders.has(shard)) ? 1 : 0)
    },
  })
  registerShardGauge('ingest_schedule_shards', { work: SCHEDULE_WORK, shards, metrics, database, log })
}
