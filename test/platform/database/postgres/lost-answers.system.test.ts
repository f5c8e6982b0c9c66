import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../../../src/core/errors.js'
import { systemClock } from '../../../../src/core/time.js'
import { asUnavailable } from '../../../../src/platform/database/connection/connection-loss.js'
import { type Database, openDatabase } from '../../../../src/platform/database/database.js'
import { migrate } from '../../../../src/platform/database/migrate.js'
import { REQUEST_LIMITS } from '../../../../src/platform/database/statement-limits.js'
import { DataVersions } from '../../../../src/platform/database/versions/data-versions.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { PostgresCounters } from '../../../../src/platform/quota/postgres-counters.js'
import { createUsageRecorder } from '../../../../src/platform/usage/usage.js'
import { charge, newKey } from '../../../support/counters/counter-flavours.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
  MIGRATIONS,
} from '../../../support/database/database.js'
import {
  BLACK_HOLE,
  type CuttableProxy,
  type Disturbance,
  LOST_ANSWERS,
  startCuttableProxy,
} from '../../../support/peers/cuttable-proxy.js'
import { waitedMs } from '../../../support/waited-ms.js'

const SILENT = createLogger('silent')
const UNAVAILABLE = expect.objectContaining({ code: 'service_unavailable' })
const POOL_SIZE = 4
/** Of the uses of a way that bytes pass again: those that lost connections and short limits may still fail. */
const MAX_FAILURES = 10

/** Longest that a caller waits for a 503, on the timers of the process. */
const REFUSED_MS = 3_000
/** Longest that the close of a database waits, on the timers of the process. */
const CLOSED_MS = 9_000

const DISTURBANCES: readonly (readonly [string, Disturbance])[] = [
  ...LOST_ANSWERS,
  ['swallows what the server answers', { towards: 'client', passBytes: 0 }],
]

/** Null where the use succeeds. */
const failureOf = (use: () => Promise<unknown>): Promise<unknown> =>
  use().then(
    () => null,
    (error: unknown) => error,
  )

describe.skipIf(!availableDatabases().includes('postgres'))('a connection to PostgreSQL', () => {
  let url: string
  let proxy: CuttableProxy
  let database: Database

  const open = () => openDatabase({ kind: 'postgres', url: proxy.url, poolSize: POOL_SIZE })

  beforeAll(async () => {
    url = await createPostgresDatabase()
    proxy = await startCuttableProxy(url)
    database = await open()
    await migrate(database, MIGRATIONS)
  })

  afterEach(() => proxy.mend())

  afterAll(async () => {
    await database.close()
    await proxy.close()
    await dropPostgresDatabase(url)
  })

  it('that is lost gives a 503 for names to be held', async () => {
    proxy.disturb(BLACK_HOLE)
    await expect(database.holding(['name'], async () => 1)).rejects.toEqual(UNAVAILABLE)
  })

  const counters = () => new PostgresCounters(database, SILENT)
  const uses: Readonly<Record<string, () => Promise<unknown>>> = {
    'a read': () => database.rows('select 1'),
    'a request’s transaction': () => database.transaction((tx) => tx.rows('select 1'), REQUEST_LIMITS),
    'a snapshot': () => database.snapshot((snapshot) => snapshot.rows('select 1')),
    'a read by Prisma': () =>
      database.prisma.asset.count().catch((error: unknown) => Promise.reject(asUnavailable(error))),
    'a ping': () => database.ping(),
    'a read of the data versions': async () => new DataVersions(database, systemClock).current(),
    'a take': async () => counters().consume([charge(newKey(), 9)], new Date()),
    'a peek': () => counters().peek([charge(newKey(), 9)]),
  }
  /** A node counts by itself as soon as it knows that its database is away. */
  const answered: ReadonlySet<string> = new Set(['a take', 'a peek'])

  it.each(DISTURBANCES)(
    'that %s fails every use but counting in time, and all work again soon after',
    async (_, disturbance) => {
      // Connections are open, and Prisma has loaded its query compiler.
      await Promise.all(Object.values(uses).map((use) => use()))
      proxy.disturb(disturbance)
      const outcomes = await Promise.all(
        Object.entries(uses).map(async ([name, use]) => {
          let error: unknown
          const isInTime = (await waitedMs(async () => (error = await failureOf(use)))) < REFUSED_MS
          return { name, error, isInTime }
        }),
      )
      expect(outcomes).toEqual(
        Object.keys(uses).map((name) => ({
          name,
          error: answered.has(name) ? expect.toBeOneOf([null, UNAVAILABLE]) : UNAVAILABLE,
          isInTime: true,
        })),
      )
      proxy.pass()
      const failures: unknown[] = []
      for (const [name, use] of Object.entries(uses)) {
        for (let error = await failureOf(use); error !== null; error = await failureOf(use)) {
          failures.push([name, error])
          if (failures.length > MAX_FAILURES) expect.fail(`not healthy: ${JSON.stringify(failures)}`)
        }
      }
    },
  )

  it('that is a black hole makes nobody wait twice for a connection', async () => {
    const single = await openDatabase({ kind: 'postgres', url: proxy.url, poolSize: 1 })
    await single.rows('select 1')
    proxy.disturb(BLACK_HOLE)
    const refusedAfterMs = (work: () => Promise<unknown>) =>
      waitedMs(() => expect(work()).rejects.toEqual(UNAVAILABLE))
    const lost = refusedAfterMs(() => single.rows('select 1', [], { withinMs: 1_500 }))
    const behind = [
      refusedAfterMs(() => single.rows('select 1')),
      refusedAfterMs(() => single.transaction((tx) => tx.rows('select 1'))),
    ]
    expect(await lost).toBeLessThan(2_000)
    expect(Math.max(...(await Promise.all(behind)))).toBeLessThan(REFUSED_MS)
    proxy.pass()
    await expect.poll(() => single.rows('select 1 as one').catch(String)).toEqual([{ one: 1 }])
    await single.close()
  })

  it('that swallows 400 ms loses no consumption', async () => {
    const node = counters()
    const key = newKey()
    await node.consume([charge(key, 100)], new Date())
    proxy.disturb(BLACK_HOLE)
    const lost = node.consume([charge(key, 100)], new Date())
    await sleep(400)
    proxy.pass()
    const behind = node.consume([charge(key, 100)], new Date())
    expect(await Promise.all([lost, behind])).toMatchObject([{ accepted: true }, { accepted: true }])
    await expect(database.ping()).resolves.toBeUndefined()
    expect(await node.consume([charge(key, 100)], new Date())).toEqual({ accepted: true, used: [4] })
    expect(await counters().peek([charge(key, 100)])).toEqual([4])
    await node.close()
  })

  it('that is slow but carries bytes all the time is used up to the limit', async () => {
    proxy.disturb({ towards: 'client', bytesPerSecond: 20_000 })
    const [row] = await database.rows<{ text: string }>("select repeat('x', 10000) as text")
    expect(row?.text).toHaveLength(10_000)
    await expect(database.rows("select repeat('x', 1000000) as text")).rejects.toEqual(UNAVAILABLE)
  })

  it('that is a black hole delays neither the close of the database nor of its writers', async () => {
    const closing = await open()
    const node = new PostgresCounters(closing, SILENT)
    const usage = createUsageRecorder(closing, SILENT)
    await Promise.all([closing.rows('select 1'), closing.rows('select 1')])
    proxy.disturb(BLACK_HOLE)
    const at = new Date()
    usage.record({ accountId: newKey(), keyId: null, operation: 'forex', units: 1, requests: 1, at })
    const pending = Promise.allSettled([
      node.consume([charge(newKey(), 9)], at),
      closing.transaction((tx) => tx.rows('select 1')),
      closing.transaction(() => sleep(60_000, null, { ref: false })),
    ])
    const waited = await waitedMs(async () => {
      await Promise.all([node.close(), usage.close()])
      await closing.close()
    })
    expect(waited).toBeLessThan(CLOSED_MS)
    void pending
  })
})

