import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { withDatasetLock } from './dataset-lock.js'
import {
  type BodyFacts,
  errorText,
  failRun,
  holdRuns,
  type Ledger,
  type LedgerFeed,
  newRunId,
  type RunCounts,
  startRun,
  succeedRun,
} from './ledger.js'

export interface IngestDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'error'>
  /** False: a run throws DatasetBusy while another of its dataset is under way, in place of waiting for it. */
  readonly mayWait?: boolean
}

/** What runs, and where its body comes from. */
export interface RunTarget {
  readonly feed: LedgerFeed
  readonly origin: string
}

/** A run whose row in the ledger is open. */
export interface OpenRun {
  readonly runId: string
  readonly startedAt: Date
  /** Notes what came in, as soon as it is known: a run that fails later says so too. */
  received(body: BodyFacts): void
  /** Closes the row as succeeded; call it in the transaction of the data, so that both are stored or neither. */
  succeed(ledger: Pick<Ledger, 'prisma'>, counts: RunCounts): Promise<void>
  /** Closes the row as failed, where others of the same work go on. */
  fail(error: unknown): Promise<void>
}

/**
 * Runs `work` with a row in the ledger for each target, held while it lasts: a row of a process that was killed is known as
 * dead. No two runs of one dataset are under way at once (`withDatasetLock`). When the work throws, every row still open is closed as failed, with the reason, and the error goes on.
 */
export async function runInLedger<Result>(
  deps: IngestDeps,
  targets: readonly RunTarget[],
  work: (runs: readonly OpenRun[]) => Promise<Result>,
): Promise<Result> {
  const { database, clock, log } = deps
  const startedAt = clock.now()
  const planned = targets.map((target) => ({ ...target, runId: newRunId() }))
  const runIds = planned.map(({ runId }) => runId)
  return holdRuns(database, runIds, async () => {
    const datasets = targets.map(({ feed }) => feed.dataset)
    const runs = await withDatasetLock(database, datasets, deps.mayWait ?? true, async (tx) => {
      for (const { runId, feed, origin } of planned) {
        await startRun(tx, feed, { runId, startedAt, origin })
      }
      return planned.map(({ runId }) => ledgerRun(deps, runId, startedAt))
    })
    try {
      return await work(runs)
    } catch (error) {
      const feeds = targets.map(({ feed }) => feed.id)
      // Who asked for the run says that it failed, once.
      log.info({ feeds, runIds, reason: errorText(error) }, 'ingestion failed')
      const open = runs.filter((run) => !run.isClosed())
      await Promise.all(open.map((run) => run.fail(error))).catch((later) =>
        log.error({ runIds, reason: errorText(later) }, 'the failed run could not be noted'),
      )
      throw error
    }
  })
}

/** `runInLedger` for one target. */
export function runOneInLedger<Result>(
  deps: IngestDeps,
  target: RunTarget,
  work: (run: OpenRun) => Promise<Result>,
): Promise<Result> {
  return runInLedger(deps, [target], ([run]) => {
    if (run === undefined) throw new Error('one run was opened')
    return work(run)
  })
}

interface LedgerRun extends OpenRun {
  isClosed(): boolean
}

function ledgerRun({ database, clock }: IngestDeps, runId: string, startedAt: Date): LedgerRun {
  let body: BodyFacts | null = null
  let isFailed = false
  return {
    runId,
    startedAt,
    received: (facts) => {
      body = facts
    },
    // Not yet closed for good: the transaction may be rolled back.
    succeed: (ledger, counts) => succeedRun(ledger, runId, { finishedAt: clock.now(), body, counts }),
    fail: async (error) => {
      isFailed = true
      await failRun(database, runId, { finishedAt: clock.now(), body, error })
    },
    isClosed: () => isFailed,
  }
}
