import { resolve } from 'node:path'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Counters } from '../../src/platform/counters.js'
import { openDatabase } from '../../src/platform/database.js'
import { migrate } from '../../src/platform/migrate.js'
import { type Child, startChild } from '../support/child.js'
import {
  type CounterFlavour,
  charge,
  flavourNames,
  newKey,
  openFlavour,
} from '../support/counter-flavours.js'
import type { Accepted, WorkerOrder, WorkerStore } from '../support/counter-worker.js'
import {
  availableDatabases,
  availableRedis,
  createPostgresDatabase,
  dropPostgresDatabase,
  MIGRATIONS,
} from '../support/database.js'

const NOW = () => new Date()

describe.each(flavourNames())('counters in %s', (name) => {
  let flavour: CounterFlavour
  let counters: Counters

  beforeAll(async () => {
    flavour = await openFlavour(name)
    counters = flavour.open()
  })

  afterAll(async () => {
    await counters.close()
    await flavour.close()
  })

  it('accept exactly the quota of concurrent unit calls, and never report a lower count than before', async () => {
    const key = newKey()
    const reported: number[] = []
    const call = async () => {
      const taken = await counters.take([charge(key, 30)], NOW())
      reported.push(...taken.used)
      return taken.accepted
    }
    const accepted = await Promise.all(Array.from({ length: 80 }, call))
    expect(accepted.filter((one) => one)).toHaveLength(30)
    expect(reported).toEqual([...reported].sort((a, b) => a - b))
    expect(await counters.peek([charge(key, 30)], NOW())).toEqual([30])
  })

  it('take from all counters or from none, and tell how they stand', async () => {
    const [hour, month] = [newKey(), newKey()]
    const both = (units: number) => [charge(hour, 3, units), charge(month, 100, units)]
    expect(await counters.take(both(2), NOW())).toEqual({ accepted: true, used: [2, 2] })
    expect(await counters.take(both(2), NOW())).toEqual({ accepted: false, used: [2, 2] })
    expect(await counters.take([charge(month, 100, 5)], NOW())).toEqual({ accepted: true, used: [7] })
    expect(await counters.take(both(1), NOW())).toEqual({ accepted: true, used: [3, 8] })
    expect(await counters.peek(both(1), NOW())).toEqual([3, 8])
  })

  it('refuse a dear call without keeping a cheap one out, however they come together', async () => {
    const key = newKey()
    await counters.take([charge(key, 10, 6)], NOW())
    // 4 are left: no call of 5 fits at any moment, so all four calls of 1 must.
    const calls = Array.from({ length: 24 }, (_, index) => (index % 6 === 5 ? 1 : 5))
    const taken = await Promise.all(calls.map((units) => counters.take([charge(key, 10, units)], NOW())))
    expect(taken.map((one) => one.accepted)).toEqual(calls.map((units) => units === 1))
    expect(await counters.peek([charge(key, 10)], NOW())).toEqual([10])
  })

  it('agree with plain addition over any sequence of costs', async () => {
    const costs = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(costs, fc.integer({ min: 0, max: 40 }), async (sequence, quota) => {
        const [tight, wide] = [newKey(), newKey()]
        let used = 0
        for (const units of sequence) {
          const fits = used + units <= quota
          if (fits) used += units
          const taken = await counters.take([charge(tight, quota, units), charge(wide, 1_000, units)], NOW())
          expect(taken).toEqual({ accepted: fits, used: [used, used] })
        }
      }),
      { numRuns: 15 },
    )
  })

  it('never hold more than the quota and exactly what was accepted, over any concurrent costs', async () => {
    const costs = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 5, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(costs, fc.integer({ min: 1, max: 60 }), async (together, quota) => {
        const key = newKey()
        const taken = await Promise.all(
          together.map((units) => counters.take([charge(key, quota, units)], NOW())),
        )
        const units = together.filter((_, index) => taken[index]?.accepted).reduce((sum, one) => sum + one, 0)
        const refused = together.filter((_, index) => !taken[index]?.accepted)
        expect(units).toBeLessThanOrEqual(quota)
        expect(await counters.peek([charge(key, quota)], NOW())).toEqual([units])
        // Nothing was refused that still fits now: counts only rise, so it fitted then too.
        expect(refused.filter((one) => units + one <= quota)).toEqual([])
      }),
      { numRuns: 15 },
    )
  })

  it('begin anew in a new window and know nothing of a counter nobody touched', async () => {
    const meter = newKey()
    await counters.take([charge(`${meter}:12`, 5, 5)], NOW())
    expect(await counters.take([charge(`${meter}:12`, 5)], NOW())).toEqual({ accepted: false, used: [5] })
    expect(await counters.peek([charge(`${meter}:13`, 5)], NOW())).toEqual([0])
    expect(await counters.take([charge(`${meter}:13`, 5)], NOW())).toEqual({ accepted: true, used: [1] })
  })

  it('refuse what is over the whole quota and leave the counter as it was', async () => {
    const key = newKey()
    expect(await counters.take([charge(key, 3, 4)], NOW())).toEqual({ accepted: false, used: [0] })
    expect(await counters.take([charge(key, 3, 3)], NOW())).toEqual({ accepted: true, used: [3] })
  })

  it('survive a restart', async () => {
    const key = newKey()
    const before = flavour.open()
    await before.take([charge(key, 9, 4)], NOW())
    await before.close()
    const after = flavour.open()
    expect(await after.peek([charge(key, 9)], NOW())).toEqual([4])
    expect(await after.take([charge(key, 9, 6)], NOW())).toEqual({ accepted: false, used: [4] })
    expect(await after.take([charge(key, 9, 5)], NOW())).toEqual({ accepted: true, used: [9] })
    await after.close()
  })
})

