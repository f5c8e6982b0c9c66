import { beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '../../../../src/core/errors.js'
import { DATABASE_PART } from '../../../../src/platform/database/connection/connection-loss.js'
import { LastValue } from '../../../../src/platform/database/connection/last-value.js'
import { Outage } from '../../../../src/platform/database/connection/outage.js'
import { QUEUE_IS_FULL } from '../../../../src/platform/database/connection/pool-refusals.js'

const MAX_AGE_MS = 500
const FIVE_MINUTES_MS = 300_000

const unavailable = (message: string) =>
  new ApiError('service_unavailable', { part: DATABASE_PART, cause: new Error(message) })
const AWAY = unavailable('Connection terminated')
const BUSY = unavailable(QUEUE_IS_FULL)

describe('the last value of a database', () => {
  let nowMs: number
  let reads: number
  let failure: Error | null
  let value: LastValue<number>

  beforeEach(() => {
    nowMs = 0
    reads = 0
    failure = null
    value = new LastValue({
      read: async () => {
        reads += 1
        if (failure !== null) throw failure
        return reads
      },
      maxAgeMs: MAX_AGE_MS,
      nowMs: () => nowMs,
      outage: new Outage(),
    })
  })

  it('is read again when it is old, once for all who wait', async () => {
    expect(await Promise.all([value.get(), value.get()])).toEqual([1, 1])
    nowMs = MAX_AGE_MS - 1
    expect(value.get()).toBe(1)
    nowMs = MAX_AGE_MS
    expect(await value.get()).toBe(2)
  })

  it('serves while the database is away, without a wait after the first failure, and for five minutes', async () => {
    await value.get()
    failure = AWAY
    nowMs = FIVE_MINUTES_MS - 1
    expect(await value.get()).toBe(1)
    expect(value.get()).toBe(1)
    nowMs = FIVE_MINUTES_MS
    await expect(value.get()).rejects.toBe(AWAY)
  })

  it('is that of the database as soon as a read has an answer again', async () => {
    await value.get()
    failure = AWAY
    nowMs = MAX_AGE_MS
    await value.get()
    failure = null
    expect(value.get()).toBe(1) // reads without waiting
    await new Promise(setImmediate)
    expect(value.get()).toBe(3)
  })

  it.each([
    ['a busy pool', BUSY],
    ['another error', new Error('no such column')],
  ])('does not hide %s', async (_, error) => {
    await value.get()
    failure = error
    nowMs = MAX_AGE_MS
    await expect(value.get()).rejects.toBe(error)
  })

  it('is never that of before for who needs a fresh one, nor for the first read', async () => {
    failure = AWAY
    await expect(value.get()).rejects.toBe(AWAY)
    failure = null
    await value.get()
    failure = AWAY
    await expect(value.fresh()).rejects.toBe(AWAY)
  })

  it('is read again after the clock was put back', async () => {
    await value.get()
    nowMs = -1
    expect(await value.get()).toBe(2)
  })
})
