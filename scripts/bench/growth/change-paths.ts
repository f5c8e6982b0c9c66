import type { ChangePosition } from '../../../src/core/change-position.js'
import type { ChangeFilter } from '../../../src/domains/analysis/changes/change-service.js'
import { ANALYSIS_CHANGES } from '../../../src/domains/analysis/changes/change-store.js'
import { ANALYSIS_TYPES, CHANGES_LIMITS } from '../../../src/domains/analysis/model.js'
import type { Sql } from '../../../src/platform/database/database.js'
import { between, chooseAny, expect, type ReadPath } from './read-path.js'
import { chainCount, DAY_MS, diffId, END, generatedAt, type Scale, SOURCE } from './scale.js'

const EVERYTHING: ChangeFilter = { since: null, analysisType: null, changeType: null }

const ofSource = (filter: ChangeFilter) => ({ ...filter, source: SOURCE })

/** A page is read with one more item, which shows whether another page follows. */
const READ = CHANGES_LIMITS.default + 1

/** The number in the smallest world, so it is rare in the others. */
const RESTATEMENTS = 11

const SINCE_DAYS = 7

/** All items, or the items of one kind and the usual reason. */
const filtered = (): ChangeFilter => ({
  since: null,
  analysisType: chooseAny(ANALYSIS_TYPES),
  changeType: 'DATA_REFRESH',
})

/** Any position among the changes, except in the first and last runs, where pages are short. */
function somePlace(scale: Scale): ChangePosition {
  const sequence = between(7, scale.chainLength - 5)
  const chain = between(0, chainCount(scale) - 1)
  return { computedAt: generatedAt(scale, sequence), diffId: diffId(scale, sequence, chain) }
}

async function readBefore(sql: Sql, filter: ChangeFilter, before: ChangePosition | null): Promise<void> {
  const changes = await ANALYSIS_CHANGES.loadBefore(sql, ofSource(filter), { before, limit: READ })
  expect('changes', changes.length, READ)
}

async function readAfter(
  sql: Sql,
  after: ChangePosition,
  assetId: number | null,
  limit: number,
): Promise<void> {
  const filter = { ...ofSource(EVERYTHING), assetIds: assetId === null ? null : [assetId] }
  const changes = await ANALYSIS_CHANGES.loadAfter(sql, filter, { after, limit })
  expect('changes', changes.length, limit)
}

async function count(sql: Sql, filter: ChangeFilter): Promise<void> {
  expect('there are changes', (await ANALYSIS_CHANGES.count(sql, ofSource(filter))) > 0, true)
}

export const CHANGE_PATHS: readonly ReadPath[] = [
  { name: 'changes: first page', read: (sql) => readBefore(sql, EVERYTHING, null) },
  { name: 'changes: first, filtered', read: (sql) => readBefore(sql, filtered(), null) },
  {
    name: 'changes: first, restated',
    read: async (sql) => {
      const filter = ofSource({ ...EVERYTHING, changeType: 'RESTATEMENT' })
      const page = { before: null, limit: RESTATEMENTS }
      const found = await ANALYSIS_CHANGES.loadBefore(sql, filter, page)
      expect('restatements', found.length, RESTATEMENTS)
    },
  },
  { name: 'changes: deep page', read: (sql, scale) => readBefore(sql, EVERYTHING, somePlace(scale)) },
  { name: 'changes: deep, filtered', read: (sql, scale) => readBefore(sql, filtered(), somePlace(scale)) },
  { name: 'changes: total', read: (sql) => count(sql, EVERYTHING) },
  { name: 'changes: total, filtered', read: (sql) => count(sql, filtered()) },
  {
    name: 'changes: total of a week',
    read: (sql) => count(sql, { ...EVERYTHING, since: new Date(END.getTime() - SINCE_DAYS * DAY_MS) }),
  },
  { name: 'changes: 100 after a place', read: (sql, scale) => readAfter(sql, somePlace(scale), null, 100) },
  {
    name: 'changes: next of an asset',
    read: (sql, scale) => readAfter(sql, somePlace(scale), between(1, scale.series), 6),
  },
]
