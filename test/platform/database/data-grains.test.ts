import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database, Sql } from '../../../src/platform/database/database.js'
import {
  bumpDataset,
  forgetDataset,
  MAX_TOUCHED_GRAINS,
} from '../../../src/platform/database/versions/bump-dataset.js'
import { type DataPart, grainOf } from '../../../src/platform/database/versions/data-parts.js'
import {
  type DatasetStates,
  newestOfGrains,
  partVersionIn,
  stampIn,
  versionIn,
} from '../../../src/platform/database/versions/data-version.js'
import { DataVersions } from '../../../src/platform/database/versions/data-versions.js'
import { loadDatasetStates } from '../../../src/platform/database/versions/dataset-states-store.js'
import { GrainMap } from '../../../src/platform/database/versions/grain-map.js'
import { TestClock } from '../../support/app/app.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const NOON = new Date('2026-11-20T12:00:00Z')
const later = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000)

/** A commit of a release that knows nothing of grains. */
const OLD_COMMIT = `update dataset_state set version = version + 1, commit_id = gen_random_uuid(),
  observed_at = '2026-11-20T15:00:00Z', changed_at = '2026-11-20T15:00:00Z' where dataset = 'candles'`

const ASSETS = ['bitcoin', 'ethereum', 'solana'] as const
const partsOf = (names: readonly string[] = ASSETS): readonly DataPart[] =>
  names.map((name) => grainOf('candles', name))
const stampsIn = (states: DatasetStates, parts = partsOf()) => parts.map((part) => stampIn(states, part))

/** A random number below `count`, the same in each run of the test. */
function dice(seed: number): (count: number) => number {
  let state = seed
  return (count) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % count
  }
}

