import { createInterface } from 'node:readline'
import { systemClock } from '../../../src/core/time.js'
import type { Charge, Counters } from '../../../src/platform/counters/counters.js'
import { PostgresCounters } from '../../../src/platform/counters/postgres-counters.js'
import { RedisCounters } from '../../../src/platform/counters/redis/redis-counters.js'
import { createLogger } from '../../../src/platform/logger.js'

// One node of several: for each order on a line it takes from the counters as fast as it can and prints what was accepted.

export interface WorkerStore {
  readonly postgresUrl: string | null
  readonly redisUrl: string | null
}

export interface WorkerOrder {
  readonly keys: readonly string[]
  readonly quotas: readonly number[]
  /** Units of the calls, in turn. */
  readonly costs: readonly number[]
  readonly calls: number
  readonly concurrency: number
  /** Every so many accepted calls one is given back; 0: none. */
  readonly refundEvery: number
}

export interface Accepted {
  /** Less those given back. */
  readonly units: number
  readonly calls: number
}

const store = JSON.parse(process.argv[2] ?? '') as WorkerStore // written by the test
const { counters, close } = await openNode()

interface Node {
  readonly counters: Counters
  close(): Promise<void>
}

async function openNode(): Promise<Node> {
  if (store.redisUrl !== null) {
    const counters = new RedisCounters(
      store.redisUrl,
      systemClock,
      createLogger('silent'),
      async () => new Map(),
    )
    return { counters, close: () => counters.close() }
  }
  // Loaded only here: the database client makes up most of a process's start.
  const { openDatabase } = await import('../../../src/platform/database/database.js')
  const database = await openDatabase({ kind: 'postgres', url: store.postgresUrl ?? '', poolSize: 4 })
  const counters = new PostgresCounters(database, createLogger('silent'))
  return { counters, close: () => database.close() }
}

async function hammer(order: WorkerOrder): Promise<Accepted> {
  let next = 0
  const accepted = { units: 0, calls: 0 }
  let takes = 0
  const windowEnd = new Date(Date.now() + 3_600_000)
  const lane = async () => {
    while (next < order.calls) {
      const units = order.costs[next % order.costs.length] ?? 1
      next += 1
      const charges: Charge[] = order.keys.map((key, index) => ({
        key,
        units,
        windowEnd,
        quota: order.quotas[index] ?? 0,
      }))
      const taken = await counters.consume(charges, new Date())
      if (!taken.accepted) continue
      takes += 1
      if (order.refundEvery > 0 && takes % order.refundEvery === 0) {
        await counters.refund(charges, new Date())
        continue
      }
      accepted.units += units
      accepted.calls += 1
    }
  }
  await Promise.all(Array.from({ length: order.concurrency }, lane))
  return accepted
}

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await hammer(JSON.parse(line)))}\n`)
}
await close()
