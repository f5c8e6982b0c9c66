import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import type { Counters } from '../../../src/platform/quota/counters.js'
import {
  type CounterFlavour,
  charge,
  flavourNames,
  newKey,
  openFlavour,
  sharedFlavourNames,
} from '../../support/counters/counter-flavours.js'
import { expectExact } from '../../support/counters/exact-nodes.js'
import {
  availableDatabases,
  availableRedis,
  createPostgresDatabase,
  dropPostgresDatabase,
  MIGRATIONS,
} from '../../support/database/database.js'

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
      const taken = await counters.consume([charge(key, 30)], NOW())
      reported.push(...taken.used)
      return taken.accepted
    }
    const accepted = await Promise.all(Array.from({ length: 80 }, call))
    expect(accepted.filter((one) => one)).toHaveLength(30)
    expect(reported).toEqual([...reported].sort((a, b) => a - b))
    expect(await counters.peek([charge(key, 30)], NOW())).toEqual([30])
  })

  it('consume from all counters or from none, and report their counts', async () => {
    const [hour, month] = [newKey(), newKey()]
    const both = (units: number) => [charge(hour, 3, units), charge(month, 100, units)]
    expect(await counters.consume(both(2), NOW())).toEqual({ accepted: true, used: [2, 2] })
    expect(await counters.consume(both(2), NOW())).toEqual({ accepted: false, used: [2, 2] })
    expect(await counters.consume([charge(month, 100, 5)], NOW())).toEqual({ accepted: true, used: [7] })
    expect(await counters.consume(both(1), NOW())).toEqual({ accepted: true, used: [3, 8] })
    expect(await counters.peek(both(1), NOW())).toEqual([3, 8])
  })

  it('refuse an expensive call without excluding a cheap one, in any combination', async () => {
    const key = newKey()
    await counters.consume([charge(key, 10, 6)], NOW())
    // 4 are left: no call of 5 fits at any moment, so all four calls of 1 must.
    const calls = Array.from({ length: 24 }, (_, index) => (index % 6 === 5 ? 1 : 5))
    const taken = await Promise.all(calls.map((units) => counters.consume([charge(key, 10, units)], NOW())))
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
          const taken = await counters.consume(
            [charge(tight, quota, units), charge(wide, 1_000, units)],
            NOW(),
          )
          expect(taken).toEqual({ accepted: fits, used: [used, used] })
        }
      }),
      { numRuns: 15 },
    )
  })

  it('never hold more than the quota, and exactly the accepted units, over any concurrent costs', async () => {
    const costs = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 5, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(costs, fc.integer({ min: 1, max: 60 }), async (together, quota) => {
        const key = newKey()
        const taken = await Promise.all(
          together.map((units) => counters.consume([charge(key, quota, units)], NOW())),
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

  it('start from 0 in a new window and for an unused counter', async () => {
    const meter = newKey()
    await counters.consume([charge(`${meter}:12`, 5, 5)], NOW())
    expect(await counters.consume([charge(`${meter}:12`, 5)], NOW())).toEqual({ accepted: false, used: [5] })
    expect(await counters.peek([charge(`${meter}:13`, 5)], NOW())).toEqual([0])
    expect(await counters.consume([charge(`${meter}:13`, 5)], NOW())).toEqual({ accepted: true, used: [1] })
  })

  it('refuse a call over the whole quota and leave the counter unchanged', async () => {
    const key = newKey()
    expect(await counters.consume([charge(key, 3, 4)], NOW())).toEqual({ accepted: false, used: [0] })
    expect(await counters.consume([charge(key, 3, 3)], NOW())).toEqual({ accepted: true, used: [3] })
  })

  it('refund units, and admit them again at once', async () => {
    const [hour, month] = [newKey(), newKey()]
    const both = (units: number) => [charge(hour, 5, units), charge(month, 100, units)]
    await counters.consume(both(5), NOW())
    expect(await counters.consume(both(1), NOW())).toEqual({ accepted: false, used: [5, 5] })
    await counters.refund(both(2), NOW())
    expect(await counters.peek(both(0), NOW())).toEqual([3, 3])
    expect(await counters.consume(both(3), NOW())).toEqual({ accepted: false, used: [3, 3] })
    expect(await counters.consume(both(2), NOW())).toEqual({ accepted: true, used: [5, 5] })
  })

  it('refund at most the consumed units, and nothing in a past window', async () => {
    const [key, over] = [newKey(), newKey()]
    await counters.consume([charge(key, 9, 4)], NOW())
    await Promise.all([4, 4, 1].map((units) => counters.refund([charge(key, 9, units)], NOW())))
    expect(await counters.consume([charge(key, 9, 9)], NOW())).toEqual({ accepted: true, used: [9] })
    await counters.refund([charge(newKey(), 9, 3)], NOW())
    const ended = { ...charge(over, 9, 3), windowEnd: new Date(Date.now() - 1_000) }
    await counters.refund([ended], NOW())
    expect(await counters.peek([charge(over, 9)], NOW())).toEqual([0])
  })

  it('hold the accepted units minus the refunds, over any concurrent costs and refunds', async () => {
    const costs = fc.array(fc.record({ units: fc.integer({ min: 1, max: 9 }), isFailing: fc.boolean() }), {
      minLength: 5,
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(costs, fc.integer({ min: 10, max: 60 }), async (together, quota) => {
        const [hour, month] = [newKey(), newKey()]
        let used = 0
        const call = async ({ units, isFailing }: (typeof together)[number]) => {
          const charges = [charge(hour, quota, units), charge(month, 1_000, units)]
          const taken = await counters.consume(charges, NOW())
          expect(taken.used[0]).toBeLessThanOrEqual(quota)
          if (!taken.accepted) return
          if (isFailing) await counters.refund(charges, NOW())
          else used += units
        }
        await Promise.all(together.map(call))
        expect(await counters.peek([charge(hour, quota), charge(month, 1_000)], NOW())).toEqual([used, used])
        expect(await counters.consume([charge(hour, quota, quota - used)], NOW())).toEqual({
          accepted: true,
          used: [quota],
        })
      }),
      { numRuns: 15 },
    )
  })

  it('survive a restart, with refunds', async () => {
    const key = newKey()
    const before = flavour.open()
    await before.consume([charge(key, 9, 7)], NOW())
    await before.refund([charge(key, 9, 3)], NOW())
    await before.close()
    const after = flavour.open()
    expect(await after.peek([charge(key, 9)], NOW())).toEqual([4])
    expect(await after.consume([charge(key, 9, 5)], NOW())).toEqual({ accepted: true, used: [9] })
    await after.close()
  })

  it('survive a restart', async () => {
    const key = newKey()
    const before = flavour.open()
    await before.consume([charge(key, 9, 4)], NOW())
    await before.close()
    const after = flavour.open()
    expect(await after.peek([charge(key, 9)], NOW())).toEqual([4])
    expect(await after.consume([charge(key, 9, 6)], NOW())).toEqual({ accepted: false, used: [4] })
    expect(await after.consume([charge(key, 9, 5)], NOW())).toEqual({ accepted: true, used: [9] })
    await after.close()
  })
})

describe.skipIf(!availableDatabases().includes('postgres'))('counters in PostgreSQL', () => {
  it('refuse a spent window from memory, without a statement', async () => {
    const flavour = await openFlavour('postgres')
    const counters = flavour.open()
    const key = newKey()
    await counters.consume([charge(key, 2, 2)], NOW())
    const before = flavour.database.statementCount()
    for (let call = 0; call < 20; call += 1) {
      expect(await counters.consume([charge(key, 2)], NOW())).toEqual({ accepted: false, used: [2] })
    }
    expect(flavour.database.statementCount() - before).toBe(0)
    await counters.close()
    await flavour.close()
  })
})

describe.each(sharedFlavourNames())('two nodes on the same %s', (name) => {
  it('admit within about a second what the other has refunded', async () => {
    const flavour = await openFlavour(name)
    const [one, other] = [flavour.open(), flavour.open()]
    const key = newKey()
    await one.consume([charge(key, 5, 5)], NOW())
    expect(await other.consume([charge(key, 5)], NOW())).toEqual({ accepted: false, used: [5] })
    await one.refund([charge(key, 5, 2)], NOW())
    await sleep(1_100)
    const taken = await Promise.all([1, 2, 1].map((units) => other.consume([charge(key, 5, units)], NOW())))
    expect(taken).toEqual([
      { accepted: true, used: [4] },
      { accepted: false, used: [4] },
      { accepted: true, used: [5] },
    ])
    await Promise.all([one.close(), other.close()])
    await flavour.close()
  })
})

describe.skipIf(availableRedis() === null)('counters in Redis', () => {
  it('neither rise nor fall when Redis loses its data after a refund', async () => {
    const flavour = await openFlavour('redis')
    const counters = flavour.open()
    const redis = new Redis(availableRedis() ?? '')
    const key = newKey()
    await counters.consume([charge(key, 10, 6)], NOW())
    await counters.refund([charge(key, 10, 4)], NOW())
    expect(await redis.del(`mdg:counter:${key}`)).toBe(1)
    expect(await counters.consume([charge(key, 10, 9)], NOW())).toEqual({ accepted: false, used: [2] })
    expect(await counters.consume([charge(key, 10, 8)], NOW())).toEqual({ accepted: true, used: [10] })
    expect(await redis.get(`mdg:counter:${key}`)).toBe('14 4')
    redis.disconnect()
    await counters.close()
    await flavour.close()
  })

  it('do not fall when Redis loses its data', async () => {
    const flavour = await openFlavour('redis')
    const counters = flavour.open()
    const redis = new Redis(availableRedis() ?? '')
    const key = newKey()
    await counters.consume([charge(key, 10, 6)], NOW())
    expect(await redis.del(`mdg:counter:${key}`)).toBe(1)
    expect(await counters.consume([charge(key, 10, 5)], NOW())).toEqual({ accepted: false, used: [6] })
    expect(await counters.consume([charge(key, 10, 4)], NOW())).toEqual({ accepted: true, used: [10] })
    redis.disconnect()
    await counters.close()
    await flavour.close()
  })
})

describe('four processes with one counter', () => {
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
      const stored = await database.rows<{ used: number }>(
        'select points - refunded as used from rate_counter order by used',
      )
      const used = stored.map((row) => row.used)
      expect(used.slice(0, 6)).toEqual([500, 500, 603, 603, 777, 777])
      expect(used).toHaveLength(8)
      await database.close()
      await dropPostgresDatabase(postgresUrl)
    },
    120_000,
  )
})
