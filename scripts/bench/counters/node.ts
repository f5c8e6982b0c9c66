import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createLogger } from '../../../src/platform/logger.js'
import type * as Module from '../../../src/platform/quota/redis/redis-counters.js'

// One node with counters in Redis: for each line it charges accounts in turn as fast as it can, and prints what that took.

export interface NodeOrder {
  /** A compiled tree of the gateway. */
  readonly checkout: string
  readonly redisUrl: string
  readonly accounts: number
  /** Calls that wait at the same time. */
  readonly concurrency: number
}

export interface NodeRound {
  readonly calls: number
  readonly seconds: number
  readonly cpuSeconds: number
}

const DAY_MS = 86_400_000
const QUOTA = 1_000_000_000

const order = JSON.parse(process.argv[2] ?? '') as NodeOrder // written by run.ts
const module = resolve(order.checkout, 'dist/platform/counters/redis/redis-counters.js')
const { RedisCounters } = (await import(module)) as typeof Module // the same class, of that tree
const log = createLogger('warn', { write: (line: string) => void process.stderr.write(line) })
const clock = { now: () => new Date() }
const counters = new RedisCounters(order.redisUrl, clock, log, async () => new Map())

/** As the meter makes them: a list for each account, which its requests share. */
const windowEnd = new Date(Date.now() + DAY_MS)
const lists = Array.from({ length: order.accounts }, (_, index) => {
  const owner = `bench-${index}`
  return ['hour', 'month'].map((name) => ({
    key: `${owner}:${name}`,
    owner,
    quota: QUOTA,
    units: 1,
    windowEnd,
  }))
})

async function runRound(seconds: number): Promise<NodeRound> {
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const endsAt = startedAt + seconds * 1_000
  let calls = 0
  const lane = async () => {
    while (performance.now() < endsAt) {
      const charges = lists[calls % lists.length] ?? []
      calls += 1
      await counters.consume(charges, new Date())
    }
  }
  await Promise.all(Array.from({ length: order.concurrency }, lane))
  const { user, system } = process.cpuUsage(cpu)
  return { calls, seconds: (performance.now() - startedAt) / 1_000, cpuSeconds: (user + system) / 1e6 }
}

while (!counters.isRedisUp()) await new Promise((done) => setTimeout(done, 20))
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await runRound(Number(line)))}\n`)
}
await counters.close()
