import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { changeCursor, parseChangeCursor } from '../../../../src/core/change-position.js'
import { getChanges, parseChanges } from '../../../../src/domains/analysis/changes/change-service.js'
import { ANALYSIS_CHANGES } from '../../../../src/domains/analysis/changes/change-store.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptied } from '../../../support/database/emptied.js'
import { content, daysAgo, draft, land, NOW, requestOf, TYPES, writeAssets } from '../analysis-world.js'

const ASSETS = 40
/** Thousands of rows on a machine that may be busy. */
const LONG_MS = 120_000

const BATCH = ASSETS * TYPES.length

const EVERYTHING = { since: null, analysisType: null, changeType: null, source: 'seed' }

describe('the cursor of changes', () => {
  it('leads back to the position that it encodes', () => {
    const place = fc.record({
      computedAt: fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }),
      diffId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    })
    fc.assert(
      fc.property(place, (given) => {
        expect(parseChangeCursor(changeCursor(given))).toEqual(given)
      }),
    )
  })

  it.each([
    '',
    'x',
    '!!',
    btoa('["2026-11-20T12:00:00.000Z"]'),
    btoa('["soon",1]'),
    btoa('["2026-11-20",1]'),
    btoa('["2026-11-20T12:00:00.000Z",0]'),
  ])('is refused with 422 if no page gave it: %j', (cursor) => {
    expect(() => parseChanges({ cursor })).toThrow(/cursor: must be the next_cursor of a page of changes/)
  })
})

describe.each(availableDatabases())('changes on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await writeAssets(database, ASSETS)
  })
  afterEach(async () => {
    await emptied(database, ['analysis_snapshot', 'analysis_change'])
    await database.rows("delete from dataset_state where dataset = 'analysis'")
  })
  afterAll(() => database?.close())

  const open = () => round(100)

  /** A snapshot of every chain: from the second round on, as many changes. */
  const round = (days: number, knownAt = NOW) =>
    land(
      database,
      Array.from({ length: BATCH }, (_, index) =>
        draft({
          assetId: 1 + (index % ASSETS),
          analysisType: TYPES[Math.floor(index / ASSETS)] ?? 'regime',
          generatedAt: daysAgo(days),
          content: content({ sentiment_score: days / 1_000 }),
        }),
      ),
      { knownAt },
    )

  const page = async (cursor: string | null, limit: number) =>
    getChanges(parseChanges({ cursor, limit }), await requestOf(database))

  /** Everything there is, in the order of arrival. */
  const allIds = async () => {
    const all = await ANALYSIS_CHANGES.loadAfter(database, EVERYTHING, { after: null, limit: 100_000 })
    return all.map(({ diffId }) => diffId)
  }

  it(
    'shows each item once and newest first to a reader who pages while 5,000 more arrive',
    async () => {
      await open()
      for (const days of [60, 59, 58, 57, 56]) await round(days)
      const before = await allIds()
      expect(before).toHaveLength(5 * BATCH)
      const writer = writeRounds(42)
      const seen: number[] = []
      let cursor: string | null = null
      do {
        const { items, nextCursor, hasMore } = await page(cursor, 10)
        expect(hasMore).toBe(nextCursor !== null)
        seen.push(...items.map(({ diffId }) => diffId))
        cursor = nextCursor
      } while (cursor !== null)
      await writer
      // The first page may hold items that arrived before it was read; from there on nothing is skipped or repeated.
      const newest = Math.max(...seen)
      const expected = (await allIds()).filter((id) => id <= newest).reverse()
      expect(seen).toEqual(expected)
      expect(seen.slice(-before.length)).toEqual([...before].reverse())
      expect(await allIds()).toHaveLength(47 * BATCH)
    },
    LONG_MS,
  )

  it(
    'shows each item once and oldest first to a follower while others arrive',
    async () => {
      await open()
      const seen: number[] = []
      let after: Parameters<typeof ANALYSIS_CHANGES.loadAfter>[2]['after'] = null
      let isDone = false
      const writer = writeRounds(10).then(() => {
        isDone = true
      })
      for (;;) {
        const wasDone = isDone
        const items = await ANALYSIS_CHANGES.loadAfter(database, EVERYTHING, { after, limit: 50 })
        seen.push(...items.map(({ diffId }) => diffId))
        after = items.at(-1) ?? after
        if (wasDone && items.length === 0) break
      }
      await writer
      expect(seen).toHaveLength(10 * BATCH)
      expect(seen).toEqual(await allIds())
    },
    LONG_MS,
  )

  /** Clocks of the writers go back now and then. */
  async function writeRounds(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await round(50 - index, new Date(NOW.getTime() + (index % 3) * 1_000))
    }
  }

  it('filters, counts on the first page, and ends where the items end', async () => {
    await open()
    await round(20, new Date('2026-11-01T00:00:00Z'))
    const [first] = await land(database, [draft({ generatedAt: daysAgo(10), modelId: 'model-x' })])
    await land(database, [draft({ generatedAt: daysAgo(10), supersedes: first?.snapshotId ?? null })])
    const ask = async (args: Parameters<typeof parseChanges>[0]) =>
      getChanges(parseChanges(args), await requestOf(database))
    expect(await ask({ change_type: 'RESTATEMENT' })).toMatchObject({
      items: [{ fromSnapshotId: first?.snapshotId, asset: { slug: 'bitcoin' }, changedAt: daysAgo(10) }],
      hasMore: false,
      nextCursor: null,
      totalCount: 1,
    })
    expect((await ask({ change_type: 'MODEL_UPGRADE' })).totalCount).toBe(1)
    expect((await ask({ analysis_type: 'regime' })).totalCount).toBe(ASSETS)
    expect((await ask({ since: NOW })).totalCount).toBe(2)
    expect((await ask({ since: new Date(NOW.getTime() + 1) })).totalCount).toBe(0)
    const whole = await ask({ limit: 100 })
    expect(whole).toMatchObject({ hasMore: true, totalCount: BATCH + 2 })
    const rest = await ask({ limit: 100, cursor: whole.nextCursor })
    expect(rest.items).toHaveLength(BATCH + 2 - 100)
    expect(rest).toMatchObject({ hasMore: false, nextCursor: null, totalCount: null })
  })

  it('shows no synthetic analyses once the dataset is live', async () => {
    await open()
    await round(5)
    await land(database, [draft({ generatedAt: daysAgo(2) }), draft({ generatedAt: daysAgo(1) })], {
      source: 'exchanges',
    })
    const { items, totalCount } = await page(null, 100)
    expect(totalCount).toBe(1)
    expect(items).toHaveLength(1)
  })
})