describe.each(availableDatabases())('the grains of a dataset on %s', (kind) => {
  let database: Database
  let clock: TestClock
  /** The statements that a node sends, and the rows that it gets. */
  let answers: readonly unknown[][] = []
  let sql: Sql
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'empty')
    sql = {
      rows: async (text, parameters) => {
        const rows = await database.rows(text, parameters)
        answers = [...answers, [...rows]]
        return rows
      },
    }
  })
  beforeEach(async () => {
    await database.rows('delete from dataset_state')
    await database.rows('delete from data_grain')
    clock = new TestClock(NOON)
    answers = []
    await commit(null)
  })
  afterAll(() => database.close())

  const BASE = { dataset: 'candles', source: 'consensus_vwap', isDevDataset: false } as const

  /** Null: the commit names no grain. */
  function commit(names: readonly string[] | null, at = NOON, source = BASE.source as string): Promise<void> {
    const touched = names === null ? {} : { touched: new Map(names.map((name) => [name, at])) }
    return database.transaction((tx) =>
      bumpDataset(tx, { ...BASE, source, part: 'one', observedAt: at, changedAt: at, ...touched }),
    )
  }

  const load = () => loadDatasetStates(database)

  it('change with the commits that name them, and the dataset with every commit', async () => {
    await commit(['bitcoin'], later(1))
    const first = await load()
    await commit(['ethereum', 'solana'], later(2))
    const second = await load()
    const [bitcoin, ethereum, solana] = stampsIn(second)
    expect(bitcoin).toBe(stampsIn(first)[0])
    expect(ethereum).toBe(stampIn(second, 'candles'))
    expect(solana).toBe(ethereum)
    expect(ethereum).not.toBe(stampsIn(first)[1])
    expect([versionIn(first, 'candles'), versionIn(second, 'candles')]).toEqual([2, 3])
  })

  it('show the age of their own newest fact, never an older one than before', async () => {
    await commit(['bitcoin'], later(30))
    await commit(['ethereum'], later(60))
    await commit(['bitcoin'], later(10))
    const state = (await load()).get('candles')
    if (state === undefined) throw new Error('there are no candles')
    const ageOf = (names: readonly string[]) => newestOfGrains(state, partsOf(names))
    expect(ageOf(['bitcoin'])).toMatchObject({ observedAt: later(30), changedAt: later(10) })
    expect(ageOf(['ethereum'])).toMatchObject({ observedAt: later(60), changedAt: later(60) })
    expect(ageOf(['bitcoin', 'ethereum'])).toMatchObject({ observedAt: later(60), changedAt: later(60) })
    // A grain that no commit has named is as old as the last commit that may have changed it.
    expect(ageOf(['solana'])).toMatchObject({ observedAt: NOON, changedAt: NOON })
    expect(ageOf([])).toBe(state)
  })

  it.each([
    ['that names none', () => commit(null)],
    ['of an earlier release', () => database.rows(OLD_COMMIT)],
    ['with another source', () => commit(['bitcoin'], NOON, 'operator')],
    ['of more grains than one commit names', () => commit(manyNames(MAX_TOUCHED_GRAINS + 1))],
  ])('are all outdated by a commit %s, also after the next commit', async (_what, change) => {
    await commit(['bitcoin'])
    await commit(['ethereum'])
    const before = await load()
    await change()
    const after = await load()
    expect(stampsIn(after)).toEqual(stampsIn(after).map(() => stampIn(after, 'candles')))
    const { source } = after.get('candles') ?? BASE
    await commit(['solana'], later(1), source)
    const next = await load()
    expect(stampsIn(next).slice(0, 2)).toEqual(stampsIn(after).slice(0, 2))
    expect(stampsIn(next)[2]).toBe(stampIn(next, 'candles'))
    for (const [at, stamp] of stampsIn(before).entries()) expect(stampsIn(next)[at]).not.toBe(stamp)
  })

  const manyNames = (count: number) => Array.from({ length: count }, (_, at) => `asset-${at}`)

  it('do not change by a transaction that fails', async () => {
    await commit(['bitcoin'])
    const before = await load()
    const failing = database.transaction(async (tx) => {
      const change = { ...BASE, part: 'one', observedAt: NOON, changedAt: NOON }
      await bumpDataset(tx, { ...change, touched: new Map([['bitcoin', NOON]]) })
      throw new Error('killed')
    })
    await expect(failing).rejects.toThrow('killed')
    expect(stampsIn(await load())).toEqual(stampsIn(before))
  })

  it.each([
    ['this release', () => database.transaction((tx) => forgetDataset(tx, 'candles'))],
    ['an earlier release', () => database.rows("delete from dataset_state where dataset = 'candles'")],
  ])('are forgotten with their dataset by %s', async (_what, forget) => {
    for (let commits = 0; commits < 5; commits++) await commit(['bitcoin'], later(100))
    const before = await load()
    await forget()
    await commit(null)
    await commit(['ethereum'])
    await commit(['bitcoin'])
    const after = await load()
    const state = after.get('candles')
    if (state === undefined) throw new Error('there are no candles')
    expect(partsOf().map((part) => partVersionIn(after, part))).toEqual([3, 2, 1])
    for (const [at, stamp] of stampsIn(before).entries()) expect(stampsIn(after)[at]).not.toBe(stamp)
    expect(newestOfGrains(state, partsOf(['bitcoin'])).observedAt).toEqual(NOON)
  })

  it('have names that a tag can hold', async () => {
    for (const name of ['', 'Bitcoin', 'a/b', 'a"b', 'a b', '-a', 'a'.repeat(101)]) {
      await expect(commit([name])).rejects.toThrow(RangeError)
      expect(() => grainOf('candles', name)).toThrow(RangeError)
    }
  })

  describe('as a node knows them', () => {
    it('are read in one statement, and only those that have changed', async () => {
      await commit(manyNames(200))
      const versions = new DataVersions(sql, clock)
      await versions.fresh()
      await commit(['asset-7'])
      answers = []
      const states = await versions.fresh()
      expect(answers).toHaveLength(1)
      const grains = answers.flat().flatMap((row) => (row as { grains: unknown[] | null }).grains ?? [])
      expect(grains).toEqual([['asset-7', 3, expect.any(String), NOON.getTime(), NOON.getTime()]])
      expect(stampsIn(states, partsOf(manyNames(200)))).toEqual(
        stampsIn(await load(), partsOf(manyNames(200))),
      )
      answers = []
      expect(await versions.fresh()).toBe(states)
      expect(answers).toEqual([[]])
    })

    it('are those of a new node after any commits, and earlier states stay as they were', async () => {
      const roll = dice(41)
      const versions = new DataVersions(sql, clock)
      const seen: { readonly states: DatasetStates; readonly stamps: readonly string[] }[] = []
      for (let round = 0; round < 60; round++) {
        for (let commits = roll(4); commits > 0; commits--) {
          const kind = roll(12)
          if (kind === 0) await database.rows(OLD_COMMIT)
          else if (kind === 1) await commit(null)
          else await commit([ASSETS[roll(ASSETS.length)] ?? 'bitcoin'])
        }
        const states = await versions.fresh()
        const stamps = stampsIn(states)
        expect(stamps).toEqual(stampsIn(await load()))
        seen.push({ states, stamps })
      }
      for (const { states, stamps } of seen) expect(stampsIn(states)).toEqual(stamps)
    })

    it('are read completely after more commits than the database remembers', async () => {
      const versions = new DataVersions(sql, clock)
      await commit(['bitcoin'])
      await versions.fresh()
      for (let commits = 0; commits < 40; commits++) await commit([commits % 2 === 0 ? 'bitcoin' : 'solana'])
      expect(stampsIn(await versions.fresh())).toEqual(stampsIn(await load()))
    })

    it('are those of a restored database, however many commits it has had since', async () => {
      const versions = new DataVersions(sql, clock)
      await commit(['bitcoin'])
      const [state] = await database.rows<{ row: string }>(
        'select to_jsonb(d)::text as row from dataset_state d',
      )
      const grains = await database.rows<{ row: string }>('select to_jsonb(g)::text as row from data_grain g')
      await commit(['ethereum'])
      await commit(['bitcoin'])
      const before = await versions.fresh()
      await database.rows('delete from dataset_state')
      await database.rows('delete from data_grain')
      for (const [table, row] of [
        ['dataset_state', state?.row],
        ...grains.map((grain) => ['data_grain', grain.row]),
      ])
        await database.rows(
          `insert into ${table} select * from jsonb_populate_record(null::${table}, $1::jsonb)`,
          [row],
        )
      for (let commits = 0; commits < 4; commits++) {
        const restored = await versions.fresh()
        expect(stampsIn(restored)).toEqual(stampsIn(await load()))
        for (const at of [0, 1]) expect(stampsIn(restored)[at]).not.toBe(stampsIn(before)[at])
        expect(stampsIn(restored)[2]).toBe(stampsIn(before)[2])
        await commit(['ethereum'])
      }
    })
  })
})

