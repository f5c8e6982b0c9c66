import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { withDatasetLock } from './dataset-lock.js'
import {
  type BodyDigest,
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
  /** If false, a run throws DatasetBusy instead of waiting for another run of its dataset. */
  readonly mayWait?: boolean
}

/** The feed that runs, and the source of its body. */
export interface RunTarget {
  readonly feed: LedgerFeed
  readonly origin: string
}

/** A run with an open ledger row. */
export interface OpenRun {
  readonly runId: string
  readonly startedAt: Date
  /** Records the facts of the body as soon as they are known, so that a later failure has them too. */
  received(body: BodyDigest): void
  /** Closes the row as succeeded; call it in the transaction of the data, so that both are stored or neither. */
  succeed(ledger: Pick<Ledger, 'prisma'>, counts: RunCounts): Promise<void>
  /** Closes the row as failed while other runs of the same work continue. */
  fail(error: unknown): Promise<void>
}

/**
 * Runs `work` with a ledger row for each target. The rows are held while it runs, so that the rows of a killed process are
 * recognized as dead. A dataset never has two runs in progress (`withDatasetLock`). If the work throws, every row that is
 * still open is closed as failed, with the reason, and the error is thrown on.
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
      // Level info only: the caller reports the failure, once.
      log.info({ feeds, runIds, reason: errorText(error) }, 'ingestion failed')
      const open = runs.filter((run) => !run.isClosed())
      await Promise.all(open.map((run) => run.fail(error))).catch((later) =>
        log.error({ runIds, reason: errorText(later) }, 'the failed run could not be recorded'),
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
  let body: BodyDigest | null = null
  let isFailed = false
  return {
    runId,
    startedAt,
    received: (facts) => {
      body = facts
    },
    // `isClosed` stays false, because the transaction may still be rolled back.
    succeed: (ledger, counts) => succeedRun(ledger, runId, { finishedAt: clock.now(), body, counts }),
    fail: async (error) => {
      isFailed = true
      await failRun(database, runId, { finishedAt: clock.now(), body, error })
    },
    isClosed: () => isFailed,
  }
}
