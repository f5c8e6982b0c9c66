import type { Clock } from '../../core/time.js'
import type { Database, Transaction } from '../../platform/database/database.js'
import type { ShardPermit } from '../../platform/outbox/shard-leases.js'
import { lockDataset } from '../run/lock-dataset.js'
import type { LaneLedger, LedgerEntry } from './lane-ledger.js'

export interface CommitDeps {
  readonly database: Database
  readonly clock: Clock
  readonly ledger: LaneLedger
}

/**
 * Writes answers and their entries of the ledger in one transaction, which holds the lock of the dataset. A permit holds the
 * lease on the asset's shard too; it throws ShardLost if another node has it. `write`: its instant is read under the lock, so
 * that no later transaction knows something at an earlier one.
 */
export async function commitAnswers<Written extends { readonly entries: readonly LedgerEntry[] }>(
  { database, clock, ledger }: CommitDeps,
  permit: Pick<ShardPermit, 'fence'> | null,
  write: (tx: Transaction, now: Date) => Promise<Written>,
): Promise<Written> {
  let note = () => {}
  const written = await database.transaction(async (tx) => {
    await permit?.fence(tx)
    await lockDataset(tx, 'candles')
    const now = clock.now()
    const done = await write(tx, now)
    note = await ledger.write(tx, done.entries, now)
    return done
  })
  note()
  return written
}
