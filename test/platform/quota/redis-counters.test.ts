import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/core/time.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { Charge, Counters } from '../../../src/platform/quota/counters.js'
import { createRecordedUse, type ReadRecordedUse } from '../../../src/platform/quota/recorded-use.js'
import { RedisCounters } from '../../../src/platform/quota/redis/redis-counters.js'
import { REDIS_ANSWER_MS } from '../../../src/platform/redis/redis-answer.js'
import { TestClock } from '../../support/app/app.js'
import { type CounterFlavour, charge, newKey, openFlavour } from '../../support/counters/counter-flavours.js'
import { availableDatabases, availableRedis, openTestDatabase } from '../../support/database/database.js'
import {
  BLACK_HOLE,
  type CuttableProxy,
  type Disturbance,
  startCuttableProxy,
} from '../../support/peers/cuttable-proxy.js'

const NOW = () => new Date()
const LOST = 'Redis is lost: each node counts by itself until it is back'
const BACK = 'Redis is back: counting there again'
const redisUrl = availableRedis()
/** Of a database without use. */
const NOTHING_RECORDED: ReadRecordedUse = async () => new Map()

describe.skipIf(redisUrl === null)('a node that loses Redis', () => {
  let proxy: CuttableProxy
  let redis: Redis
  let counters: Counters
  const lines: { msg: string }[] = []

  beforeAll(async () => {
    redis = new Redis(redisUrl ?? '')
    proxy = await startCuttableProxy(redisUrl ?? '')
    const log = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
    counters = new RedisCounters(proxy.url, systemClock, log, NOTHING_RECORDED)
  })

  afterAll(async () => {
    await counters.close()
    await proxy.close()
    redis.disconnect()
  })

  // The next test begins when the node counts in Redis again.
  afterEach(async () => {
    const times = (message: string) => lines.filter(({ msg }) => msg === message).length
    await until(async () => times(LOST) === times(BACK))
  })

  /** What Redis itself holds. */
  const stored = async (key: string) => Number(await redis.get(`mdg:counter:${key}`))

  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (const deadline = Date.now() + 5_000; Date.now() < deadline; await sleep(20))
      if (await holds()) return
    throw new Error('did not come true in 5 s')
  }

  it('goes on from the last known counts, admits no more than was left, and settles when Redis is back', async () => {
    const key = newKey()
    expect(await counters.consume([charge(key, 10, 4)], NOW())).toEqual({ accepted: true, used: [4] })
    proxy.cut()
    expect(await counters.consume([charge(key, 10, 3)], NOW())).toEqual({ accepted: true, used: [7] })
    expect(await counters.consume([charge(key, 10, 4)], NOW())).toEqual({ accepted: false, used: [7] })
    expect(await counters.peek([charge(key, 10)], NOW())).toEqual([7])
    expect(await stored(key)).toBe(4)
    // Meanwhile another node, which still reaches Redis, takes 1.
    await redis.incrby(`mdg:counter:${key}`, 1)
    proxy.mend()
    await until(async () => (await stored(key)) === 8)
    // Redis holds what was owed a moment before the node knows that it does.
    await until(async () => lines.some(({ msg }) => msg === BACK))
    expect(await counters.consume([charge(key, 10, 2)], NOW())).toEqual({ accepted: true, used: [10] })
    expect(await stored(key)).toBe(10)
    expect(lines.map((line) => line.msg)).toEqual([LOST, BACK])
  })

  it('does not wait for a Redis that is connected but silent', async () => {
    const key = newKey()
    await counters.consume([charge(key, 10)], NOW())
    proxy.mute()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    /** How often an answer of Redis was waited for since the last call; a wait has ten parts. */
    const waits = () => {
      const parts = timers.mock.calls.filter(([, ms]) => ms === REDIS_ANSWER_MS / 10).length
      timers.mockClear()
      return parts / 10
    }
    expect(await counters.consume([charge(key, 10)], NOW())).toEqual({ accepted: true, used: [2] })
    expect([1, 2, 3]).toContain(waits())
    for (let call = 0; call < 20; call += 1) await counters.consume([charge(key, 10)], NOW())
    expect(waits()).toBeLessThan(3)
    timers.mockRestore()
    expect(await counters.peek([charge(key, 10)], NOW())).toEqual([10])
    proxy.mend()
    await until(async () => (await stored(key)) === 10)
  })

  it('counts calls that were in progress one by one, and settles all of them', async () => {
    const [key, other] = [newKey(), newKey()]
    await counters.consume([charge(key, 10, 2)], NOW())
    proxy.mute()
    const units = [3, 6, 1, 4, 1]
    const taken = await Promise.all([
      ...units.map((one) => counters.consume([charge(key, 10, one)], NOW())),
      counters.consume([charge(other, 10, 7)], NOW()),
    ])
    expect(taken).toEqual([
      { accepted: true, used: [5] },
      { accepted: false, used: [5] },
      { accepted: true, used: [6] },
      { accepted: true, used: [10] },
      { accepted: false, used: [10] },
      { accepted: true, used: [7] },
    ])
    expect([await stored(key), await stored(other)]).toEqual([2, 0])
    proxy.mend()
    await until(async () => (await stored(key)) === 10 && (await stored(other)) === 7)
  })

  it('refunds locally while Redis is away, and in Redis once it is back', async () => {
    const key = newKey()
    await counters.consume([charge(key, 10, 8)], NOW())
    proxy.cut()
    expect(await counters.consume([charge(key, 10, 2)], NOW())).toEqual({ accepted: true, used: [10] })
    await counters.refund([charge(key, 10, 5)], NOW())
    expect(await counters.consume([charge(key, 10, 4)], NOW())).toEqual({ accepted: true, used: [9] })
    proxy.mend()
    await until(async () => (await redis.get(`mdg:counter:${key}`)) === '14 5')
    expect(await counters.peek([charge(key, 10)], NOW())).toEqual([9])
  })

  it('never reports a lower count over loss and return, under any load', async () => {
    const key = newKey()
    const reported: number[] = []
    const phases = [() => {}, () => proxy.cut(), () => proxy.mend(), () => proxy.mute(), () => proxy.mend()]
    for (const begin of phases) {
      begin()
      for (const end = Date.now() + 700; Date.now() < end; await sleep(1)) {
        reported.push((await counters.consume([charge(key, 1_000_000)], NOW())).used[0] ?? 0)
      }
    }
    expect(reported.filter((used, index) => used <= (reported[index - 1] ?? 0))).toEqual([])
    await until(async () => counters.isRedisUp?.() === true)
    expect(await stored(key)).toBe(reported.length)
  })

  it('starts without Redis and connects later', async () => {
    proxy.cut()
    const log = createLogger('silent')
    const late = new RedisCounters(proxy.url, systemClock, log, NOTHING_RECORDED)
    const key = newKey()
    expect(await late.consume([charge(key, 3, 2)], NOW())).toEqual({ accepted: true, used: [2] })
    expect(await late.consume([charge(key, 3, 2)], NOW())).toEqual({ accepted: false, used: [2] })
    proxy.mend()
    await until(async () => (await stored(key)) === 2)
    await late.close()
  })
})

