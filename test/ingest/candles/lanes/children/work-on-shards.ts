// A node that works on the shards of 64 assets in the PostgreSQL database of the first argument: each piece of work adds a row to
// the table `work`, in a transaction that holds the shard. Prints `works` once it has shards, and `lost` when another node has
// one that it was working on. The second argument: how long a lease lasts, milliseconds.
import { setTimeout as sleep } from 'node:timers/promises'
import { LANE_WORK } from '../../../../../src/ingest/candles/lanes/lane-work.js'
import { openDatabase } from '../../../../../src/platform/database/database.js'
import { BATCH_LIMITS } from '../../../../../src/platform/database/statement-limits.js'
import { createLogger } from '../../../../../src/platform/logger.js'
import { ShardLost, startShardLeases } from '../../../../../src/platform/outbox/shard-leases.js'
import { shardOf } from '../../../../../src/platform/outbox/shard-of.js'
import { processTimers } from '../../../../../src/platform/timers.js'

const SHARDS = 16
const ASSETS = 64

const [url = '', leaseMs = '0'] = process.argv.slice(2)
// The limits of ingestion: a statement that began before the node was stopped must not count as too slow after it.
const database = await openDatabase({ kind: 'postgres', url, poolSize: 3 }, { limits: BATCH_LIMITS })
const log = createLogger('fatal')
const leases = startShardLeases({
  ...{ work: LANE_WORK, database, log, timers: processTimers, shards: SHARDS },
  leaseMs: Number(leaseMs),
})

let hasWorked = false

async function workOn(assetId: number): Promise<void> {
  const permit = leases.acquire(shardOf(assetId, SHARDS))
  const term = leases.termOf(shardOf(assetId, SHARDS))
  if (permit === null || term === null) return
  try {
    await database.transaction(async (tx) => {
      await permit.fence(tx)
      await tx.rows('insert into work (asset_id, term, pid) values ($1, $2, $3)', [
        assetId,
        term,
        process.pid,
      ])
      // A node may be stopped or killed here.
      await sleep(2)
    })
    if (!hasWorked) process.stdout.write('works\n')
    hasWorked = true
  } catch (error) {
    if (!(error instanceof ShardLost)) throw error
    process.stdout.write('lost\n')
  } finally {
    permit.release()
  }
}

for (let asset = 0; ; asset = (asset + 1) % ASSETS) {
  await workOn(asset)
  await sleep(1)
}
