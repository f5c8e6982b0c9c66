import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/core/errors.js'
import { DATABASE_PART } from '../../../src/platform/database/connection/connection-loss.js'
import { outageOf } from '../../../src/platform/database/connection/outage.js'
import { openDatabase, type Sql } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { Counters } from '../../../src/platform/quota/counters.js'
import { PostgresCounters } from '../../../src/platform/quota/postgres-counters.js'
import { type CounterFlavour, charge, newKey, openFlavour } from '../../support/counters/counter-flavours.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../support/database/database.js'
import { startCuttableProxy } from '../../support/peers/cuttable-proxy.js'

const SILENT = createLogger('silent')
const NOW = () => new Date()

describe.skipIf(!availableDatabases().includes('postgres'))('counters in PostgreSQL', () => {
  let flavour: CounterFlavour
  let counters: Counters

  beforeAll(async () => {
    flavour = await openFlavour('postgres')
    counters = flavour.open()
  })

  afterAll(async () => {
    await counters.close()
    await flavour.close()
  })

  const statementsOf = async (work: () => Promise<unknown>) => {
    const before = flavour.database.statementCount()
    await work()
    return flavour.database.statementCount() - before
  }

  const stored = async (key: string) =>
    (
      await flavour.database.rows<{ points: number }>('select points from rate_counter where key = $1', [key])
    )[0]?.points ?? null

  it('use one statement for all consumptions and peeks of a moment, of any caller', async () => {
    const keys = Array.from({ length: 20 }, newKey)
    const takeAll = () => Promise.all(keys.map((key) => counters.consume([charge(key, 100)], NOW())))
    // The rows are new: a take that finds none, their insert, the take.
    expect(await statementsOf(takeAll)).toBe(3)
    const all = () =>
      Promise.all([
        takeAll(),
        takeAll(),
        ...keys.map((key) => counters.peek([charge(key, 0)], NOW())),
        takeAll(),
      ])
    expect(await statementsOf(all)).toBe(1)
    expect(await stored(keys[7] ?? '')).toBe(4)
  })

  it('use one more for calls that arrive during a statement', async () => {
    const key = newKey()
    await counters.consume([charge(key, 1_000)], NOW())
    const statements = await statementsOf(async () => {
      const first = counters.consume([charge(key, 1_000)], NOW())
      await new Promise(setImmediate)
      await Promise.all([
        first,
        ...Array.from({ length: 80 }, () => counters.consume([charge(key, 1_000)], NOW())),
      ])
    })
    expect(statements).toBe(2)
    expect(await stored(key)).toBe(82)
  })

  it('create no row for a counter that is only read', async () => {
    const [looked, taken] = [newKey(), newKey()]
    expect(await counters.peek([charge(looked, 5)], NOW())).toEqual([0])
    await Promise.all([
      counters.peek([charge(looked, 5)], NOW()),
      counters.consume([charge(taken, 5)], NOW()),
    ])
    expect([await stored(looked), await stored(taken)]).toEqual([null, 1])
  })

  it('reject every call of a failed statement, consume nothing, and go on with the next', async () => {
    let isBroken = false
    const flaky: Sql = {
      rows: (sql, parameters) =>
        isBroken ? Promise.reject(new Error('connection lost')) : flavour.database.rows(sql, parameters),
    }
    const node = new PostgresCounters(flaky, createLogger('silent'))
    const [key, other] = [newKey(), newKey()]
    await node.consume([charge(key, 9), charge(other, 9)], NOW())
    isBroken = true
    const failing = [key, other, key].map((one) => node.consume([charge(one, 9)], NOW()))
    const outcomes = await Promise.allSettled(failing)
    const lost = { status: 'rejected', reason: new Error('connection lost') }
    expect(outcomes).toEqual([lost, lost, lost])
    isBroken = false
    expect(await node.consume([charge(key, 9), charge(other, 9)], NOW())).toEqual({
      accepted: true,
      used: [2, 2],
    })
  })

  it('count by themselves while the database is away, and write it down afterwards', async () => {
    let isAway = false
    const away = new ApiError('service_unavailable', { part: DATABASE_PART })
    const flaky: Sql = {
      rows: (sql, parameters) => (isAway ? Promise.reject(away) : flavour.database.rows(sql, parameters)),
    }
    const node = new PostgresCounters(flaky, SILENT)
    const [key, unknown] = [newKey(), newKey()]
    await node.consume([charge(key, 9, 3)], NOW())
    isAway = true
    expect(await node.consume([charge(key, 9, 4)], NOW())).toEqual({ accepted: true, used: [7] })
    expect(await node.consume([charge(key, 9, 4)], NOW())).toEqual({ accepted: false, used: [7] })
    await node.refund([charge(key, 9, 2)], NOW())
    expect(await node.peek([charge(key, 9)])).toEqual([5])
    expect(await node.consume([charge(unknown, 9, 1)], NOW())).toEqual({ accepted: true, used: [1] })
    isAway = false
    expect(await stored(key)).toBe(3)
    outageOf(flaky).end()
    expect(await node.consume([charge(key, 9, 1)], NOW())).toEqual({ accepted: true, used: [6] })
    expect(await new PostgresCounters(flavour.database, SILENT).peek([charge(key, 9)])).toEqual([6])
  })

  it('do not wait for the disk, and leave the connection unchanged', async () => {
    const setting = (sql: Sql) => sql.rows('show synchronous_commit')
    const key = newKey()
    await counters.consume([charge(key, 9)], NOW())
    const inside = await flavour.database.transaction(async (tx) => {
      await new PostgresCounters(tx, createLogger('silent')).consume([charge(key, 9)], NOW())
      return setting(tx)
    })
    expect(inside).toEqual([{ synchronous_commit: 'off' }])
    const after = await Promise.all(Array.from({ length: 4 }, () => setting(flavour.database)))
    expect(after).toEqual(Array.from({ length: 4 }, () => [{ synchronous_commit: 'on' }]))
  })

  it('do not fall if the database loses its last consumptions', async () => {
    const key = newKey()
    await counters.consume([charge(key, 10, 6)], NOW())
    await flavour.database.rows('update rate_counter set points = 1 where key = $1', [key])
    expect(await counters.peek([charge(key, 10)], NOW())).toEqual([6])
    expect(await counters.consume([charge(key, 10, 5)], NOW())).toEqual({ accepted: false, used: [6] })
    await flavour.database.rows('delete from rate_counter where key = $1', [key])
    expect(await counters.consume([charge(key, 10, 4)], NOW())).toEqual({ accepted: true, used: [10] })
    expect(await stored(key)).toBe(10)
  })

  it('send refunds with the consumptions of the same moment, and restore them if the database loses them', async () => {
    const [key, other] = [newKey(), newKey()]
    await counters.consume([charge(key, 10, 6)], NOW())
    await counters.consume([charge(other, 10, 6)], NOW())
    const statements = await statementsOf(() =>
      Promise.all([
        counters.refund([charge(key, 10, 4)], NOW()),
        counters.consume([charge(key, 10, 8)], NOW()),
        counters.refund([charge(other, 10, 1)], NOW()),
      ]),
    )
    expect(statements).toBe(1)
    await flavour.database.rows('update rate_counter set points = 1, refunded = 0 where key = $1', [key])
    await counters.refund([charge(key, 10, 3)], NOW())
    const rows = await flavour.database.rows(
      'select points, refunded from rate_counter where key = any($1)',
      [[key]],
    )
    expect(rows).toEqual([{ points: 14, refunded: 7 }])
  })

  it('lose a refund rather than fail or repeat it if its statement fails', async () => {
    let isBroken = false
    const flaky: Sql = {
      rows: (sql, parameters) =>
        isBroken ? Promise.reject(new Error('connection lost')) : flavour.database.rows(sql, parameters),
    }
    const lines: string[] = []
    const log = createLogger('info', { write: (line) => void lines.push(line) })
    const node = new PostgresCounters(flaky, log)
    const key = newKey()
    await node.consume([charge(key, 9, 3)], NOW())
    isBroken = true
    await node.refund([charge(key, 9, 2)], NOW())
    isBroken = false
    expect(await node.peek([charge(key, 9)])).toEqual([3])
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'units may not have been given back',
    ])
  })

  it('refund later, once, a refund that the server never received', async () => {
    const url = await copyPostgresWorld('empty')
    const proxy = await startCuttableProxy(url)
    const [direct, through] = await Promise.all(
      [url, proxy.url].map((url) => openDatabase({ kind: 'postgres', url, poolSize: 2 })),
    )
    if (direct === undefined || through === undefined) throw new Error('two databases were opened')
    const node = new PostgresCounters(through, SILENT)
    const key = newKey()
    const used = async () => (await new PostgresCounters(direct, SILENT).peek([charge(key, 9)]))[0]
    await node.consume([charge(key, 9, 6)], NOW())
    proxy.cut()
    await expect(through.rows('select 1')).rejects.toThrow() // what a refusal is given back for
    await node.refund([charge(key, 9, 2)], NOW())
    await node.refund([charge(key, 9, 1)], NOW())
    expect(await used()).toBe(6)
    proxy.mend()
    await expect.poll(used, { timeout: 20_000 }).toBe(3)
    await node.refund([charge(key, 9, 1)], NOW())
    expect(await used()).toBe(2)
    await node.close()
    await Promise.all([direct.close(), through.close()])
    await proxy.close()
    await dropPostgresDatabase(url)
  })

  it('close once the calls in progress have their answers', async () => {
    const node = flavour.open()
    const key = newKey()
    const taken = Promise.all([node.consume([charge(key, 9)], NOW()), node.consume([charge(key, 9)], NOW())])
    await node.close()
    expect(await stored(key)).toBe(2)
    expect((await taken).map(({ used }) => used)).toEqual([[1], [2]])
  })
})