describe.skipIf(!availableDatabases().includes('postgres'))('a pool of connections', () => {
  let url: string
  let database: Database

  beforeAll(async () => {
    url = await createPostgresDatabase()
    database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
  })

  afterAll(async () => {
    await database.close()
    await dropPostgresDatabase(url)
  })

  it('lets a ping precede waiting requests', async () => {
    const using = (sql: string) => database.transaction((tx) => tx.rows(sql))
    const ended: string[] = []
    const note = (name: string) => () => void ended.push(name)
    await Promise.all([
      using('select pg_sleep(0.2)').then(note('first')),
      using('select 1').then(note('second')),
      using('select 1').then(note('third')),
      database.ping().then(note('ping')),
    ])
    expect(ended).toEqual(['first', 'ping', 'second', 'third'])
  })

  it('refuses at once a request behind a thousand others', async () => {
    let isFirstOver = false
    const first = database.rows('select pg_sleep(0.5)').then(() => {
      isFirstOver = true
    })
    const waiting = Array.from({ length: 1_000 }, () => database.rows('select 1'))
    const waited = Promise.allSettled(waiting)
    const cause = { message: 'too many statements wait for a connection' }
    for (const sql of ['select 1', 'select 2']) {
      await expect(database.rows(sql)).rejects.toMatchObject({ code: 'service_unavailable', cause })
    }
    expect(isFirstOver).toBe(false)
    await Promise.all([first, waited])
  })

  it('keeps the connection of a statement that the server ended for taking too long', async () => {
    const pid = async () => (await database.rows<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid
    const before = await pid()
    await expect(database.rows('select pg_sleep(20)')).rejects.toEqual(UNAVAILABLE)
    await expect(database.rows('select 1/0')).rejects.not.toBeInstanceOf(ApiError)
    expect(await pid()).toBe(before)
  })

  it('gives statements of a transaction a separate time limit, and ends one that pauses too long', async () => {
    await expect(database.transaction((tx) => tx.rows('select pg_sleep(3)'))).resolves.toHaveLength(1)
    const pausing = database.transaction(
      async (tx) => {
        await tx.rows('select 1')
        await sleep(1_000)
        await tx.rows('select 1')
      },
      { statementMs: 2_000, idleMs: 200 },
    )
    await expect(pausing).rejects.toEqual(UNAVAILABLE)
    expect(await database.rows('select 1 as one')).toEqual([{ one: 1 }])
  })
})
