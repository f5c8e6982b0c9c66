import { JOB_RUN } from '../../generated/columns.js'
import type { Database, Sql, Transaction } from '../../platform/database/database.js'
import { column, type RowOf, selectList, statement } from '../../platform/database/statement.js'
import { isTermOfShard } from '../../platform/outbox/sharded-work.js'
import { SCHEDULE_WORK, shardOfJob } from './schedule-work.js'

export type JobStatus = 'running' | 'retrying' | 'succeeded'

const OF_RUN = { ...JOB_RUN, status: column<JobStatus>('text') } as const
const RUN = {
  ...OF_RUN,
  succeededTo: 'timestamptz?',
  succeededAt: 'timestamptz?',
  isHeld: 'bool',
} as const

/**
 * The newest run of a job; also the end of its last successful run, the due instant that this run covers, and whether the node that
 * began it still has the shard of the job.
 */
export type JobRun = RowOf<typeof RUN>

// Plain SQL, because it runs every few seconds: Prisma's `distinct` reads all runs of each job, which takes 13 to 21 times
// the CPU for 30 jobs of 100 runs (bench sql).
const NEWEST = statement(
  'lacks newest per key',
  RUN,
  `select ${selectList(OF_RUN, 'r')},
     s.covers_to as "succeededTo", s.finished_at as "succeededAt",
     exists (select from schedule_shard as h
       where h.shard = n.shard and h.term = r.term and h.expires_at > clock_timestamp()) as "isHeld"
   from unnest($1::text[], $2::int[]) as n(job, shard)
   cross join lateral (select * from job_run where job = n.job order by due_at desc limit 1) as r
   left join lateral (select covers_to, finished_at from job_run where job = n.job and status = 'succeeded'
     order by due_at desc limit 1) as s on true`,
)

/** The newest run of each job, by job; a job that never ran is missing. */
export async function loadJobRuns(sql: Sql, jobs: readonly string[]): Promise<ReadonlyMap<string, JobRun>> {
  const rows = await sql.rows(NEWEST, [jobs, jobs.map(shardOfJob)])
  return new Map(rows.map((row) => [row.job, row]))
}

/** An attempt that a node has begun under the term of its shard. No two attempts have the same values. */
export interface Attempt {
  readonly job: string
  readonly dueAt: Date
  readonly coversTo: Date
  readonly attempt: number
  readonly shard: number
  readonly term: number
  readonly startedAt: Date
}

const CLAIMED = { attempt: 'int4' } as const

// Plain SQL: an attempt begins only under the lease on its shard, which the inserting statement checks.
const INSERT = statement(
  'lacks condition of an update',
  CLAIMED,
  `insert into job_run (job, due_at, covers_to, attempt, term, started_at, status)
   select $1, $2, $3, $4, $5, $6, 'running' where ${isTermOfShard(SCHEDULE_WORK, '$7::int4', '$5::int8')}
   on conflict do nothing returning attempt`,
)

/** Skips a row that the transaction of its attempt has locked: that transaction decides by its commit. */
const NEXT_ATTEMPT = statement(
  'lacks row lock',
  CLAIMED,
  `update job_run set covers_to = $3, attempt = $4, term = $5, started_at = $6, status = 'running', finished_at = null,
     next_attempt_at = null
   where ${isTermOfShard(SCHEDULE_WORK, '$7::int4', '$5::int8')} and (job, due_at) in (
     select job, due_at from job_run
     where job = $1 and due_at = $2 and attempt = $4 - 1 and status <> 'succeeded' for update skip locked)
   returning attempt`,
)

/** Begins an attempt. False if another node has the shard or has begun the attempt. */
export async function claimAttempt(sql: Sql, claim: Attempt): Promise<boolean> {
  const { job, dueAt, coversTo, attempt, term, startedAt, shard } = claim
  const facts = [job, dueAt, coversTo, attempt, term, startedAt, shard]
  if (attempt === 1 && (await sql.rows(INSERT, facts)).length > 0) return true
  return (await sql.rows(NEXT_ATTEMPT, facts)).length > 0
}

const GUARD = statement(
  'lacks row lock',
  CLAIMED,
  `select attempt from job_run
   where job = $1 and due_at = $2 and attempt = $3 and status = 'running' for share`,
)

/** Whether the attempt is still the current one of its run. No other can begin until the transaction ends. */
export async function holdAttempt(tx: Transaction, { job, dueAt, attempt }: Attempt): Promise<boolean> {
  return (await tx.rows(GUARD, [job, dueAt, attempt])).length > 0
}

/** How an attempt ended. */
export interface AttemptEnd {
  readonly status: 'succeeded' | 'retrying'
  readonly finishedAt: Date
  readonly nextAttemptAt: Date | null
  readonly detail: string | null
}

/** Records the end of an attempt. False if another attempt has begun meanwhile. */
export async function finishAttempt(
  { prisma }: Pick<Database, 'prisma'>,
  { job, dueAt, attempt }: Pick<Attempt, 'job' | 'dueAt' | 'attempt'>,
  { status, finishedAt, nextAttemptAt, detail }: AttemptEnd,
): Promise<boolean> {
  const { count } = await prisma.jobRun.updateMany({
    where: { job, dueAt, attempt, status: 'running' },
    data: { status, finishedAt, nextAttemptAt, detail },
  })
  return count > 0
}

/** Records a due run that waits for another job, as attempt 0. */
export async function noteWaiting(
  sql: Sql,
  run: Pick<Attempt, 'job' | 'dueAt' | 'coversTo' | 'shard' | 'term'> & { readonly detail: string },
): Promise<void> {
  await sql.rows(
    `insert into job_run (job, due_at, covers_to, attempt, term, status, detail)
     select $1, $2, $3, 0, $4, 'retrying', $5 where ${isTermOfShard(SCHEDULE_WORK, '$6::int4', '$4::int8')}
     on conflict (job, due_at) do update set covers_to = excluded.covers_to, detail = excluded.detail
     where job_run.status = 'retrying'`,
    [run.job, run.dueAt, run.coversTo, run.term, run.detail, run.shard],
  )
}

/** Whether a run of these feeds that started at `since` or later is complete in the ledger. */
export async function isInLedger(
  { prisma }: Pick<Database, 'prisma'>,
  feeds: readonly string[],
  since: Date,
): Promise<boolean> {
  const run = await prisma.ingestRun.findFirst({
    where: { feed: { in: [...feeds] }, status: 'succeeded', startedAt: { gte: since } },
    select: { runId: true },
  })
  return run !== null
}
