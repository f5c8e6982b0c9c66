import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bumpDataset, DataVersions, readDatasetState } from '../../src/platform/data-version.js'
import type { Database, Sql } from '../../src/platform/database.js'
import { TestClock } from '../support/app.js'
import { availableDatabases, openTestDatabase } from '../support/database.js'

const NOON = new Date('2026-11-20T12:00:00Z')
const SEED = {
  dataset: 'forex',
  source: 'seed',
  isDevDataset: true,
  observedAt: NOON,
  changedAt: NOON,
} as const
const LIVE = { ...SEED, source: 'ecb', isDevDataset: false, observedAt: new Date('2026-11-20T15:00:00Z') }

describe.each(availableDatabases())('data versions on %s', (kind) => {
  let database: Database
  let clock: TestClock
  let reads: number
  let sql: Sql
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'empty')
  })
  beforeEach(async () => {
    await database.rows('DELETE FROM dataset_state')
    clock = new TestClock(NOON)
    reads = 0
    sql = {
      rows: (text, parameters) => {
        reads += 1
        return database.rows(text, parameters)
      },
    }
  })
  afterAll(() => database.close())

  const bump = (change: Parameters<typeof bumpDataset>[1]) =>
    database.transaction((tx) => bumpDataset(tx, change))

  it('begin at 1 and rise by one with each commit, with the facts of the last', async () => {
    expect(await readDatasetState(database, 'forex')).toBeNull()
    await bump(SEED)
    expect(await readDatasetState(database, 'forex')).toEqual({
      dataset: 'forex',
      version: 1,
      source: 'seed',
      isDevDataset: true,
      observedAt: NOON,
    })
    await bump(LIVE)
    expect(await readDatasetState(database, 'forex')).toEqual({
      dataset: 'forex',
      version: 2,
      source: 'ecb',
      isDevDataset: false,
      observedAt: LIVE.observedAt,
    })
    expect(await readDatasetState(database, 'instruments')).toBeNull()
  })

  it('do not rise when the change is rolled back', async () => {
    await bump(SEED)
    const failing = database.transaction(async (tx) => {
      await bumpDataset(tx, LIVE)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await readDatasetState(database, 'forex')).toMatchObject({ version: 1, source: 'seed' })
  })

  it('count every one of many commits at once', async () => {
    await Promise.all(Array.from({ length: 10 }, () => bump(SEED)))
    expect((await readDatasetState(database, 'forex'))?.version).toBe(10)
  })

  it('are read once for all who wait, and again only after half a second', async () => {
    await bump(SEED)
    const versions = new DataVersions(sql, clock)
    const states = await Promise.all([versions.current(), versions.current(), versions.current()])
    expect(reads).toBe(1)
    expect(states.map((state) => state.get('forex')?.version)).toEqual([1, 1, 1])
    await bump(LIVE)
    clock.advance(499)
    expect((await versions.current()).get('forex')?.version).toBe(1)
    expect(reads).toBe(1)
    clock.advance(1)
    expect((await versions.current()).get('forex')).toMatchObject({ version: 2, source: 'ecb' })
    expect(reads).toBe(2)
  })

  it('are read again when the clock was put back', async () => {
    const versions = new DataVersions(sql, clock)
    await versions.current()
    clock.advance(-1_000)
    await versions.current()
    expect(reads).toBe(2)
  })

  it('are read anew by the next request after a read that failed', async () => {
    let isDown = true
    const versions = new DataVersions(
      {
        rows: (text, parameters) => (isDown ? Promise.reject(new Error('down')) : sql.rows(text, parameters)),
      },
      clock,
    )
    await expect(versions.current()).rejects.toThrow('down')
    isDown = false
    expect((await versions.current()).size).toBe(0)
  })
})
