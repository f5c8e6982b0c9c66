import type { DatasetName } from '../../core/datasets.js'
import type { Database, Sql, Transaction } from '../../platform/database/database.js'
import { forgetDataset } from '../../platform/database/versions/bump-dataset.js'
import { loadDatasetState, loadDatasetStates } from '../../platform/database/versions/dataset-states-store.js'
import type { SeedFeed } from '../ingestion.js'
import { INGESTED } from '../registry.js'
import { lockDataset } from '../run/lock-dataset.js'

/** Every feed of the synthetic data; those that refer to others come first. */
const SEED_FEEDS = INGESTED.flatMap(({ seed }) =>
  Object.values<SeedFeed | readonly SeedFeed[]>(seed).flat(),
).reverse()

/** Snapshots stay in their append-only table. Without the dataset, no endpoint shows those of the seed. */
const ANALYSIS: DatasetName = 'analysis'

/** Datasets that hold synthetic rows, in alphabetical order. */
export async function listSeededDatasets(sql: Sql): Promise<readonly DatasetName[]> {
  const states = await loadDatasetStates(sql)
  return [...states.values()].flatMap(({ dataset, isDevDataset }) => (isDevDataset ? dataset : [])).sort()
}

export interface RemovedSeed {
  readonly dataset: DatasetName
  /** 0 for a dataset without rows in its own tables. */
  readonly rows: number
}

/** Removes the synthetic rows of every dataset in one transaction. Live datasets do not change. */
export async function removeSeed(database: Database): Promise<readonly RemovedSeed[]> {
  return database.transaction(async (tx) => {
    const removed = new Map<DatasetName, number>()
    for (const { bound } of SEED_FEEDS) {
      const { dataset } = bound.feed
      if (!removed.has(dataset) && !(await holdsSeed(tx, dataset))) continue
      removed.set(dataset, (removed.get(dataset) ?? 0) + (await bound.sink.removeSeed(tx)))
    }
    if (await holdsSeed(tx, ANALYSIS)) removed.set(ANALYSIS, 0)
    for (const dataset of removed.keys()) await forgetDataset(tx, dataset)
    return [...removed].map(([dataset, rows]) => ({ dataset, rows }))
  })
}

async function holdsSeed(tx: Transaction, dataset: DatasetName): Promise<boolean> {
  await lockDataset(tx, dataset)
  return (await loadDatasetState(tx, dataset))?.isDevDataset === true
}