describe('the map of grains', () => {
  const change = (version: number) => ({
    version,
    commitId: `commit-${version}`,
    observedMs: version,
    changedMs: version,
  })
  const named = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => [`asset-${from + at}`, change(from + at)] as const)

  it('answers for every grain while it knows all, and for the newest when it is full', () => {
    const coarse = change(0)
    let map = GrainMap.of(coarse, named(1, 100), 1_000)
    expect(map.find('asset-50')).toEqual(change(50))
    expect(map.find('nothing')).toEqual(coarse)
    for (let from = 101; from < 2_000; from += 100) map = map.with(named(from, 100))
    expect(map.size).toBeLessThanOrEqual(1_000 + 512)
    expect(map.find('asset-1999')).toEqual(change(1_999))
    // Only the version of the whole dataset is certain.
    expect(map.find('asset-1')).toBeNull()
    expect(map.find('nothing')).toBeNull()
  })

  it('is not complete if as many grains were read as it may hold', () => {
    expect(GrainMap.of(change(0), named(1, 10), 10).find('nothing')).toBeNull()
    expect(GrainMap.of(change(0), named(1, 9), 10).find('nothing')).toEqual(change(0))
  })

  it('never changes: each commit makes another one', () => {
    const before = GrainMap.of(change(0), named(1, 3))
    const after = before.with([['asset-2', change(9)]])
    expect([before.find('asset-2'), after.find('asset-2')]).toEqual([change(2), change(9)])
  })
})
