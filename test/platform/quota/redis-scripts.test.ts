import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GroupCharge } from '../../../src/platform/quota/consume-plan.js'
import {
  type ConsumingRedis,
  consumeGroups,
  defineConsumeScript,
  endRoundTrip,
  settleUnits,
} from '../../../src/platform/quota/redis/redis-scripts.js'
import { charge, newKey } from '../../support/counters/counter-flavours.js'
import { availableRedis } from '../../support/database/database.js'

const NOW = new Date()
const redisUrl = availableRedis()

describe.skipIf(redisUrl === null)('the round trips of a node', () => {
  let redis: ConsumingRedis

  beforeAll(() => {
    redis = defineConsumeScript(new Redis(redisUrl ?? '', { keyPrefix: 'mdg:counter:' }))
  })
  afterAll(() => redis.disconnect())

  const newRecord = () => `node:${randomUUID()}`
  const group = (key: string, units: number, refund = 0): readonly [GroupCharge] => [
    { ...charge(key, 10, units), refund, floor: { charged: 0, refunded: 0 } },
  ]
  const owed = (key: string, units: number) => ({ ...group(key, units)[0], quota: null })

  it('change nothing if they arrive after their end, or again', async () => {
    const [record, key] = [newRecord(), newKey()]
    await consumeGroups(redis, { record, number: 1 }, [group(key, 3)], NOW)
    expect(await endRoundTrip(redis, { record, number: 2 })).toBeNull()
    await consumeGroups(redis, { record, number: 2 }, [group(key, 4)], NOW)
    await consumeGroups(redis, { record, number: 1 }, [group(key, 3)], NOW)
    await settleUnits(redis, { record, number: 2 }, [owed(key, 5)], NOW)
    expect(await redis.get(key)).toBe('3')
    await settleUnits(redis, { record, number: 3 }, [owed(key, 5)], NOW)
    expect(await redis.get(key)).toBe('8')
  })

  it('say which of their groups were accepted, however often they are repeated', async () => {
    const [record, full, free] = [newRecord(), newKey(), newKey()]
    await redis.set(full, '9')
    const trip = { record, number: 1 }
    await consumeGroups(redis, trip, [group(full, 3, 1), group(free, 4)], NOW)
    expect([await redis.get(full), await redis.get(free)]).toEqual(['9 1', '4'])
    expect(await endRoundTrip(redis, trip)).toEqual([false, true])
    expect(await endRoundTrip(redis, trip)).toEqual([false, true])
    await settleUnits(redis, { record, number: 2 }, [owed(free, 1)], NOW)
    expect(await endRoundTrip(redis, { record, number: 2 })).toEqual([true])
  })

  it('keep their record for a day, and none without a change', async () => {
    const [record, other, key] = [newRecord(), newRecord(), newKey()]
    await consumeGroups(redis, { record, number: 1 }, [group(key, 1)], NOW)
    await consumeGroups(redis, { record: other, number: 1 }, [group(key, 0)], NOW)
    expect(await redis.pttl(record)).toBeGreaterThan(86_000_000)
    expect(await redis.exists(other)).toBe(0)
  })
})
