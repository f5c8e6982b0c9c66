import { DAY_MS } from '../../core/time.js'
import { LEDGER_DAYS } from '../../domains/datasets/model.js'
import type { Database } from '../../platform/database/database.js'
import { DELETED_AT_ONCE, deleteInBatches } from '../../platform/database/delete-in-batches.js'
import { statement } from '../../platform/database/statement.js'

/**
 * Keeps the newest successful run of a feed, because its body hash is compared with the next body. Plain SQL, like the
 * statement below: Prisma's client has no condition for whether a newer row of the same feed exists.
 */
const OLD_RUNS = statement(
  'bulk',
  { runId: 'uuid' },
  `delete from ingest_run where run_id in (
     select r.run_id from ingest_run r where r.started_at < $1 and (r.status = 'failed' or (r.status = 'succeeded'
       and exists (select from ingest_run n where n.feed = r.feed and n.status = 'succeeded'
         and n.started_at > r.started_at)))
     limit ${DELETED_AT_ONCE}) returning run_id as "runId"`,
)

/** Keeps the newest run of a job, because the next due instant is computed from it. */
const OLD_JOB_RUNS = statement(
  'bulk',
  { job: 'text' },
  `delete from job_run where (job, due_at) in (
     select r.job, r.due_at from job_run r where r.due_at < $1
       and exists (select from job_run n where n.job = r.job and n.due_at > r.due_at)
     limit ${DELETED_AT_ONCE}) returning job`,
)

export interface LedgerRetention {
  /** Rows of the ledger and of the schedule that were deleted. */
  readonly runs: number
}

/** Deletes runs older than 90 days, in bounded batches. */
export async function applyLedgerRetention(database: Database, now: Date): Promise<LedgerRetention> {
  const until = new Date(now.getTime() - LEDGER_DAYS * DAY_MS)
  const ingestRuns = await deleteInBatches(database, async (tx) => (await tx.rows(OLD_RUNS, [until])).length)
  const jobRuns = await deleteInBatches(database, async (tx) => (await tx.rows(OLD_JOB_RUNS, [until])).length)
  return { runs: ingestRuns + jobRuns }
}
