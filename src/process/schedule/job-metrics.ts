import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../core/time.js'
import { type Job, NO_ROWS } from '../../ingest/schedule/job.js'
import type { JobEvent } from '../../ingest/schedule/options.js'
import { loadJobReports } from '../../ingest/schedule/report.js'
import { SCHEDULE_WORK, shardOfJob } from '../../ingest/schedule/schedule-work.js'
import { type LaneReport, loadLaneReports } from '../../ingest/venues/lanes/lane-report.js'
import { CoalescedRead } from '../../platform/coalesced-read.js'
import type { Database, Sql } from '../../platform/database/database.js'
import { loadDatasetStates } from '../../platform/database/dataset-states-store.js'
import type { Logger } from '../../platform/logger.js'
import { loadShardHolders } from '../../platform/outbox/shard-store.js'
import { registerShardGauge } from '../shard-metrics.js'

/** A scrape does not wait for an unreachable database. */
const READ_MS = 2_000

export interface JobMetricsOptions {
  readonly metrics: Registry
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  /** The jobs of the schedule; empty if it is off. */
  readonly scheduled: readonly Job[]
}

/** Not `job`: Prometheus uses that label for its targets and would rename ours to `exported_job`. */
const JOB_LABEL = 'job_name'

/** Registers the metrics of the jobs; the answer counts their attempts. */
export function createJobMetrics(options: JobMetricsOptions): (event: JobEvent) => void {
  if (options.scheduled.length > 0) registerGauges(options)
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

/** Open work of the schedule, read from the database, so every node reports the same. */
function registerGauges({ metrics, database, clock, log, scheduled }: JobMetricsOptions): void {
  const registers = [metrics]
  const sql: Sql = {
    ...database,
    rows: (text, parameters) => database.rows(text, parameters, { withinMs: READ_MS }),
  }
  const warn = (error: unknown) => log.warn({ err: error }, 'the state of the schedule could not be read')
  new Gauge({
    name: 'ingest_job_lag_seconds',
    help: 'Seconds since the oldest due instant of each scheduled job that no run has met; 0: none is open.',
    labelNames: [JOB_LABEL],
    registers,
    async collect() {
      this.reset()
      const facts = { jobs: scheduled, scheduled, now: clock.now() }
      const reports = await loadJobReports(sql, facts).catch(warn)
      for (const { job, lagSeconds } of reports ?? []) this.set({ [JOB_LABEL]: job }, lagSeconds)
    },
  })
  if (scheduled.some(({ name }) => name === 'candles')) registerLanes(registers, sql, clock, warn)
  const shards = scheduled.map(({ name }) => shardOfJob(name))
  new Gauge({
    name: 'ingest_schedule_leader',
    help: '1: each job of this schedule has a node that runs it; 0: a job has none.',
    registers,
    aggregator: 'max',
    async collect() {
      this.remove()
      const holders = await loadShardHolders(sql, SCHEDULE_WORK).catch(warn)
      if (holders !== undefined) this.set(shards.every((shard) => holders.has(shard)) ? 1 : 0)
    },
  })
  registerShardGauge('ingest_schedule_shards', { work: SCHEDULE_WORK, shards, metrics, database, log })
  new Gauge({
    name: 'data_loaded',
    help: '1: the dataset of a scheduled job holds facts; 0: nothing was ever loaded.',
    labelNames: ['dataset'],
    registers,
    async collect() {
      this.reset()
      const states = await loadDatasetStates(sql).catch(warn)
      if (states === undefined) return
      const held = new Set([...states.values()].map(({ dataset }) => dataset))
      for (const { dataset } of scheduled) this.set({ dataset }, held.has(dataset) ? 1 : 0)
    },
  })
}

const LANE_GAUGES = [
  {
    name: 'ingest_lane_queue',
    help: 'Assets that wait for an exchange or are being requested from it, over all nodes.',
    of: ({ queue }: LaneReport) => queue,
  },
  {
    name: 'ingest_lane_oldest_due_seconds',
    help: 'Seconds since the bars of the most overdue asset of an exchange were due; 0: none is due.',
    of: ({ oldestDueSeconds }: LaneReport) => oldestDueSeconds,
  },
  {
    name: 'ingest_lane_rest_seconds',
    help: 'Seconds until an exchange that does not answer is requested again; 0: it answers.',
    of: ({ restUntil }: LaneReport, nowMs: number) =>
      Math.max(0, ((restUntil?.getTime() ?? 0) - nowMs) / 1000),
  },
  {
    name: 'ingest_lane_requests_per_minute',
    help: 'Requests to an exchange in the last minute, over all nodes.',
    of: ({ requestsInLastMinute }: LaneReport) => requestsInLastMinute,
  },
]

/** The lanes of the exchanges, from one read. */
function registerLanes(registers: Registry[], sql: Sql, clock: Clock, warn: (error: unknown) => void): void {
  const read = new CoalescedRead(async () => (await loadLaneReports(sql, clock.now()).catch(warn)) ?? [])
  for (const { name, help, of } of LANE_GAUGES) {
    new Gauge({
      name,
      help,
      labelNames: ['exchange'],
      registers,
      async collect() {
        const reports = await read.join()
        this.reset()
        for (const report of reports) this.set({ exchange: report.venue }, of(report, clock.now().getTime()))
      },
    })
  }
}
