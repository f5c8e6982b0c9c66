import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toIsoDate } from '../../../src/core/time.js'
import type { Database, Sql } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { loadKeyHour } from '../../../src/platform/usage/key-hours.js'
import { createUsageRecorder, deleteOldUsage, loadUsage } from '../../../src/platform/usage/usage.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const SILENT = createLogger('silent')
const KEY = '00000000-0000-4000-8000-000000000001'
const OTHER_KEY = '00000000-0000-4000-8000-000000000002'
const DAY = toIsoDate(new Date('2026-11-20T00:00:00Z'))
const DAY_BEFORE = toIsoDate(new Date('2026-11-19T00:00:00Z'))

let accounts = 0
function newAccount(): string {
  accounts += 1
  return `00000000-0000-4000-9000-${String(accounts).padStart(12, '0')}`
}

describe.each(availableDatabases())('usage on %s', (kind) => {
  let database: Database

  beforeAll(async () => {
    database = await openTestDatabase(kind, 'empty')
  })

  afterAll(() => database.close())

  const whole = (accountId: string) => loadUsage(database.prisma, { accountId, from: DAY_BEFORE, to: DAY })

  it('sums by UTC day and operation, newest day first, in one statement per table', async () => {
    const usage = createUsageRecorder(database, SILENT)
    const accountId = newAccount()
    const entry = { accountId, keyId: KEY, operation: 'forex', units: 2, requests: 1 }
    usage.record({ ...entry, at: new Date('2026-11-20T00:00:00Z') })
    usage.record({ ...entry, at: new Date('2026-11-20T23:59:59.999Z') })
    usage.record({ ...entry, at: new Date('2026-11-19T23:59:59.999Z') })
    usage.record({ ...entry, operation: 'assets', units: 7, at: new Date('2026-11-20T12:00:00Z') })
    const before = database.statementCount()
    await usage.flush()
    expect(database.statementCount() - before).toBe(2)
    expect(await whole(accountId)).toEqual([
      { day: '2026-11-20', operation: 'assets', units: 7, requests: 1 },
      { day: '2026-11-20', operation: 'forex', units: 4, requests: 2 },
      { day: '2026-11-19', operation: 'forex', units: 2, requests: 1 },
    ])
    await usage.close()
  })

  it('adds to what other nodes and earlier flushes wrote', async () => {
    const [one, two] = [createUsageRecorder(database, SILENT), createUsageRecorder(database, SILENT)]
    const accountId = newAccount()
    const at = new Date('2026-11-20T12:00:00Z')
    for (let round = 0; round < 5; round += 1) {
      for (const operation of ['forex', 'assets', 'asset']) {
        one.record({ accountId, keyId: KEY, operation, units: 1, requests: 1, at })
        two.record({ accountId, keyId: KEY, operation, units: 2, requests: 1, at })
      }
      await Promise.all([one.flush(), two.flush()])
    }
    expect((await whole(accountId)).map((row) => [row.operation, row.units, row.requests])).toEqual([
      ['asset', 15, 10],
      ['assets', 15, 10],
      ['forex', 15, 10],
    ])
    await Promise.all([one.close(), two.close()])
  })

  it('separates keys, tokens and accounts, and writes the rest on close', async () => {
    const usage = createUsageRecorder(database, SILENT)
    const [accountId, stranger] = [newAccount(), newAccount()]
    const at = new Date('2026-11-20T12:00:00Z')
    const entry = { accountId, operation: 'forex', requests: 1, at }
    usage.record({ ...entry, keyId: KEY, units: 1 })
    usage.record({ ...entry, keyId: OTHER_KEY, units: 10 })
    usage.record({ ...entry, keyId: null, units: 100 })
    usage.record({ ...entry, accountId: stranger, keyId: KEY, units: 1_000 })
    await usage.close()
    const unitsOf = async (keyId?: string) => {
      const query = { accountId, from: DAY, to: DAY }
      return (await loadUsage(database.prisma, keyId === undefined ? query : { ...query, keyId }))[0]?.units
    }
    expect([await unitsOf(), await unitsOf(KEY), await unitsOf(OTHER_KEY)]).toEqual([111, 1, 10])
  })

  it('keeps the figures of a failed flush for the next one, and says so once', async () => {
    let isBroken = true
    const flaky: Sql = {
      rows: (sql, parameters) =>
        isBroken ? Promise.reject(new Error('connection reset')) : database.rows(sql, parameters),
    }
    const lines: string[] = []
    const usage = createUsageRecorder(flaky, createLogger('info', { write: (line) => void lines.push(line) }))
    const accountId = newAccount()
    const entry = { accountId, keyId: KEY, operation: 'forex', units: 3, requests: 1 }
    usage.record({ ...entry, at: new Date('2026-11-20T12:00:00Z') })
    await usage.flush()
    usage.record({ ...entry, at: new Date('2026-11-20T12:00:01Z') })
    await usage.flush()
    expect(lines).toHaveLength(1)
    isBroken = false
    await usage.close()
    expect(await whole(accountId)).toEqual([{ day: '2026-11-20', operation: 'forex', units: 6, requests: 2 }])
  })

  it('counts once what the database committed before its answer was lost, in days and in hours', async () => {
    let isLate = true
    const late: Sql = {
      rows: async (sql, parameters) => {
        const rows = await database.rows(sql, parameters)
        if (isLate) throw new Error('answer lost')
        return rows
      },
    }
    const usage = createUsageRecorder(late, SILENT)
    const accountId = newAccount()
    const keyId = accountId // no other test uses it
    const at = new Date('2026-11-20T12:00:00Z')
    const entry = { accountId, keyId, operation: 'forex', units: 3, requests: 1, at }
    for (let round = 0; round < 3; round += 1) {
      usage.record(entry)
      await usage.flush()
    }
    isLate = false
    await usage.flush()
    const all = [{ day: '2026-11-20', operation: 'forex', units: 9, requests: 3 }]
    expect(await whole(accountId)).toEqual(all)
    expect(await loadKeyHour(database.prisma, keyId, at)).toBe(9)
    isLate = true
    usage.takeBack(entry)
    await usage.flush()
    await usage.flush()
    isLate = false
    await usage.close()
    expect(await whole(accountId)).toEqual([{ ...all[0], units: 6, requests: 2 }])
    expect(await loadKeyHour(database.prisma, keyId, at)).toBe(6)
  })

  it('subtracts recorded usage, before and after it was written', async () => {
    const usage = createUsageRecorder(database, SILENT)
    const accountId = newAccount()
    const at = new Date('2026-11-20T12:00:00Z')
    const entry = { accountId, keyId: KEY, operation: 'forex', units: 3, requests: 1, at }
    usage.record(entry)
    usage.record(entry)
    usage.record({ ...entry, operation: 'assets' })
    usage.takeBack({ ...entry, operation: 'assets' })
    await usage.flush()
    expect(await whole(accountId)).toEqual([{ day: '2026-11-20', operation: 'forex', units: 6, requests: 2 }])
    usage.takeBack(entry)
    await usage.close()
    expect(await whole(accountId)).toEqual([{ day: '2026-11-20', operation: 'forex', units: 3, requests: 1 }])
  })

  it('is kept for 90 days', async () => {
    const usage = createUsageRecorder(database, SILENT)
    const accountId = newAccount()
    const entry = { accountId, keyId: KEY, operation: 'forex', units: 1, requests: 1 }
    usage.record({ ...entry, at: new Date('2026-08-22T12:00:00Z') })
    usage.record({ ...entry, at: new Date('2026-08-21T12:00:00Z') })
    await usage.close()
    await deleteOldUsage(database.prisma, new Date('2026-11-20T12:00:00Z'))
    const from = toIsoDate(new Date('2026-01-01T00:00:00Z'))
    expect((await loadUsage(database.prisma, { accountId, from, to: DAY })).map((row) => row.day)).toEqual([
      '2026-08-22',
    ])
  })
})