describe.skipIf(redisUrl === null)('a node whose Redis answers get lost', () => {
  let proxy: CuttableProxy
  let redis: Redis

  beforeAll(async () => {
    redis = new Redis(redisUrl ?? '')
    proxy = await startCuttableProxy(redisUrl ?? '')
  })

  afterEach(() => proxy.mend())

  afterAll(async () => {
    await proxy.close()
    redis.disconnect()
  })

  const open = () => new RedisCounters(proxy.url, systemClock, createLogger('silent'), NOTHING_RECORDED)
  const content = (key: string) => redis.get(`mdg:counter:${key}`)
  const stored = async (key: string) => Number(await content(key))
  /** Until a node that lost Redis counts there again, with all that it owed on the counters. */
  const isBack = (node: Counters) => expect.poll(() => node.isRedisUp?.(), { timeout: 5_000 }).toBe(true)

  it.each([
    ['the take', 'test:', 1],
    ['the take and its settlement', 'test:', 2],
    ['the take and the question what became of it', 'mdg:counter:node:', 3],
  ])(
    'counts a consumption once if the answer to %s is lost after Redis applied it',
    async (_, text, times) => {
      const node = open()
      const [key, other] = [newKey(), newKey()]
      await Promise.all([
        node.consume([charge(key, 100, 2)], NOW()),
        node.consume([charge(other, 100, 5)], NOW()),
      ])
      const lost = proxy.loseAnswers(text, times)
      const under = await Promise.all([
        node.consume([charge(key, 100, 4)], NOW()),
        node.consume([charge(other, 100, 1)], NOW()),
      ])
      expect(under.map(({ used }) => used)).toEqual([[6], [6]])
      expect(await node.consume([charge(key, 100)], NOW())).toEqual({ accepted: true, used: [7] })
      await lost
      await isBack(node)
      expect(await node.consume([charge(key, 100)], NOW())).toEqual({ accepted: true, used: [8] })
      expect([await content(key), await content(other)]).toEqual(['8', '6'])
      await node.close()
    },
  )

  it('refunds once if the answer to a refund is lost, whether or not Redis applied it', async () => {
    const node = open()
    const key = newKey()
    await node.consume([charge(key, 100, 9)], NOW())
    const lost = proxy.loseAnswers(key, 1)
    await node.refund([charge(key, 100, 4)], NOW())
    await lost
    await isBack(node)
    expect(await content(key)).toBe('9 4')
    proxy.disturb(BLACK_HOLE)
    await node.refund([charge(key, 100, 3)], NOW())
    proxy.pass()
    await isBack(node)
    expect(await content(key)).toBe('9 7')
    expect(await node.peek([charge(key, 100)], NOW())).toEqual([2])
    await node.close()
  })

  it('refunds what Redis consumed for a caller that the node refused meanwhile', async () => {
    const [node, neighbour] = [
      open(),
      new RedisCounters(redisUrl ?? '', systemClock, createLogger('silent'), NOTHING_RECORDED),
    ]
    const key = newKey()
    await node.consume([charge(key, 10, 2)], NOW())
    const lost = proxy.loseAnswers(key, 1)
    // In one round trip, where refunds come first; by itself the node judges them in order.
    const [, taken] = await Promise.all([
      node.refund([charge(key, 10)], NOW()),
      node.consume([charge(key, 10, 10)], NOW()),
      node.refund([charge(key, 10)], NOW()),
    ])
    await lost
    expect(taken).toEqual({ accepted: false, used: [1] })
    await isBack(node)
    expect(await neighbour.peek([charge(key, 10)], NOW())).toEqual([0])
    await Promise.all([node.close(), neighbour.close()])
  })

  it('counts locally if Redis accepts connections but never answers, and settles later', async () => {
    proxy.disturb(BLACK_HOLE)
    const node = open()
    const key = newKey()
    expect(await node.consume([charge(key, 3, 2)], NOW())).toEqual({ accepted: true, used: [2] })
    proxy.pass()
    await expect.poll(() => stored(key), { timeout: 5_000 }).toBe(2)
    await node.close()
  })

  it.each<readonly [string, Disturbance]>([
    ['everything', BLACK_HOLE],
    ['the answers', { towards: 'client', passBytes: 0 }],
    ['all but the beginning of an answer', { towards: 'client', passBytes: 3 }],
  ])(
    'counts on while %s is swallowed for a moment, and takes no later answer for a lost one',
    async (_, way) => {
      const node = open()
      const [key, other] = [newKey(), newKey()]
      await node.consume([charge(key, 100)], NOW())
      proxy.disturb(way)
      expect(await node.consume([charge(key, 100)], NOW())).toEqual({ accepted: true, used: [2] })
      proxy.pass()
      await isBack(node)
      expect(await stored(key)).toBe(2)
      expect(await node.consume([charge(other, 100, 7)], NOW())).toEqual({ accepted: true, used: [7] })
      await expect.poll(() => stored(other), { timeout: 5_000 }).toBe(7)
      expect(await node.peek([charge(other, 100)], NOW())).toEqual([7])
      await node.close()
    },
  )

  it('closes in bounded time', async () => {
    const node = open()
    await node.consume([charge(newKey(), 3)], NOW())
    proxy.disturb(BLACK_HOLE)
    const pending = node.consume([charge(newKey(), 3)], NOW())
    await node.close()
    expect(await pending).toEqual({ accepted: true, used: [1] })
  })
})

