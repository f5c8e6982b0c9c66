import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { createThrottle, type Throttle } from '../../../src/platform/quota/throttle.js'
import { newKey } from '../../support/counters/counter-flavours.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const SILENT = createLogger('silent')

describe.each(availableDatabases())('a throttle on %s', (kind) => {
  let database: Database
  let throttle: Throttle
  const open = () => createThrottle({ database, clock: systemClock, log: SILENT })

  beforeAll(async () => {
    database = await openTestDatabase(kind, 'empty')
    throttle = open()
  })

  afterAll(async () => {
    await throttle.close()
    await database.close()
  })

  it('allows exactly the limit of concurrent hits and says when the window ends', async () => {
    const key = newKey()
    const before = Date.now()
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => throttle.hit(key, 5, 60)))
    const after = Date.now()
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(5)
    for (const { retryAt } of verdicts) {
      // The store may have a clock of its own, and counts whole milliseconds.
      expect(retryAt.getTime()).toBeGreaterThanOrEqual(before + 60_000 - 1_000)
      expect(retryAt.getTime()).toBeLessThanOrEqual(after + 60_000 + 1_000)
    }
  })

  it('allows again after the end of the window, regardless of refused hits', async () => {
    const key = newKey()
    expect((await throttle.hit(key, 1, 1)).allowed).toBe(true)
    await sleep(600)
    const refused = await throttle.hit(key, 1, 1)
    expect(refused.allowed).toBe(false)
    await sleep(refused.retryAt.getTime() - Date.now() + 20)
    expect((await throttle.hit(key, 1, 1)).allowed).toBe(true)
  })

  it('separates keys and windows', async () => {
    const key = newKey()
    expect((await throttle.hit(key, 1, 60)).allowed).toBe(true)
    expect((await throttle.hit(`${key}:other`, 1, 60)).allowed).toBe(true)
    expect((await throttle.hit(key, 1, 3_600)).allowed).toBe(true)
    expect((await throttle.hit(key, 1, 60)).allowed).toBe(false)
  })

  it('keeps its counts after a restart', async () => {
    const key = newKey()
    const before = open()
    await before.hit(key, 1, 60)
    await before.close()
    const after = open()
    expect((await after.hit(key, 1, 60)).allowed).toBe(false)
    await after.close()
  })
})