describe.skipIf(!availableDatabases().includes('postgres'))('counters in PostgreSQL', () => {
  it('refuse a spent window from memory, without a statement', async () => {
    const flavour = await openFlavour('postgres')
    const counters = flavour.open()
    const key = newKey()
    await counters.take([charge(key, 2, 2)], NOW())
    const before = flavour.database.statementCount()
    for (let call = 0; call < 20; call += 1) {
      expect(await counters.take([charge(key, 2)], NOW())).toEqual({ accepted: false, used: [2] })
    }
    expect(flavour.database.statementCount() - before).toBe(0)
    await counters.close()
    await flavour.close()
  })
})

describe.skipIf(availableRedis() === null)('counters in Redis', () => {
  it('do not fall when Redis loses its data', async () => {
    const flavour = await openFlavour('redis')
    const counters = flavour.open()
    const redis = new Redis(availableRedis() ?? '')
    const key = newKey()
    await counters.take([charge(key, 10, 6)], NOW())
    expect(await redis.del(`mdg:counter:${key}`)).toBe(1)
    expect(await counters.take([charge(key, 10, 5)], NOW())).toEqual({ accepted: false, used: [6] })
    expect(await counters.take([charge(key, 10, 4)], NOW())).toEqual({ accepted: true, used: [10] })
    redis.disconnect()
    await counters.close()
    await flavour.close()
  })
})

const WORKER = resolve(import.meta.dirname, '../support/counter-worker.ts')

/** Four nodes in processes of their own, on the same store. */
async function startNodes(store: WorkerStore): Promise<readonly Child[]> {
  const nodes = Array.from({ length: 4 }, () => startChild(WORKER, JSON.stringify(store)))
  for (const node of nodes) expect(await node.line()).toBe('ready')
  return nodes
}

/** All nodes take from the same counters at once, 1,600 calls in all; what they accepted together. */
async function hammer(nodes: readonly Child[], order: Pick<WorkerOrder, 'keys' | 'quotas' | 'costs'>) {
  for (const node of nodes) node.send(`${JSON.stringify({ ...order, calls: 400, concurrency: 20 })}\n`)
  const sum = { units: 0, calls: 0 }
  for (const node of nodes) {
    const accepted = JSON.parse(await node.line()) as Accepted // printed by the worker
    sum.units += accepted.units
    sum.calls += accepted.calls
  }
  return sum
}

async function expectExact(store: WorkerStore): Promise<void> {
  const nodes = await startNodes(store)
  const unit = await hammer(nodes, { keys: [newKey(), newKey()], quotas: [777, 5_000], costs: [1] })
  expect(unit).toEqual({ units: 777, calls: 777 })
  // Calls of 1 use up whatever calls of 5 leave open.
  const mixed = await hammer(nodes, { keys: [newKey(), newKey()], quotas: [5_000, 603], costs: [5, 1] })
  expect(mixed.units).toBe(603)
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')))
}

describe('four processes at one counter', () => {
  it.skipIf(availableRedis() === null)(
    'accept exactly the quota with Redis',
    async () => {
      await expectExact({ postgresUrl: null, redisUrl: availableRedis() })
    },
    120_000,
  )

  it.skipIf(!availableDatabases().includes('postgres'))(
    'accept exactly the quota with PostgreSQL',
    async () => {
      const postgresUrl = await createPostgresDatabase()
      const database = await openDatabase({ kind: 'postgres', url: postgresUrl, poolSize: 1 })
      await migrate(database, MIGRATIONS)
      await expectExact({ postgresUrl, redisUrl: null })
      const stored = await database.rows('select points from rate_counter order by points')
      expect(stored).toEqual([{ points: 603 }, { points: 603 }, { points: 777 }, { points: 777 }])
      await database.close()
      await dropPostgresDatabase(postgresUrl)
    },
    120_000,
  )
})
