import type { DatasetName } from '../../core/datasets.js'
import { startShardLeases } from '../../platform/outbox/shard-leases.js'
import type { Outbox } from '../../platform/outbox/sharded-outbox.js'
import { type ShardTurn, startShardedOutbox } from '../../platform/outbox/sharded-outbox.js'
import { processTimers } from '../../platform/timers.js'
import { type DueRun, planRuns } from './due.js'
import type { Job } from './job.js'
import { type JobRun, loadJobRuns, noteWaiting } from './job-store.js'
import type { SchedulerOptions } from './options.js'
import { runAttempt } from './run-attempt.js'
import { SCHEDULE_LEASE_MS, SCHEDULE_SHARDS, SCHEDULE_WORK, shardOfJob } from './schedule-work.js'

/** Parallel runs of a node: each handles one dataset and mostly waits for a provider. */
const MAX_PARALLEL = 3

/** The longest sleep, after which a clock that was set forward is noticed. */
const MAX_SLEEP_MS = 60_000

/** The wait for a run whose row is locked by a transaction that is about to end. */
const HELD_MS = 1_000

/** The wait for a job that another node may run. */
const BLOCKED_MS = 5_000

/** How long runs in flight may take to end when the process stops. */
const STOP_MS = 4_000

export type Scheduler = Outbox

/** The jobs that this process is running, by name. */
type JobsInFlight = Map<string, Job>

/** Runs the jobs whose shards this node has, when they are due. Stopping aborts the runs in flight. */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { jobs, database, clock, log, timers, random = Math.random } = options
  const offsets = new Map(jobs.map(({ name, schedule }) => [name, random() * schedule.jitterMs]))
  const offsetMs = ({ name }: Job) => offsets.get(name) ?? 0
  const names = jobs.map(({ name }) => name)
  const inFlight: JobsInFlight = new Map()
  const poll = async (turn: ShardTurn): Promise<number> => {
    const runs = await loadJobRuns(database, names)
    const now = clock.now()
    const own = new Set(turn.shards.map(({ shard }) => shard))
    const isOwn = ({ name }: Job) => own.has(shardOfJob(name))
    const running = new Set(inFlight.keys())
    const { due, nextAt } = planRuns({ jobs, isOwn, runs, running, now, offsetMs })
    const waitMs = nextAt === null ? MAX_SLEEP_MS : Math.max(0, nextAt.getTime() - now.getTime())
    const busy = new Set(
      jobs.filter((job) => !isOwn(job) && isInProgress(runs.get(job.name))).map(({ dataset }) => dataset),
    )
    const retryMs = await beginDue(options, { due, runs, busy }, inFlight, turn)
    return Math.min(waitMs, retryMs)
  }
  return startShardedOutbox({
    leases: startShardLeases({
      ...{ work: SCHEDULE_WORK, database, log, timers: processTimers, shards: SCHEDULE_SHARDS },
      wanted: names.map(shardOfJob),
      leaseMs: SCHEDULE_LEASE_MS,
    }),
    poll,
    onError: (error) => log.error({ err: error }, 'the schedule could not be read; it is tried again'),
    stopMs: STOP_MS,
    ...(timers && { sleep: (ms, signal) => timers.sleep(ms, signal) }),
  })
}

interface Due {
  readonly due: readonly DueRun[]
  readonly runs: ReadonlyMap<string, JobRun>
  /**
   * Datasets that another node runs a listed job of, so that no attempt is spent on them. The lock of the dataset refuses a second
   * run in any case.
   */
  readonly busy: ReadonlySet<DatasetName>
}

/** Begins the runs that may begin. Returns the milliseconds until those that may not are tried again. */
async function beginDue(
  options: SchedulerOptions,
  { due, runs, busy }: Due,
  inFlight: JobsInFlight,
  turn: ShardTurn,
): Promise<number> {
  let retryMs = MAX_SLEEP_MS
  for (const run of due) {
    if (turn.signal.aborted) break
    if (run.blockedBy !== null) {
      await noteBlocked(options, run, runs.get(run.job.name), turn)
      retryMs = Math.min(retryMs, BLOCKED_MS)
    } else if (busy.has(run.job.dataset)) {
      retryMs = Math.min(retryMs, BLOCKED_MS)
    } else if (mayBegin(run.job, inFlight) && !(await begin(options, run, inFlight, turn))) {
      retryMs = Math.min(retryMs, HELD_MS)
    }
  }
  return retryMs
}

function isInProgress(run: JobRun | undefined): boolean {
  return run?.status === 'running' && run.isHeld
}

function mayBegin({ dataset }: Job, inFlight: JobsInFlight): boolean {
  return inFlight.size < MAX_PARALLEL && [...inFlight.values()].every((other) => other.dataset !== dataset)
}

/** False if the run cannot begin now: a transaction has locked its row, or another node has its shard. */
async function begin(
  options: SchedulerOptions,
  run: DueRun,
  inFlight: JobsInFlight,
  turn: ShardTurn,
): Promise<boolean> {
  const { job } = run
  const begun = turn.begin(shardOfJob(job.name))
  if (begun === null) return false
  const attempt = await runAttempt(options, run, begun).catch((error: unknown) => {
    begun.release()
    throw error
  })
  if (attempt === null) {
    begun.release()
    return false
  }
  inFlight.set(job.name, job)
  turn.follow(
    begun,
    attempt.ended.then(() => void inFlight.delete(job.name)),
  )
  return true
}

async function noteBlocked(
  { database }: SchedulerOptions,
  { job, dueAt, coversTo, attempt, blockedBy }: DueRun,
  newest: JobRun | undefined,
  { shards }: ShardTurn,
): Promise<void> {
  if (attempt > 1) return // the row says why the previous attempt failed
  const detail = `waits for ${blockedBy}`
  const isNoted = newest?.detail === detail && newest.coversTo.getTime() === coversTo.getTime()
  const shard = shardOfJob(job.name)
  const held = shards.find((one) => one.shard === shard)
  if (isNoted || held === undefined) return
  await noteWaiting(database, { job: job.name, dueAt, coversTo, ...held, detail })
}
