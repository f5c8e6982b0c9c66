import { shardOfText } from '../../platform/outbox/shard-of.js'
import { declareShardedWork } from '../../platform/outbox/shard-statements.js'

/** So many that each job has a shard for itself. */
export const SCHEDULE_SHARDS = 65_536

/** How long a lease lasts without renewal: a killed node delays its jobs by this time and one renewal. */
export const SCHEDULE_LEASE_MS = 5_000

/** Nodes share the jobs. A shard is a job, so a node takes the jobs of its SCHEDULE, and others take the others. */
export const SCHEDULE_WORK = declareShardedWork({
  name: 'schedule',
  nodes: 'schedule_node',
  shards: 'schedule_shard',
})

export function shardOfJob(name: string): number {
  return shardOfText(name, SCHEDULE_SHARDS)
}
