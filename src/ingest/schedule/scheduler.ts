import { startLeaderLease } from '../../platform/outbox/leader-lease.js'
import { type LeaderTerm, type Outbox, startOutbox } from '../../platform/outbox/outbox.js'
import { type DueRun, planRuns } from './due.js'
import type { Job } from './job.js'
import { loadJobRuns, noteWaiting } from './job-store.js'
import type { SchedulerOptions } from './options.js'
import { runAttempt } from './run-attempt.js'

/** Parallel runs: each handles one dataset and mostly waits for a provider. */
const MAX_PARALLEL = 3

/** The longest sleep, after which a clock that was set forward is noticed. */
const MAX_SLEEP_MS = 60_000

/** The wait for a run whose row is locked by a transaction that is about to end. */
const HELD_MS = 1_000

/** How long runs in flight may take to end when the process stops. */
const STOP_MS = 4_000

export type Scheduler = Outbox

/** The jobs that this process is running, by name. */
type JobsInFlight = Map<string, Job>

/** Runs the jobs when they are due, on the one node with the leader lease. Stopping aborts the runs in flight. */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { jobs, database, clock, log, timers, random = Math.random } = options
  const offsets = new Map(jobs.map(({ name, schedule }) => [name, random() * schedule.jitterMs]))
  const offsetMs = ({ name }: Job) => offsets.get(name) ?? 0
  const names = jobs.map(({ name }) => name)
  const inFlight: JobsInFlight = new Map()
  const poll = async (term: LeaderTerm): Promise<number> => {
    const runs = await loadJobRuns(database, names)
    const now = clock.now()
    const { due, nextAt } = planRuns({ jobs, runs, running: new Set(inFlight.keys()), now, offsetMs })
    const waitMs = nextAt === null ? MAX_SLEEP_MS : Math.max(0, nextAt.getTime() - now.getTime())
    const isHeld = await beginDue(options, due, inFlight, term)
    return Math.min(waitMs, isHeld ? HELD_MS : MAX_SLEEP_MS)
  }
  return startOutbox({
    lease: startLeaderLease(database, 'schedule', log),
    poll,
    onError: (error) => log.error({ err: error }, 'the schedule could not be read; it is tried again'),
    stopMs: STOP_MS,
    ...(timers && { sleep: (ms, signal) => timers.sleep(ms, signal) }),
  })
}

/** Begins the runs that may begin. True if a transaction has locked the row of one of them. */
async function beginDue(
  options: SchedulerOptions,
  due: readonly DueRun[],
  inFlight: JobsInFlight,
  term: LeaderTerm,
): Promise<boolean> {
  let isHeld = false
  for (const run of due) {
    const { job } = run
    if (term.signal.aborted) break
    if (run.blockedBy !== null) await noteBlocked(options, run, run.blockedBy, term)
    else if (mayBegin(job, inFlight)) {
      const begun = await runAttempt(options, run, { term: term.number, signal: term.signal })
      if (begun === null) isHeld = true
      else {
        inFlight.set(job.name, job)
        term.follow(begun.ended.then(() => void inFlight.delete(job.name)))
      }
    }
  }
  return isHeld
}

function mayBegin({ dataset }: Job, inFlight: JobsInFlight): boolean {
  return inFlight.size < MAX_PARALLEL && [...inFlight.values()].every((other) => other.dataset !== dataset)
}

async function noteBlocked(
  { database }: SchedulerOptions,
  { job, dueAt, coversTo, attempt }: DueRun,
  by: string,
  { number: term }: LeaderTerm,
): Promise<void> {
  if (attempt > 1) return // the row says why the previous attempt failed
  await noteWaiting(database, { job: job.name, dueAt, coversTo, term, detail: `waits for ${by}` })
}
