import { laterOf } from '../../core/time.js'
import type { Job } from './job.js'
import type { JobRun } from './job-store.js'

export interface DueRun {
  readonly job: Job
  readonly dueAt: Date
  readonly coversTo: Date
  /** Number of the attempt to begin, from 1. */
  readonly attempt: number
  /** What the run waits for, or null. */
  readonly blockedBy: string | null
  /** Start of an attempt whose process ended without recording the result, or null. */
  readonly abandonedAt: Date | null
}

export interface Plan {
  /** Oldest first. */
  readonly due: readonly DueRun[]
  /** When the next run is due; null if it depends on a run that is due now or in progress. */
  readonly nextAt: Date | null
}

export interface PlanInput {
  /** All jobs that are scheduled. */
  readonly jobs: readonly Job[]
  /** Whether this node runs the job. */
  readonly isOwn: (job: Job) => boolean
  readonly runs: ReadonlyMap<string, JobRun>
  /** Names of the jobs that this process is running. */
  readonly running: ReadonlySet<string>
  readonly now: Date
  /** The delay of the start of a job, milliseconds. */
  readonly offsetMs: (job: Job) => number
}

/**
 * Plans the runs of this node's jobs that are due at `now`. A job that never ran is due at once. One run covers all missed due instants,
 * because each body or request reaches back to the data that the dataset already holds.
 */
export function planRuns(facts: PlanInput): Plan {
  const idle = facts.jobs.filter((job) => facts.isOwn(job) && !facts.running.has(job.name))
  const plans = idle.map((job) => planJob(job, facts))
  const due = plans.flatMap((plan) => (plan.run === null ? [] : [plan.run]))
  const starts = plans.flatMap(({ at }) => (at === null ? [] : [at.getTime()]))
  return {
    due: due.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime()),
    nextAt: starts.length === 0 ? null : new Date(Math.min(...starts)),
  }
}

type JobPlan = { readonly run: DueRun; readonly at: null } | { readonly run: null; readonly at: Date }

function planJob(job: Job, facts: PlanInput): JobPlan {
  const { now, runs } = facts
  const newest = runs.get(job.name)
  // Computed only if a run is due, which is rare.
  const lastDue = () => job.schedule.last(now)
  if (newest === undefined) {
    const last = lastDue()
    return dueNow(job, last, last, 0, facts)
  }
  if (newest.status === 'succeeded') {
    const dueAt = job.schedule.next(newest.coversTo)
    const startAt = new Date(dueAt.getTime() + facts.offsetMs(job))
    return startAt <= now
      ? dueNow(job, dueAt, laterOf(dueAt, lastDue()), 0, facts)
      : { run: null, at: startAt }
  }
  if (newest.nextAttemptAt !== null && newest.nextAttemptAt > now) {
    return { run: null, at: newest.nextAttemptAt }
  }
  // An abandoned run may turn out to be complete, but only for the instants that it began with.
  const coversTo = newest.status === 'running' ? newest.coversTo : laterOf(newest.coversTo, lastDue())
  return dueNow(job, newest.dueAt, coversTo, newest.attempt, facts)
}

function dueNow(job: Job, dueAt: Date, coversTo: Date, attempts: number, facts: PlanInput): JobPlan {
  const newest = facts.runs.get(job.name)
  const run: DueRun = {
    job,
    dueAt,
    coversTo,
    attempt: attempts + 1,
    blockedBy: blockedBy(job, dueAt, facts),
    abandonedAt: newest?.status === 'running' ? newest.startedAt : null,
  }
  return { run, at: null }
}

function blockedBy({ needs, follows }: Job, dueAt: Date, { jobs, runs }: PlanInput): string | null {
  const isScheduled = (name: string) => jobs.some((job) => job.name === name)
  if (needs !== undefined && isScheduled(needs) && !runs.get(needs)?.succeededTo) return needs
  if (follows === undefined || !isScheduled(follows)) return null
  const until = runs.get(follows)?.succeededTo ?? null
  return until !== null && until >= dueAt ? null : follows
}
