import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database, Sql } from '../../../../src/platform/database/database.js'
import { bumpDataset } from '../../../../src/platform/database/versions/bump-dataset.js'
import { type DatasetPart, stateOfParts } from '../../../../src/platform/database/versions/data-version.js'
import { DataVersions } from '../../../../src/platform/database/versions/data-versions.js'
import {
  loadDatasetState,
  loadDatasetStates,
} from '../../../../src/platform/database/versions/dataset-states-store.js'
import { TestClock } from '../../../support/app/app.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { eventually } from '../../../support/eventually.js'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const NOON = new Date('2026-11-20T12:00:00Z')
const SEED = {
  dataset: 'forex',
  source: 'seed',
  isDevDataset: true,
  observedAt: NOON,
  changedAt: NOON,
} as const
const LIVE = { ...SEED, source: 'ecb', isDevDataset: false, observedAt: new Date('2026-11-20T15:00:00Z') }

const ECB_TERMS = { licence: 'free', attribution: 'Source: ECB', licensedForCommercialUse: true }

const partOf = (part: Pick<DatasetPart, 'part' | 'source' | 'isDevDataset' | 'observedAt'>): DatasetPart => ({
  version: 1,
  changedAt: NOON,
  licence: null,
  attribution: null,
  licensedForCommercialUse: null,
  ...part,
})

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
    expect(await loadDatasetState(database, 'forex')).toBeNull()
    await bump(SEED)
    expect(await loadDatasetState(database, 'forex')).toEqual({
      dataset: 'forex',
      version: 1,
      source: 'seed',
      isDevDataset: true,
      observedAt: NOON,
      changedAt: SEED.changedAt,
      parts: [partOf({ part: 'seed', source: 'seed', isDevDataset: true, observedAt: NOON })],
      commitId: expect.stringMatching(UUID),
    })
    await bump({ ...LIVE, terms: ECB_TERMS })
    expect(await loadDatasetState(database, 'forex')).toEqual({
      dataset: 'forex',
      version: 2,
      source: 'ecb',
      isDevDataset: false,
      observedAt: LIVE.observedAt,
      changedAt: LIVE.changedAt,
      parts: [
        partOf({
          part: 'ecb',
          source: 'ecb',
          isDevDataset: false,
          observedAt: LIVE.observedAt,
          ...ECB_TERMS,
        }),
      ],
      commitId: expect.stringMatching(UUID),
    })
    expect(await loadDatasetState(database, 'instruments')).toBeNull()
  })

  it('keep version, date and terms of each part, and the dataset is as new as its newest part', async () => {
    const [morning, noon, night] = [9, 12, 21].map((hour) => new Date(Date.UTC(2026, 10, 20, hour)))
    const list = { ...LIVE, dataset: 'instruments' } as const
    await bump({ ...SEED, dataset: 'instruments' })
    await bump({ ...list, part: 'eu', source: 'eu', observedAt: noon ?? NOON, terms: ECB_TERMS })
    await bump({ ...list, part: 'ofac', source: 'ofac', observedAt: morning ?? NOON })
    await bump({
      ...list,
      part: 'ofac',
      source: 'ofac',
      observedAt: night ?? NOON,
      changedAt: LIVE.observedAt,
    })
    await bump({ ...list, part: 'eu', source: 'eu', observedAt: noon ?? NOON })
    const state = await loadDatasetState(database, 'instruments')
    expect(state).toMatchObject({ version: 5, source: 'ofac', isDevDataset: false, observedAt: night })
    expect(state?.parts).toMatchObject([
      { part: 'eu', version: 2, source: 'eu', observedAt: noon, ...ECB_TERMS },
      {
        part: 'ofac',
        version: 2,
        source: 'ofac',
        observedAt: night,
        changedAt: LIVE.observedAt,
        licence: null,
      },
    ])
    const eu = state && stateOfParts(state, new Set(['eu']))
    expect(eu).toMatchObject({ version: 5, source: 'eu', observedAt: noon, parts: [{ part: 'eu' }] })
    expect(state && stateOfParts(state, new Set(['eu', 'ofac'])).sources).toEqual(['ofac', 'eu'])
    expect(state && stateOfParts(state, new Set(['other']))).toEqual(state)
    expect((await loadDatasetStates(database)).get('instruments')).toEqual(state)
  })

  it('do not rise when the change is rolled back', async () => {
    await bump(SEED)
    const failing = database.transaction(async (tx) => {
      await bumpDataset(tx, LIVE)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await loadDatasetState(database, 'forex')).toMatchObject({ version: 1, source: 'seed' })
  })

  it('count every one of many simultaneous commits', async () => {
    await Promise.all(Array.from({ length: 10 }, () => bump(SEED)))
    expect((await loadDatasetState(database, 'forex'))?.version).toBe(10)
  })

  it('are read once for all waiting requests, and again only after half a second', async () => {
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

  it('are the same object while nothing is committed, and complete afterwards', async () => {
    await bump(SEED)
    await bump({ ...SEED, dataset: 'instruments' })
    const versions = new DataVersions(sql, clock)
    const first = await versions.current()
    expect(await versions.fresh()).toBe(first)
    await bump(LIVE)
    const second = await versions.fresh()
    expect(second).toEqual(await loadDatasetStates(database))
    expect(second).not.toBe(first)
    expect(await versions.fresh()).toBe(second)
    await database.rows("delete from dataset_state where dataset = 'forex'")
    expect([...(await versions.fresh()).keys()]).toEqual(['instruments'])
  })

  it('are read again after the clock was put back', async () => {
    const versions = new DataVersions(sql, clock)
    await versions.current()
    clock.advance(-1_000)
    await versions.current()
    expect(reads).toBe(2)
  })

  it('are read again by the next request after a failed read', async () => {
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

  describe('read afresh', () => {
    /** A database whose answers wait until they are let through, oldest first. */
    function heldBack() {
      const held: (() => void)[] = []
      let wake = () => {}
      const slow: Sql = {
        rows: async (text, parameters) => {
          const rows = await sql.rows(text, parameters)
          await new Promise<void>((resolve) => {
            held.push(resolve)
            wake()
          })
          return rows
        },
      }
      /** Resolves once a read has its rows. */
      const hasRows = async () => {
        while (held.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
      const next = async () => {
        await hasRows()
        held.shift()?.()
      }
      return { slow, hasRows, next }
    }

    it('include every commit before the request, however young the last read is', async () => {
      const versions = new DataVersions(sql, clock)
      await versions.current()
      for (const version of [1, 2, 3]) {
        await bump(SEED)
        expect((await versions.fresh()).get('forex')?.version).toBe(version)
      }
      expect((await versions.current()).get('forex')?.version).toBe(3)
      expect(reads).toBe(4)
    })

    it('do not share a read that had begun before', async () => {
      const { slow, hasRows, next } = heldBack()
      const versions = new DataVersions(slow, clock)
      const early = versions.current()
      // The first read has its rows already; what is committed now it can not tell.
      await hasRows()
      await bump(SEED)
      const fresh = versions.fresh()
      await next()
      expect((await early).size).toBe(0)
      await next()
      expect((await fresh).get('forex')?.version).toBe(1)
      expect(reads).toBe(2)
    })

    it('share one read that had not begun', async () => {
      const { slow, next } = heldBack()
      const versions = new DataVersions(slow, clock)
      const early = versions.current()
      await eventually(() => expect(reads).toBe(1))
      const asked = [versions.fresh(), versions.fresh(), versions.fresh()]
      await next()
      await early
      await next()
      const [first, ...others] = await Promise.all(asked)
      expect(others.every((states) => states === first)).toBe(true)
      expect(reads).toBe(2)
      expect(await versions.current()).toBe(first)
    })

    it('read again for a request after that read has begun', async () => {
      const { slow, hasRows, next } = heldBack()
      const versions = new DataVersions(slow, clock)
      const first = versions.fresh()
      await hasRows()
      await bump(SEED)
      const second = versions.fresh()
      await next()
      expect((await first).size).toBe(0)
      await next()
      expect((await second).get('forex')?.version).toBe(1)
    })

    it('fail with their own read only', async () => {
      let failures = 2
      const failing: Sql = {
        rows: (text, parameters) => {
          failures -= 1
          return failures >= 0 ? Promise.reject(new Error('down')) : sql.rows(text, parameters)
        },
      }
      const versions = new DataVersions(failing, clock)
      await expect(versions.fresh()).rejects.toThrow('down')
      const early = versions.current()
      const fresh = versions.fresh()
      await expect(early).rejects.toThrow('down')
      expect((await fresh).size).toBe(0)
    })
  })
})
