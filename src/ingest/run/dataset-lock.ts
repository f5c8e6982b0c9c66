import { setTimeout as sleep } from 'node:timers/promises'
import type { DatasetName } from '../../core/datasets.js'
import type { Database, Transaction } from '../../platform/database/database.js'
import { IngestError } from '../feed.js'
import { type LiveRun, loadLiveRun } from './ledger.js'

/** How long a command waits for a run of the same dataset. No scheduled run takes as long. */
const WAIT_MS = 10 * 60_000
const POLL_MS = 250

/** Another run of the dataset is in progress. */
export class DatasetBusy extends IngestError {
  override readonly name = 'DatasetBusy'

  constructor(dataset: DatasetName, { feed, startedAt }: LiveRun) {
    const since = startedAt.toISOString()
    super(`${dataset} already has a run in progress: ${feed}, since ${since}; try again after it ends`)
  }
}

/**
 * Opens runs of these datasets when none of them has another run in progress, in this process or any other. One
 * transaction checks and opens. While another run is in progress, it waits; it throws DatasetBusy at once if it may not
 * wait, and otherwise after ten minutes.
 */
export async function withDatasetLock<Opened>(
  database: Database,
  datasets: readonly DatasetName[],
  mayWait: boolean,
  open: (tx: Transaction) => Promise<Opened>,
): Promise<Opened> {
  const names = [...new Set(datasets)].sort()
  const deadlineMs = performance.now() + (mayWait ? WAIT_MS : 0)
  for (;;) {
    const result = await database.transaction(async (tx) => {
      const busy = await findBusy(tx, names)
      return busy === null ? { opened: await open(tx) } : { busy }
    })
    if ('opened' in result) return result.opened
    if (performance.now() >= deadlineMs) throw result.busy
    await sleep(POLL_MS)
  }
}

/** The lock makes two runs that open at the same time check one after another, so that the second sees the first. */
async function findBusy(tx: Transaction, names: readonly DatasetName[]): Promise<DatasetBusy | null> {
  for (const dataset of names) {
    await tx.rows('select pg_advisory_xact_lock(hashtext($1))::text', [`open run of ${dataset}`])
    const live = await loadLiveRun(tx, dataset)
    if (live !== null) return new DatasetBusy(dataset, live)
  }
  return null
}
