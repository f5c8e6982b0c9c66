import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../src/core/time.js'
import { stageRates } from '../../../src/domains/forex/store.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { settleStaged } from '../../../src/platform/bi-temporal/settle-staged.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { openTestDatabase } from '../../support/database/database.js'

const ECB = { knownAt: new Date('2026-11-20T15:00:00Z'), source: 'ecb' }
const LATER = { ...ECB, knownAt: new Date('2026-11-20T16:00:00Z') }
const day = (number: number) => new Date(Date.UTC(2000, 0, number)).toISOString().slice(0, 10)
const ratesOf = (rate: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ quote: 'USD', date: day(at + 1), rate }) as never) // branded dates

// The other kind of database writes in one transaction: it has a session for everybody.
describe('staged rows', { timeout: 60_000 }, () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase('pglite')
  })
  beforeEach(() => database.script('truncate forex_rate, ingest_run, dataset_state'))
  afterAll(() => database.close())

  const stored = () =>
    database.rows<Record<string, unknown>>(
      `select rate::float8 as rate, known_to is null as is_current, count(*) as count from forex_rate
       group by 1, 2 order by 1, 2`,
    )
  const tables = async () =>
    (
      await database.rows<{ name: string }>(
        `select relname as name from pg_class where relname ~ '^staged_\\w+rate$'`,
      )
    ).map(({ name }) => name)
  const stage = async (rate: string, count: number, known = ECB) => {
    const staged = await stageRates(database, null)
    const counts = await staged.add(ratesOf(rate, count), known)
    return { staged, counts }
  }

  it('are invisible before they are published, and then visible all at once', async () => {
    const { staged, counts } = await stage('1.5', 2_500)
    expect(counts).toEqual({ added: 2_500, revised: 0, unchanged: 0 })
    expect(await stored()).toEqual([])
    await database.transaction((tx) => staged.publish(tx))
    expect(await stored()).toEqual([{ rate: 1.5, is_current: true, count: 2_500 }])
    await staged.settle()
    expect(await stored()).toEqual([{ rate: 1.5, is_current: true, count: 2_500 }])
    expect(await database.rows('select count(*) as count from only forex_rate')).toEqual([{ count: 2_500 }])
    expect(await tables()).toEqual([])
  })

  it('close revised rows and leave the rest; of one key the last counts', async () => {
    const first = await stage('1.5', 10)
    await database.transaction((tx) => first.staged.publish(tx))
    await first.staged.settle()
    const { staged, counts } = await stage('1.6', 3, LATER)
    expect(counts).toEqual({ added: 0, revised: 3, unchanged: 0 })
    expect(await staged.add(ratesOf('1.6', 2), LATER)).toEqual({ added: 0, revised: 0, unchanged: 2 })
    expect(await staged.add(ratesOf('1.7', 1), LATER)).toEqual({ added: 0, revised: 1, unchanged: 0 })
    expect(await staged.add(ratesOf('1.5', 10).slice(3), LATER)).toMatchObject({ unchanged: 7 })
    await database.transaction((tx) => staged.publish(tx))
    await staged.settle()
    expect(await stored()).toEqual([
      { rate: 1.5, is_current: false, count: 3 },
      { rate: 1.5, is_current: true, count: 7 },
      { rate: 1.6, is_current: true, count: 2 },
      { rate: 1.7, is_current: true, count: 1 },
    ])
  })

  it('of a killed run are removed by the next start, or moved if they were published', async () => {
    await stage('1.5', 1_200)
    await settleStaged(database)
    expect([await stored(), await tables()]).toEqual([[], []])
    const { staged } = await stage('1.5', 1_200)
    await database.transaction((tx) => staged.publish(tx))
    await settleStaged(database)
    expect(await database.rows('select count(*) as count from only forex_rate')).toEqual([{ count: 1_200 }])
    expect(await tables()).toEqual([])
  })

  it('are removed if the transaction that published them was rolled back', async () => {
    const { staged } = await stage('1.5', 1_200)
    const published = database.transaction(async (tx) => {
      await staged.publish(tx)
      throw new Error('broken off')
    })
    await expect(published).rejects.toThrow('broken off')
    await staged.settle()
    expect([await stored(), await tables()]).toEqual([[], []])
  })

  it('let others read between their slices, who see the old version or the whole new one', async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `${day(at - 10_000)},1.5,`).reverse()
    const bytes = new TextEncoder().encode(
      `Date,USD,\n${lines.filter((line) => line > '1999-01-04').join('\n')}\n`,
    )
    const deps = {
      database,
      clock: fixedClock('2099-01-01T00:00:00Z'),
      fetchBody: () => expect.fail('nothing is fetched'),
      log: createLogger('silent'),
    }
    const seen: unknown[] = []
    let isOver = false
    const run = runFeed(deps, findFeed('ecb-history'), { kind: 'bytes', bytes, origin: 'test' }).finally(
      () => {
        isOver = true
      },
    )
    while (!isOver) {
      const [row] = await database.rows<{ count: number }>('select count(*) as count from forex_rate')
      seen.push(row?.count)
      await setImmediate() // reads alone would never let a timer or a stream run
    }
    const { added } = await run
    expect(added).toBeGreaterThan(9_000)
    expect(new Set(seen)).toEqual(new Set([0, added]))
    // One transaction for all would let one or two in.
    expect(seen.length).toBeGreaterThan(added / 1_000)
  })
})