describe.skipIf(availableRedis() === null)('counters in Redis', () => {
  let flavour: CounterFlavour
  let counters: Counters
  let redis: Redis

  beforeAll(async () => {
    flavour = await openFlavour('redis')
    counters = flavour.open()
    redis = new Redis(availableRedis() ?? '', { keyPrefix: 'mdg:counter:' })
  })

  afterAll(async () => {
    redis.disconnect()
    await counters.close()
    await flavour.close()
  })

  it('continue after Redis has forgotten the script', async () => {
    const key = newKey()
    await counters.consume([charge(key, 9)], NOW())
    await redis.script('FLUSH')
    const both = [counters.consume([charge(key, 9)], NOW()), counters.consume([charge(key, 9)], NOW())]
    expect((await Promise.all(both)).map(({ used }) => used)).toEqual([[2], [3]])
    expect(await redis.get(key)).toBe('3')
  })

  it('keep a key for a minute after its window, and create none for a counter that is only read', async () => {
    const [taken, looked] = [newKey(), newKey()]
    const hour = charge(taken, 9)
    await Promise.all([counters.consume([hour], NOW()), counters.peek([charge(looked, 9)], NOW())])
    const left = await redis.pttl(taken)
    const untilEnd = hour.windowEnd.getTime() - Date.now()
    expect(left).toBeGreaterThan(untilEnd + 50_000)
    expect(left).toBeLessThan(untilEnd + 70_000)
    expect(await redis.exists(looked)).toBe(0)
  })
})

