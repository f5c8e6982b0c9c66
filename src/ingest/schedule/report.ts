import type { DatasetName } from '../../core/datasets.js'
import type { Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { loadShardHolders } from '../../platform/outbox/shard-store.js'
import type { Job } from './job.js'
import { type JobRun, type JobStatus, loadJobRuns } from './job-store.js'
import { SCHEDULE_WORK, shardOfJob } from './schedule-work.js'

/** The state of a job, for operators. */
export interface JobReport {
  readonly job: string
  readonly dataset: DatasetName
  /** When it runs, in words. */
  readonly cadence: string
  /** Whether this installation schedules the job. */
  readonly isScheduled: boolean
  /** The node that runs it, as host:process; null if no node does. */
  readonly node: string | null
  /** Status of its newest scheduled run; null if it never ran. */
  readonly status: JobStatus | null
  /** Number of attempts of that run. */
  readonly attempts: number
  /** Start of the newest run of its feeds, including manual runs. */
  readonly lastRunAt: Date | null
  /** End of the last successful run of its feeds. */
  readonly lastSuccessAt: Date | null
  /** When the next run or attempt is due; null while the job is off or running. */
  readonly nextRunAt: Date | null
  /** Seconds since the oldest due instant that no run has covered; 0 if all are covered. */
  readonly lagSeconds: number
  /** Why its newest scheduled run is not complete, or what it skipped; null if it skipped nothing or never ran. */
  readonly detail: string | null
  /** `detail`, or else the error of the newest failed run of its feeds. */
  readonly lastError: string | null
}

// Plain SQL, like the newest runs of jobs (job-store.ts): one statement reads the newest runs of all feeds.
const LEDGER = statement(
  'lacks newest per key',
  { job: 'text', lastRunAt: 'timestamptz?', lastSuccessAt: 'timestamptz?', lastError: 'text?' },
  `select j.job, max(n.started_at) as "lastRunAt", max(s.finished_at) as "lastSuccessAt",
     (array_agg(n.error order by n.started_at desc) filter (where n.status = 'failed'))[1] as "lastError"
   from unnest($1::text[], $2::text[]) as j(job, feed)
   left join lateral (select started_at, status, error from ingest_run where feed = j.feed
     order by started_at desc limit 1) as n on true
   left join lateral (select finished_at from ingest_run where feed = j.feed and status = 'succeeded'
     order by started_at desc limit 1) as s on true
   group by j.job`,
)

export interface ReportInput {
  readonly jobs: readonly Job[]
  /** The jobs that the schedule turns on. */
  readonly scheduled: readonly Job[]
  readonly now: Date
  /** When the database was created: no job was due before. Null if that is unknown. */
  readonly installedAt: Date | null
}

/** Loads the state of each job from its runs, the ledger and the leases, with three statements. */
export async function loadJobReports(sql: Sql, facts: ReportInput): Promise<readonly JobReport[]> {
  const names = facts.jobs.map(({ name }) => name)
  const feeds = facts.jobs.flatMap((job) => job.feeds.map((feed) => ({ job: job.name, feed })))
  const [runs, ledger, holders] = await Promise.all([
    loadJobRuns(sql, names),
    sql.rows(LEDGER, [feeds.map(({ job }) => job), feeds.map(({ feed }) => feed)]),
    loadShardHolders(sql, SCHEDULE_WORK),
  ])
  return facts.jobs.map((job) => {
    const run = runs.get(job.name)
    const inLedger = ledger.find((row) => row.job === job.name)
    const isScheduled = facts.scheduled.includes(job)
    return {
      job: job.name,
      dataset: job.dataset,
      cadence: job.cadence,
      isScheduled,
      node: holders.get(shardOfJob(job.name)) ?? null,
      status: run?.status ?? null,
      attempts: run?.attempt ?? 0,
      lastRunAt: inLedger?.lastRunAt ?? null,
      lastSuccessAt: latest(run?.succeededAt, inLedger?.lastSuccessAt),
      nextRunAt: isScheduled ? nextRunAt(job, run, facts.now) : null,
      lagSeconds: isScheduled ? lagSeconds(job, run, facts) : 0,
      detail: run?.detail ?? null,
      lastError: run?.detail ?? inLedger?.lastError ?? null,
    }
  })
}

function nextRunAt({ schedule }: Job, run: JobRun | undefined, now: Date): Date | null {
  if (run === undefined) return now
  if (run.status === 'succeeded') return schedule.next(run.coversTo)
  return run.status === 'retrying' ? run.nextAttemptAt : null
}

function lagSeconds({ schedule }: Job, run: JobRun | undefined, { now, installedAt }: ReportInput): number {
  const open = openSince(schedule, run, now)
  const isFirst = installedAt !== null && installedAt <= now && !run?.succeededAt
  const since = isFirst ? latest(open, installedAt) : open
  return Math.max(0, Math.floor((now.getTime() - (since ?? open).getTime()) / 1000))
}

function openSince(schedule: Job['schedule'], run: JobRun | undefined, now: Date): Date {
  if (run === undefined) return schedule.last(now)
  return run.status === 'succeeded' ? schedule.next(run.coversTo) : run.dueAt
}

function latest(a: Date | null | undefined, b: Date | null | undefined): Date | null {
  if (!a || !b) return a ?? b ?? null
  return a > b ? a : b
}
