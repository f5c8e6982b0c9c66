import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createThrottle, type Throttle } from '../../../src/platform/counters/throttle.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { newKey } from '../../support/counter-flavours.js'
import { BLACK_HOLE, startCuttableProxy } from '../../support/cuttable-proxy.js'
import {
  availableDatabases,
  availableRedis,
  openTestDatabase,
  quickestDatabase,
} from '../../support/database.js'

const SILENT = createLogger('silent')
const redisUrl = availableRedis()

const stores = [...availableDatabases(), ...(redisUrl === null ? [] : (['redis'] as const))]

describe.each(stores)('a throttle on %s', (store) => {
  let database: Database
  let throttle: Throttle
  const open = () => createThrottle({ database, redisUrl: store === 'redis' ? redisUrl : null, log: SILENT })

  beforeAll(async () => {
    database = await openTestDatabase(store === 'redis' ? quickestDatabase() : store, 'empty')
    throttle = open()
  })

  afterAll(async () => {
    await throttle.close()
    await database.close()
  })

  it('allows exactly the limit of concurrent hits and says when the window ends', async () => {
    const key = newKey()
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => throttle.hit(key, 5, 60)))
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(5)
    for (const { retryAt } of verdicts) {
      expect(Math.abs(retryAt.getTime() - Date.now() - 60_000)).toBeLessThan(2_000)
    }
  })

  it('allows again once the window is waited out, refused hits notwithstanding', async () => {
    const key = newKey()
    expect((await throttle.hit(key, 1, 1)).allowed).toBe(true)
    await sleep(600)
    const refused = await throttle.hit(key, 1, 1)
    expect(refused.allowed).toBe(false)
    await sleep(refused.retryAt.getTime() - Date.now() + 20)
    expect((await throttle.hit(key, 1, 1)).allowed).toBe(true)
  })

  it('keeps keys and windows apart', async () => {
    const key = newKey()
    expect((await throttle.hit(key, 1, 60)).allowed).toBe(true)
    expect((await throttle.hit(`${key}:other`, 1, 60)).allowed).toBe(true)
    expect((await throttle.hit(key, 1, 3_600)).allowed).toBe(true)
    expect((await throttle.hit(key, 1, 60)).allowed).toBe(false)
  })

  it('remembers over a restart', async () => {
    const key = newKey()
    const before = open()
    await before.hit(key, 1, 60)
    await before.close()
    const after = open()
    expect((await after.hit(key, 1, 60)).allowed).toBe(false)
    await after.close()
  })
})

describe.skipIf(redisUrl === null)('a throttle that loses Redis', () => {
  it('throttles by itself and goes back to Redis when it returns', async () => {
    const proxy = await startCuttableProxy(redisUrl ?? '')
    const database = await openTestDatabase(quickestDatabase(), 'empty')
    const throttle = createThrottle({ database, redisUrl: proxy.url, log: SILENT })
    const key = newKey()
    const hits = async () => [
      await throttle.hit(key, 2, 60),
      await throttle.hit(key, 2, 60),
      await throttle.hit(key, 2, 60),
    ]
    expect((await hits()).map((verdict) => verdict.allowed)).toEqual([true, true, false])
    proxy.cut()
    // On its own the node counts from 0: at most one more limit per node.
    expect((await hits()).map((verdict) => verdict.allowed)).toEqual([true, true, false])
    const other = newKey()
    await throttle.hit(other, 1, 60)
    proxy.mend()
    // The hit above was counted here alone, so an allowed one shows that Redis counts again.
    let isBack = false
    for (let attempt = 0; attempt < 200 && !isBack; attempt += 1) {
      await sleep(20)
      isBack = (await throttle.hit(other, 1, 60)).allowed
    }
    expect(isBack).toBe(true)
    await throttle.close()
    await database.close()
    await proxy.close()
  })

  it('does not wait for a Redis that accepts connections and says nothing, from the start', async () => {
    const proxy = await startCuttableProxy(redisUrl ?? '')
    proxy.disturb(BLACK_HOLE)
    const database = await openTestDatabase(quickestDatabase(), 'empty')
    const throttle = createThrottle({ database, redisUrl: proxy.url, log: SILENT })
    const key = newKey()
    const allowed = [await throttle.hit(key, 1, 60), await throttle.hit(key, 1, 60)].map((one) => one.allowed)
    expect(allowed).toEqual([true, false])
    await throttle.close()
    await database.close()
    await proxy.close()
  })
})
