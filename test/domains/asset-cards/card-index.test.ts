import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import type { InstrumentFacts } from '../../../src/domains/instruments/model.js'
import type { Database } from '../../../src/platform/database/database.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { type Answer, startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { SEEN_AFTER_MS } from '../../support/app/kept-answers.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'
import { createInstrument } from '../../support/instrument.js'

interface Page {
  readonly data: readonly { readonly asset_id: number }[]
  readonly meta: { readonly total: number; readonly has_next: boolean }
}

/** A fund on a market that no other asset is listed on. */
const fund = (assetId: number) =>
  createInstrument({ assetId, slug: `fund-${assetId}`, ticker: `F${assetId}`, name: `Fund ${assetId}` })

describe('a page of assets', () => {
  let database: Database
  let app: TestApp
  let key: string
  const clock = new TestClock(SEEDED_AT)
  /** What was asked of the asset master, and which of it is to fail. */
  let asked: string[] = []
  let failing: RegExp | null = null
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
    const watched = interposed(database, (sql) => {
      if (/\bfrom asset\b/.test(sql)) asked.push(sql)
      if (failing?.test(sql)) throw new Error('as a test wants it')
    })
    // A kept answer would ask nothing.
    app = await startTestApp(quickestDatabase(), { database: watched, clock, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })
  beforeEach(async () => {
    failing = null
    await commit([])
    asked = []
  })

  async function commit(facts: readonly InstrumentFacts[]): Promise<void> {
    const state = { source: 'seed', isDevDataset: true, observedAt: clock.now(), changedAt: clock.now() }
    await database.transaction(async (tx) => {
      await writeInstruments(tx, facts, { knownAt: clock.now(), source: 'seed' })
      await bumpDataset(tx, { dataset: 'instruments', ...state })
    })
    clock.advance(SEEN_AFTER_MS)
  }

  const page = (query: string): Promise<Answer<Page>> => app.rest<Page>(`/v1/assets?${query}`, { key })
  const totalOf = async (query: string) => (await page(query)).body.meta.total

  it('takes one statement, and the first of a version and filter two', async () => {
    const counts: number[] = []
    for (const query of [
      'limit=2',
      'limit=100',
      'limit=2&offset=7',
      'limit=2&tier=1',
      'limit=3&tier=1',
      'limit=3&tier=1&asset_class=crypto',
    ]) {
      asked = []
      expect((await page(query)).status).toBe(200)
      counts.push(asked.length)
    }
    expect(counts).toEqual([2, 1, 1, 2, 1, 2])
  })

  it('has the total of its version, for every filter', async () => {
    const queries = [
      'limit=1',
      'limit=1&asset_class=etf',
      'limit=1&mic=XWAR',
      'limit=1&asset_class=etf&mic=XWAR',
    ]
    const before = await Promise.all(queries.map(totalOf))
    expect([before[0], before[2], before[3]]).toEqual([148, 0, 0])
    await commit([fund(9_001), fund(9_002)])
    expect(await Promise.all(queries.map(totalOf))).toEqual(before.map((total) => total + 2))
    expect(await totalOf('limit=1&tier=1&mic=XWAR')).toBe(0)
    await database.rows('delete from instrument where asset_id > 9000')
    await database.rows('delete from asset where asset_id > 9000')
    await commit([])
    expect(await Promise.all(queries.map(totalOf))).toEqual(before)
  })

  it.each([
    ['limit=7', null],
    ['limit=7&asset_class=crypto', 'crypto'],
    ['limit=7&asset_class=stock', 'stock'],
  ])('holds the assets of %s in their order, and each asset once', async (query, assetClass) => {
    const wanted = await database.rows<{ id: number }>(
      'select asset_id as id from asset where $1::text is null or asset_class = $1::asset_class order by asset_id',
      [assetClass],
    )
    const ids: number[] = []
    for (let offset = 0; offset < wanted.length; offset += 7) {
      const { body } = await page(`${query}&offset=${offset}`)
      expect(body.meta).toMatchObject({ total: wanted.length, has_next: offset + 7 < wanted.length })
      ids.push(...body.data.map(({ asset_id }) => asset_id))
    }
    expect(ids).toEqual(wanted.map(({ id }) => id))
  })

  it('beyond the last is empty, with the right total', async () => {
    for (const offset of [148, 5_000]) {
      const { status, body } = await page(`limit=5&offset=${offset}`)
      expect([status, body.data, body.meta.total, body.meta.has_next]).toEqual([200, [], 148, false])
    }
  })

  it('keeps no total after a failed read', async () => {
    failing = /count\(\*\) over \(\) as total\s+from asset\b/
    expect((await page('limit=1')).status).toBe(500)
    failing = null
    expect(await totalOf('limit=1')).toBe(148)
  })
})
