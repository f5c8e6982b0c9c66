import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import { settleUntilStored } from '../../platform/outbox/settle-until-stored.js'
import type { BegunWork } from '../../platform/outbox/sharded-outbox.js'
import { RetryLater } from '../feed.js'
import { DatasetBusy } from '../run/dataset-lock.js'
import { errorText } from '../run/ledger.js'
import { backOffMs } from './back-off.js'
import type { DueRun } from './due.js'
import { fencedDatabase } from './fenced-database.js'
import { type JobOutcome, NO_ROWS } from './job.js'
import { type Attempt, type AttemptEnd, claimAttempt, finishAttempt, isInLedger } from './job-store.js'
import { ofAttempt } from './of-attempt.js'
import type { JobEvent, SchedulerOptions } from './options.js'

/** How often a run checks whether a manual run of its dataset has ended. */
const BUSY_MS = 15_000

/** The shard of the job, its term, and a signal that is aborted when another node has it. */
export type AttemptOptions = Pick<BegunWork, 'shard' | 'term' | 'signal'>

/**
 * Begins an attempt of a due run. Returns null if it cannot begin now. `ended` resolves after the attempt has ended and
 * its result is recorded; it never rejects.
 */
export async function runAttempt(
  options: SchedulerOptions,
  { job, dueAt, coversTo, attempt, abandonedAt }: DueRun,
  { shard, term, signal }: AttemptOptions,
): Promise<{ readonly ended: Promise<void> } | null> {
  const { database, clock } = options
  const claim = { job: job.name, dueAt, coversTo, attempt, shard, term, startedAt: clock.now() }
  if (!(await claimAttempt(database, claim))) return null
  // Checked after the claim, because from now on the previous attempt cannot commit.
  const isDone = abandonedAt !== null && (await isInLedger(database, job.feeds, abandonedAt))
  const work = isDone
    ? Promise.resolve({
        counts: NO_ROWS,
        note: 'done by a process that ended before it recorded the result',
        unfinished: null,
      })
    : perform(options, job, claim, signal)
  return { ended: settle(options, claim, { work, signal }) }
}

function perform(
  options: SchedulerOptions,
  job: DueRun['job'],
  claim: Attempt,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const { clock, log, signer } = options
  return job.run({
    database: fencedDatabase(options.database, claim, signal),
    clock,
    log,
    signer,
    http: ofAttempt(options.http, signal),
    coversTo: claim.coversTo,
    signal,
    // The scheduler runs other jobs meanwhile.
    mayWait: false,
  })
}

interface Work {
  readonly work: Promise<JobOutcome>
  readonly signal: AbortSignal
}

async function settle(options: SchedulerOptions, claim: Attempt, under: Work): Promise<void> {
  const { database, log, onRun = () => {} } = options
  const facts = { job: claim.job, due_at: claim.dueAt, attempt: claim.attempt }
  try {
    const end = await endOf(options, claim, under)
    const mayWrite = () => !under.signal.aborted
    const settling = { mayWrite, log, outcome: `the end of a run of ${claim.job}` }
    const isNoted = await settleUntilStored(settling, () => finishAttempt(database, claim, end.row))
    if (!isNoted) log.warn(facts, 'another node has begun the same run')
    else if (end.row.status === 'succeeded')
      log[end.isPartial ? 'warn' : 'info'](
        { ...facts, ...end.counts, note: end.row.detail ?? undefined },
        end.isPartial ? 'scheduled run succeeded in part' : 'scheduled run succeeded',
      )
    else
      log.warn(
        { ...facts, reason: end.row.detail, next: end.row.nextAttemptAt },
        'scheduled run did not complete',
      )
    if (isNoted) onRun({ job: claim.job, status: end.status, counts: end.counts })
  } catch (error) {
    // The row stays `running`; the next node with the shard, or this one in its next term, takes it over.
    log.error({ ...facts, err: error }, 'the end of a scheduled run could not be recorded')
  }
}

interface End {
  readonly row: AttemptEnd
  readonly counts: JobOutcome['counts']
  readonly status: JobEvent['status']
  readonly isPartial?: boolean
}

async function endOf(options: SchedulerOptions, claim: Attempt, { work, signal }: Work): Promise<End> {
  const { clock, random = Math.random } = options
  const laterMs = (retryAfterMs: number | null) => backOffMs(claim.attempt, retryAfterMs, random())
  const retrying = (detail: string, delayMs: number): AttemptEnd => {
    const finishedAt = clock.now()
    return { status: 'retrying', finishedAt, nextAttemptAt: new Date(finishedAt.getTime() + delayMs), detail }
  }
  try {
    const { counts, note, unfinished, isPartial = false } = await work
    if (unfinished !== null) return { row: retrying(unfinished, laterMs(null)), counts, status: 'unfinished' }
    const row = { status: 'succeeded', finishedAt: clock.now(), nextAttemptAt: null, detail: note } as const
    return { row, counts, status: 'succeeded', isPartial }
  } catch (error) {
    // An aborted run is not a failure of its provider; the next node with the shard starts with it.
    if (signal.aborted) {
      return { row: retrying(errorText(error), 0), counts: NO_ROWS, status: 'unfinished' }
    }
    if (error instanceof DatasetBusy) {
      return { row: retrying(error.message, BUSY_MS), counts: NO_ROWS, status: 'unfinished' }
    }
    const row = retrying(errorText(error), laterMs(retryAfterMsOf(error)))
    return { row, counts: NO_ROWS, status: 'failed' }
  }
}

/** The wait that the provider asked for, from anywhere in the chain of causes. */
function retryAfterMsOf(error: unknown): number | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof UpstreamError || at instanceof RetryLater) return at.retryAfterMs
  }
  return null
}
