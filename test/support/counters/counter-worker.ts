import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/core/time.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { Charge, Counters } from '../../../src/platform/quota/counters.js'
import { PostgresCounters } from '../../../src/platform/quota/postgres-counters.js'
import { RedisCounters } from '../../../src/platform/quota/redis/redis-counters.js'

// One node of several: for each order on a line it takes from the counters as fast as it can and prints what was accepted.

export interface WorkerStore {
  readonly postgresUrl: string | null
  readonly redisUrl: string | null
}

/** The counters that one call charges. */
export interface WorkerAccount {
  readonly keys: readonly string[]
  readonly quotas: readonly number[]
}

export interface WorkerOrder {
  /** Called in turn. The first key names the owner of the counters. */
  readonly accounts: readonly WorkerAccount[]
  /** Units of the calls, in turn. */
  readonly costs: readonly number[]
  readonly calls: number
  /** Calls go on for this long, whatever `calls` says; null: until all calls are made. */
  readonly runMs: number | null
  readonly concurrency: number
  /** Every so many accepted calls one is given back; 0: none. */
  readonly refundEvery: number
}

export interface Accepted {
  /** Less those given back. */
  readonly units: number
  readonly calls: number
  /** Accepted or not. */
  readonly requests: number
  /** Units by the first key of the account. */
  readonly unitsOf: Readonly<Record<string, number>>
}

const BACK_MS = 60_000

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
  const unitsOf: Record<string, number> = {}
  const accepted = { units: 0, calls: 0, requests: 0, unitsOf }
  let takes = 0
  const endsAt = performance.now() + (order.runMs ?? 0)
  const isOver = () => (order.runMs === null ? next >= order.calls : performance.now() >= endsAt)
  const windowEnd = new Date(Date.now() + 3_600_000)
  const lane = async () => {
    while (!isOver()) {
      const units = order.costs[next % order.costs.length] ?? 1
      const { keys, quotas } = order.accounts[next % order.accounts.length] ?? { keys: [], quotas: [] }
      const [owner = ''] = keys
      next += 1
      const charges: Charge[] = keys.map((key, index) => ({
        key,
        owner,
        units,
        windowEnd,
        quota: quotas[index] ?? 0,
      }))
      const answer = counters.consume(charges, new Date())
      // An answer from memory must not keep the process from reading those of the store.
      if (!(answer instanceof Promise)) await new Promise(setImmediate)
      const taken = await answer
      accepted.requests += 1
      if (!taken.accepted) continue
      takes += 1
      if (order.refundEvery > 0 && takes % order.refundEvery === 0) {
        await counters.refund(charges, new Date())
        continue
      }
      accepted.units += units
      accepted.calls += 1
      unitsOf[owner] = (unitsOf[owner] ?? 0) + units
    }
  }
  await Promise.all(Array.from({ length: order.concurrency }, lane))
  // What was counted during an outage is in the store when it is counted there again.
  for (const deadline = performance.now() + BACK_MS; counters.isRedisUp?.() === false; await sleep(20))
    if (performance.now() > deadline) throw new Error('Redis did not come back')
  return accepted
}

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await hammer(JSON.parse(line)))}\n`)
}
await close()
