import type { DatasetName } from '../../core/datasets.js'
import { shardOfText } from '../../platform/outbox/shard-of.js'
import type { ShardedWork } from '../../platform/outbox/sharded-work.js'

export const SCHEDULE_SHARDS = 16

/** How long a lease lasts without renewal: a killed node delays its jobs by this time and one renewal. */
export const SCHEDULE_LEASE_MS = 5_000

/**
 * Nodes share the jobs by datasets, so that one node knows which jobs of a dataset run. A provider's limit holds for each run, and
 * one run of a job is in progress at a time, so more nodes do not raise it.
 */
export const SCHEDULE_WORK: ShardedWork = {
  name: 'schedule',
  nodes: 'schedule_node',
  shards: 'schedule_shard',
  formerLease: 'schedule',
}

/** The shard of a dataset's jobs. */
export function shardOfDataset(dataset: DatasetName): number {
  return shardOfText(dataset, SCHEDULE_SHARDS)
}
