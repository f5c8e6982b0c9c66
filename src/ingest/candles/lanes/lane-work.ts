import { declareShardedWork } from '../../../platform/outbox/shard-statements.js'

/** The assets of the lanes, which the nodes share. */
export const LANE_WORK = declareShardedWork({
  name: 'candle lanes',
  nodes: 'lane_node',
  shards: 'lane_shard',
})

/** At least the number of nodes: a shard has one. */
export const LANE_SHARDS = 16

/** How long a lease lasts without renewal. A node that is gone delays the bars of its assets by this time. */
export const LANE_LEASE_MS = 30_000
