import { settledWithin } from '../../platform/settled-within.js'
import { type DueRun, planRuns } from './due.js'
import type { Job } from './job.js'
import { noteWaiting, readJobRuns } from './job-store.js'
import { type Lease, startLease } from './lease.js'
import type { SchedulerOptions } from './options.js'
import { runAttempt } from './run-attempt.js'

/** Runs at once: each is one dataset, and most of its time is waiting for a provider. */
const MAX_PARALLEL = 3

/** Longest sleep: a clock that is set forward is noticed then. */
const MAX_SLEEP_MS = 60_000

/** After a pass that failed, for instance since the database is out of reach. */
const FAILED_PASS_MS = 5_000

/** A run that cannot begin just now: its row is held by a transaction that is about to end. */
const HELD_MS = 1_000

/** How long runs under way may take to end when the process stops. */
const STOP_MS = 4_000

export interface Scheduler {
  /** Starts nothing more, aborts what runs and waits for it, for 4 s at most; the database must still be open. */
  stop(): Promise<void>
}

/** Runs the jobs when they are due, on the one node that has the lease. */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const loop = new Loop(options)
  return { stop: () => loop.stop() }
}

interface Running {
  readonly job: Job
  readonly term: number
  readonly abort: AbortController
  readonly ended: Promise<void>
}

class Loop {
  readonly #options: SchedulerOptions
  readonly #lease: Lease
  readonly #running = new Map<string, Running>()
  readonly #offsets: ReadonlyMap<string, number>
  readonly #ended: Promise<void>
  #wake = new AbortController()
  #isStopped = false

  constructor(options: SchedulerOptions) {
    this.#options = options
    const { random = Math.random } = options
    this.#offsets = new Map(options.jobs.map(({ name, schedule }) => [name, random() * schedule.jitterMs]))
    const { database, log } = options
    this.#lease = startLease({ database, log, onChange: () => this.#onLease() })
    this.#ended = this.#loop()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#wake.abort()
    for (const { abort } of this.#running.values()) abort.abort(new Error('the process was stopped'))
    const ends = [this.#ended, ...[...this.#running.values()].map(({ ended }) => ended)]
    await settledWithin(STOP_MS, Promise.all(ends))
    await this.#lease.stop()
  }

  async #loop(): Promise<void> {
    const { timers, log } = this.#options
    while (!this.#isStopped) {
      this.#wake = new AbortController()
      const { signal } = this.#wake
      const waitMs = await this.#pass().catch((error: unknown) => {
        log.error({ err: error }, 'the schedule could not be read; it is tried again')
        return FAILED_PASS_MS
      })
      if (!this.#isStopped) await timers.sleep(waitMs, signal)
    }
  }

  #onLease(): void {
    for (const { term, abort } of this.#running.values()) {
      if (this.#lease.isLost(term)) abort.abort(new Error('another node runs the schedule'))
    }
    this.#wake.abort()
  }

  /** Starts what is due and may begin; answers how long nothing else is due. */
  async #pass(): Promise<number> {
    const { jobs, database, clock } = this.#options
    const term = this.#lease.term()
    if (term === null) return MAX_SLEEP_MS
    const runs = await readJobRuns(
      database,
      jobs.map(({ name }) => name),
    )
    const now = clock.now()
    const running = new Set(this.#running.keys())
    const offsetMs = ({ name }: Job) => this.#offsets.get(name) ?? 0
    const { due, nextAt } = planRuns({ jobs, runs, running, now, offsetMs })
    let waitMs = nextAt === null ? MAX_SLEEP_MS : Math.max(0, nextAt.getTime() - now.getTime())
    for (const run of due) {
      if (run.blockedBy !== null) await this.#noteBlocked(run, run.blockedBy, term)
      else if (!this.#mayBegin(run.job)) continue
      else if (!(await this.#begin(run, term))) waitMs = Math.min(waitMs, HELD_MS)
    }
    return Math.min(waitMs, MAX_SLEEP_MS)
  }

  #mayBegin({ dataset }: Job): boolean {
    const under = [...this.#running.values()]
    return under.length < MAX_PARALLEL && under.every(({ job }) => job.dataset !== dataset)
  }

  async #noteBlocked({ job, dueAt, coversTo, attempt }: DueRun, by: string, term: number): Promise<void> {
    if (attempt > 1) return // the row says why the attempt before failed
    const detail = `waits for ${by}`
    await noteWaiting(this.#options.database, { job: job.name, dueAt, coversTo, term, detail })
  }

  async #begin(run: DueRun, term: number): Promise<boolean> {
    const abort = new AbortController()
    const begun = await runAttempt(this.#options, run, { term, signal: abort.signal })
    if (begun === null) return false
    const { job } = run
    const release = begun.ended.then(() => {
      this.#running.delete(job.name)
      this.#wake.abort()
    })
    this.#running.set(job.name, { job, term, abort, ended: release })
    return true
  }
}
