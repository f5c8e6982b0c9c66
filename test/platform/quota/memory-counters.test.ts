import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../src/core/time.js'
import type { Database, Sql } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { sweepCounters, writeCounters } from '../../../src/platform/quota/counter-table.js'
import { MemoryCounters } from '../../../src/platform/quota/memory-counters.js'
import type { Caller } from '../../../src/policy/principal.js'
import { policiesOf, retryAfter } from '../../../src/policy/quota.js'
import { charge, newKey } from '../../support/counters/counter-flavours.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const FREE: Caller = {
  kind: 'key',
  accountId: 'account',
  meterId: 'meter',
  keyId: 'key',
  tier: 'free',
  scopes: new Set(),
  isNarrowed: false,
  endsAt: null,
  contract: null,
}

const NOW = new Date('2026-11-20T12:20:00Z')
const HOUR_END = new Date('2026-11-20T13:00:00Z')

describe('counters in memory', () => {
  let database: Database

  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'empty')
  })

  afterAll(() => database.close())

  const stored = async (key: string) =>
    (await database.rows<{ points: number }>('select points from rate_counter where key = $1', [key]))[0]
      ?.points ?? null

  it('read the database once per key, and write only changes', async () => {
    const counters = new MemoryCounters(database, createLogger('silent'))
    const key = newKey()
    const before = database.statementCount()
    await Promise.all(Array.from({ length: 50 }, () => counters.consume([charge(key, 20)], NOW)))
    expect(database.statementCount() - before).toBe(1)
    await counters.flush()
    expect(await stored(key)).toBe(20)
    const flushed = database.statementCount()
    await counters.flush()
    expect(database.statementCount() - flushed).toBe(0)
    await counters.close()
  })

  it('answer without a promise once a counter was read', async () => {
    const counters = new MemoryCounters(database, createLogger('silent'))
    const key = newKey()
    expect(counters.peek([charge(key, 3)], NOW)).toBeInstanceOf(Promise)
    await counters.peek([charge(key, 3)], NOW)
    expect(counters.consume([charge(key, 3, 2)], NOW)).toEqual({ accepted: true, used: [2] })
    expect(counters.consume([charge(key, 3, 2)], NOW)).toEqual({ accepted: false, used: [2] })
    expect(counters.peek([charge(key, 3)], NOW)).toEqual([2])
    await counters.close()
  })

  it('keep their count if a write fails, log it once, and write it with the next', async () => {
    let isBroken = true
    const flaky: Sql = {
      rows: (sql, parameters) =>
        isBroken && sql.startsWith('insert')
          ? Promise.reject(new Error('disk full'))
          : database.rows(sql, parameters),
    }
    const lines: string[] = []
    const counters = new MemoryCounters(
      flaky,
      createLogger('info', { write: (line) => void lines.push(line) }),
    )
    const key = newKey()
    await counters.consume([charge(key, 20, 3)], NOW)
    await counters.flush()
    await counters.flush()
    expect(lines).toHaveLength(1)
    isBroken = false
    await counters.close()
    expect(await stored(key)).toBe(3)
  })

  it('forget past windows', async () => {
    const counters = new MemoryCounters(database, createLogger('silent'))
    const key = newKey()
    const inHour = { key, owner: key, quota: 5, units: 5, windowEnd: HOUR_END }
    expect(await counters.consume([inHour], NOW)).toEqual({ accepted: true, used: [5] })
    await counters.flush()
    await sweepCounters(database.prisma, fixedClock('2026-11-20T13:30:00Z').now())
    expect(await stored(key)).toBe(5)
    await sweepCounters(database.prisma, fixedClock('2026-11-20T14:00:00.001Z').now())
    expect(await stored(key)).toBeNull()
    expect(await counters.peek([inHour], new Date('2026-11-20T14:01:00Z'))).toEqual([0])
    await counters.close()
  })

  it('accept a refused call after its Retry-After, and continue the month’s count', async () => {
    const counters = new MemoryCounters(database, createLogger('silent'))
    const caller: Caller = { ...FREE, meterId: newKey() }
    const call = async (now: Date) => {
      const policies = policiesOf(caller, 'metered', now)
      const { accepted, used } = await counters.consume(
        policies.map(({ counterKey: key, quota, windowEnd }) => ({
          ...{ key, owner: caller.accountId, quota, units: 1, windowEnd },
        })),
        now,
      )
      const statuses = policies.map((policy, index) => ({ policy, used: used[index] ?? 0, units: 1 }))
      return { accepted, used, retry: accepted ? null : retryAfter(statuses) }
    }
    for (let made = 1; made <= 14; made += 1) expect((await call(NOW)).used).toEqual([made, made])
    const refused = await call(new Date('2026-11-20T12:59:59.999Z'))
    expect(refused).toEqual({ accepted: false, used: [14, 14], retry: HOUR_END.getTime() / 1000 })
    const again = await call(new Date((refused.retry ?? 0) * 1000))
    expect(again).toEqual({ accepted: true, used: [1, 15], retry: null })
    await counters.close()
  })

  it('never lower the stored count', async () => {
    const key = newKey()
    await writeCounters(database, [{ key, charged: 9, refunded: 2, windowEnd: HOUR_END }])
    await writeCounters(database, [{ key, charged: 4, refunded: 1, windowEnd: HOUR_END }])
    expect(await stored(key)).toBe(9)
  })
})