describe.skipIf(redisUrl === null)('a month that Redis has forgotten', () => {
  const monthOf = (account: string): Charge => ({ ...charge(`${account}:month:2026-11`, 100, 5) })
  const open = (recordedUse: ReadRecordedUse) =>
    new RedisCounters(redisUrl ?? '', systemClock, createLogger('silent'), recordedUse)

  it('continues from the recorded use in the database, for a node that never saw it', async () => {
    const account = newKey()
    const asked: (readonly string[])[] = []
    const node = open(async (keys) => {
      asked.push(keys)
      return new Map(keys.map((key) => [key, 93]))
    })
    const hour = charge(newKey(), 1_000, 5)
    expect(await node.consume([hour, monthOf(account)], NOW())).toEqual({ accepted: true, used: [5, 98] })
    expect(await node.consume([hour, monthOf(account)], NOW())).toEqual({ accepted: false, used: [5, 98] })
    expect(asked).toEqual([[monthOf(account).key]])
    await node.close()
    const other = open(NOTHING_RECORDED)
    expect(await other.peek([monthOf(account)], NOW())).toEqual([98])
    await other.close()
  })

  it('is counted on while the database does not answer, and read again later', async () => {
    const account = newKey()
    const clock = new TestClock(new Date())
    let isFrozen = true
    const node = new RedisCounters(redisUrl ?? '', clock, createLogger('silent'), (keys) =>
      isFrozen ? new Promise(() => {}) : Promise.resolve(new Map(keys.map((key) => [key, 50]))),
    )
    expect(await node.consume([monthOf(account)], NOW())).toEqual({ accepted: true, used: [5] })
    isFrozen = false
    expect(await node.consume([monthOf(account)], NOW())).toEqual({ accepted: true, used: [10] })
    clock.advance(10_001)
    expect(await node.consume([monthOf(account)], NOW())).toEqual({ accepted: true, used: [55] })
    await node.close()
  })
})

describe.each(availableDatabases())('the recorded use of a month on %s', (kind) => {
  it('is the sum of the account’s charges on the days of that month, all keys together', async () => {
    const database = await openTestDatabase(kind)
    const [account, other] = [randomUUID(), randomUUID()]
    const day = (date: string, units: number, accountId = account) => ({
      accountId,
      keyId: randomUUID(),
      day: new Date(`${date}T00:00:00Z`),
      operation: 'forex',
      units,
      requests: 1,
    })
    const days = [
      day('2026-10-31', 1),
      day('2026-11-01', 20),
      day('2026-11-30', 300),
      day('2026-12-01', 4_000),
    ]
    await database.prisma.usageDay.createMany({ data: [...days, day('2026-11-02', 7, other)] })
    const read = createRecordedUse(database)
    const [month, hour] = [`${account}:month:2026-11`, `${account}:hour:2026-11-01T10`]
    const none = `${randomUUID()}:month:2026-11`
    expect([...(await read([month, hour, none]))]).toEqual([[month, 320]])
    await database.close()
  })
})
