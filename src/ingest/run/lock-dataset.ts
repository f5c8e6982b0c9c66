import type { DatasetName } from '../../core/datasets.js'
import type { Transaction } from '../../platform/database/database.js'

/** Locks the dataset until the transaction ends; otherwise two runs would both see its old state. */
export async function lockDataset(tx: Transaction, dataset: DatasetName): Promise<void> {
  await tx.rows('select pg_advisory_xact_lock(hashtext($1))::text', [`ingest ${dataset}`])
}
