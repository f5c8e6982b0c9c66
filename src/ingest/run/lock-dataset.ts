import type { DatasetName } from '../../core/datasets.js'
import type { Transaction } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'

const lockOf = (dataset: DatasetName) => `ingest ${dataset}`

/** Locks the dataset until the transaction ends; otherwise two runs would both see its old state. */
export async function lockDataset(tx: Transaction, dataset: DatasetName): Promise<void> {
  await tx.rows('select pg_advisory_xact_lock(hashtext($1))::text', [lockOf(dataset)])
}

// Plain SQL: Prisma has no advisory locks.
const TRY_LOCK = statement({ isMine: 'bool' }, 'select pg_try_advisory_xact_lock(hashtext($1)) as "isMine"')

/** Takes the same lock without waiting; false if another transaction has it. */
export async function tryLockDataset(tx: Transaction, dataset: DatasetName): Promise<boolean> {
  const [lock] = await tx.rows(TRY_LOCK, [lockOf(dataset)])
  return lock?.isMine === true
}
