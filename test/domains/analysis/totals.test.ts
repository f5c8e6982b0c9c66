import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChangeFilter } from '../../../src/domains/analysis/changes/change-service.js'
import { ANALYSIS_CHANGES, type SnapshotChange } from '../../../src/domains/analysis/changes/change-store.js'
import { ANALYSIS_TYPES, CHANGE_TYPES, type NewSnapshot } from '../../../src/domains/analysis/model.js'
import { chainText, loadSnapshotPages } from '../../../src/domains/analysis/snapshots/snapshot-store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { content, daysAgo, draft, land, NOW, writeAssets } from './analysis-world.js'

const EVERYTHING: ChangeFilter = { since: null, analysisType: null, changeType: null }
const SOURCES = ['seed', 'exchanges'] as const

/** Every filter there is, with starts before, between and after the changes of the worlds below. */
const FILTERS: readonly ChangeFilter[] = [null, daysAgo(30), daysAgo(2.5), daysAgo(1), NOW].flatMap((since) =>
  [null, ...ANALYSIS_TYPES].flatMap((analysisType) =>
    [null, ...CHANGE_TYPES].map((changeType) => ({ since, analysisType, changeType })),
  ),
)

function matches(change: SnapshotChange, { since, analysisType, changeType }: ChangeFilter): boolean {
  return (
    (since === null || change.computedAt >= since) &&
    (analysisType === null || change.analysisType === analysisType) &&
    (changeType === null || change.changeType === changeType)
  )
}

/** By reason: how many a source has. */
async function totalsByReason(database: Database, source: string) {
  const totals = CHANGE_TYPES.map(async (changeType) => {
    return [
      changeType,
      await ANALYSIS_CHANGES.count(database, { ...EVERYTHING, source, changeType }),
    ] as const
  })
  return Object.fromEntries(await Promise.all(totals))
}

describe.each(availableDatabases())('totals of analyses on %s', (kind) => {
  let database: Database
  beforeAll(() => open())
  afterAll(() => database?.close())

  /** Lands snapshots of two assets and two types that were known some days ago, and tells their UUIDs. */
  const run = async (days: number, source: string, more: Partial<NewSnapshot> = {}) => {
    const drafts = [1, 2].flatMap((assetId) =>
      (['market_context', 'regime'] as const).map((analysisType) =>
        draft({ assetId, analysisType, generatedAt: daysAgo(days), ...more }),
      ),
    )
    return land(database, drafts, { knownAt: daysAgo(days), source })
  }

  const correct = (supersedes: string, days: number, source: string) => {
    const corrected = { generatedAt: daysAgo(days), content: content({ sentiment_score: -days / 100 }) }
    return land(database, [draft({ ...corrected, supersedes })], { knownAt: daysAgo(days), source })
  }

  /** Two sources in turn: refreshes, another model, another method, and corrections of corrections. */
  const open = async () => {
    database = await openTestDatabase(kind)
    await writeAssets(database, 3)
    for (const source of SOURCES) await run(6, source)
    for (const source of SOURCES) await run(5, source, { content: content({ sentiment_score: 0.1 }) })
    const upgraded = { modelId: 'rules-2', content: content({ sentiment_score: 0.2 }) }
    for (const source of SOURCES) await run(4, source, upgraded)
    const [first] = await run(3, 'seed', {
      ...upgraded,
      methodologyVersion: 'm-2',
      content: content({ sentiment_score: 0.3 }),
    })
    if (first === undefined) throw new Error('nothing landed')
    const [again] = await correct(first.snapshotId, 2, 'seed')
    if (again === undefined) throw new Error('no correction landed')
    await correct(again.snapshotId, 1, 'seed')
    // Two of one chain in one transaction.
    const twice = [0.5, 0.4].map((days) =>
      draft({ assetId: 2, generatedAt: daysAgo(days), content: content({ sentiment_score: days }) }),
    )
    await land(database, twice, { knownAt: daysAgo(0.3), source: 'exchanges' })
  }

  it('count by reason the new and corrected snapshots, for each source separately', async () => {
    expect(await totalsByReason(database, 'seed')).toEqual({
      RESTATEMENT: 2,
      METHODOLOGY_CHANGE: 4,
      MODEL_UPGRADE: 4,
      DATA_REFRESH: 4,
    })
    expect(await totalsByReason(database, 'exchanges')).toEqual({
      RESTATEMENT: 0,
      METHODOLOGY_CHANGE: 0,
      MODEL_UPGRADE: 5, // the first of the two goes back to the model before
      DATA_REFRESH: 5,
    })
    expect(await ANALYSIS_CHANGES.count(database, { ...EVERYTHING, source: 'nobody' })).toBe(0)
  })

  it('equal the number of changes, for every filter, from either end', async () => {
    for (const source of SOURCES) {
      const everything = { ...EVERYTHING, source }
      const all = await ANALYSIS_CHANGES.loadAfter(database, everything, { after: null, limit: 1_000 })
      expect(all.length).toBeGreaterThan(9)
      for (const one of FILTERS) {
        const filter = { ...one, source }
        const expected = all.filter((change) => matches(change, filter)).map(({ diffId }) => diffId)
        const after = await ANALYSIS_CHANGES.loadAfter(database, filter, { after: null, limit: 1_000 })
        const before = await ANALYSIS_CHANGES.loadBefore(database, filter, { before: null, limit: 1_000 })
        expect(after.map(({ diffId }) => diffId)).toEqual(expected)
        expect(before.map(({ diffId }) => diffId)).toEqual(expected.toReversed())
        expect(await ANALYSIS_CHANGES.count(database, filter)).toBe(expected.length)
      }
    }
  })

  it('count nothing before it was generated, even if a clock says that it was known', async () => {
    const source = 'a third one'
    const chain = { assetId: 3, analysisType: 'market_context' } as const
    await land(database, [draft({ ...chain, generatedAt: daysAgo(3) })], { knownAt: daysAgo(3), source })
    const late = draft({ ...chain, generatedAt: daysAgo(1) })
    const [early] = await land(database, [late], { knownAt: daysAgo(2), source })
    expect(early?.knownFrom).toEqual(daysAgo(1))
    const pageAt = async (days: number) => {
      const pages = await loadSnapshotPages(
        database,
        [chain],
        { source, asOf: daysAgo(days) },
        { limit: 10, before: null },
      )
      const { snapshots, total } = pages.get(chainText(chain)) ?? { snapshots: [], total: 0 }
      return [snapshots.length, total]
    }
    expect([await pageAt(4), await pageAt(3), await pageAt(1.5), await pageAt(1)]).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
      [2, 2],
    ])
    const sooner = `insert into analysis_snapshot (snapshot_id, asset_id, analysis_type, generated_at, known_from,
      sequence, content, content_hash, chain_hash, model_id, methodology_version, data_lineage, source, standing)
      select gen_random_uuid(), asset_id, analysis_type, generated_at, generated_at - interval '1 ms', 9, content,
      content_hash, chain_hash, model_id, methodology_version, data_lineage, source, standing
      from analysis_snapshot limit 1`
    await expect(database.rows(sooner)).rejects.toThrow(/analysis_snapshot_known/)
  })
})
