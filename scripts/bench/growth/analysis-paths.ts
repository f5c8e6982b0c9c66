import { loadDifferences } from '../../../src/domains/analysis/changes/change-store.js'
import { ANALYSIS_TYPES, HISTORY_LIMITS } from '../../../src/domains/analysis/model.js'
import { loadPreviousHashes } from '../../../src/domains/analysis/snapshots/proof-store.js'
import {
  type ChainKey,
  chainText,
  loadLatestSnapshots,
  loadPredecessors,
  loadSnapshotPages,
  loadSnapshotsById,
} from '../../../src/domains/analysis/snapshots/snapshot-store.js'
import type { Queries, Sql } from '../../../src/platform/database/database.js'
import { between, chooseAny, consecutive, expect, type ReadPath } from './read-path.js'
import { ASSETS_PER_READ, END, generatedAt, type Scale, SOURCE, snapshotId } from './scale.js'

/** Number of analyses that a list of assets shows for each asset. */
const NESTED_ANALYSES = 5

const NOW = { source: SOURCE, asOf: END }

function someChain({ series }: Scale): ChainKey {
  return { assetId: between(1, series), analysisType: chooseAny(ANALYSIS_TYPES) }
}

function chainsOf20({ series }: Scale): readonly ChainKey[] {
  const analysisType = chooseAny(ANALYSIS_TYPES)
  return consecutive(ASSETS_PER_READ, series).map((assetId) => ({ assetId, analysisType }))
}

/** Any snapshot except the first of its chain, which has no predecessor. */
function someSnapshotId(scale: Scale): string {
  const { assetId, analysisType } = someChain(scale)
  return snapshotId(assetId, analysisType, between(2, scale.chainLength))
}

async function readHistory(sql: Sql, chain: ChainKey, asOf: Date): Promise<void> {
  const limit = HISTORY_LIMITS.default
  const page = (await loadSnapshotPages(sql, [chain], { source: SOURCE, asOf }, { limit, before: null })).get(
    chainText(chain),
  )
  expect('snapshots of a history', page?.snapshots.length, limit)
}

/** The read of a diff without given snapshots. */
async function readNewestDiff(sql: Queries, chain: ChainKey): Promise<void> {
  const newest = (await loadLatestSnapshots(sql, [chain], NOW)).get(chainText(chain))
  if (newest === undefined) throw new Error('a chain has no newest snapshot')
  const before = (await loadPredecessors(sql, [newest], NOW)).get(newest.snapshotId)
  expect('the one before is of the asset', before?.assetId, chain.assetId)
  expect('differences', (await loadDifferences(sql.prisma, [newest.snapshotId])).size, 1)
}

export const ANALYSIS_PATHS: readonly ReadPath[] = [
  {
    name: 'analysis: latest of 20',
    read: async (sql, scale) =>
      expect('latest', (await loadLatestSnapshots(sql, chainsOf20(scale), NOW)).size, ASSETS_PER_READ),
  },
  { name: 'analysis: history of 20', read: (sql, scale) => readHistory(sql, someChain(scale), END) },
  {
    name: 'analysis: history as of',
    read: (sql, scale) => {
      const sequence = between(HISTORY_LIMITS.default + 2, scale.chainLength) // two may be superseded
      return readHistory(sql, someChain(scale), generatedAt(scale, sequence))
    },
  },
  {
    name: 'analysis: 5 of 20 chains',
    read: async (sql, scale) => {
      const pages = await loadSnapshotPages(sql, chainsOf20(scale), NOW, {
        limit: NESTED_ANALYSES,
        before: null,
      })
      for (const { snapshots } of pages.values()) expect('analyses', snapshots.length, NESTED_ANALYSES)
      expect('chains', pages.size, ASSETS_PER_READ)
    },
  },
  {
    name: 'analysis: one by id',
    read: async (sql, scale) => {
      const id = someSnapshotId(scale)
      expect('snapshot', (await loadSnapshotsById(sql.prisma, [id], SOURCE)).get(id)?.snapshotId, id)
    },
  },
  {
    name: 'analysis: hash before',
    read: async (sql, scale) =>
      expect('hashes', (await loadPreviousHashes(sql, [someSnapshotId(scale)])).size, 1),
  },
  {
    name: 'analysis: difference',
    read: async (sql, scale) =>
      expect('differences', (await loadDifferences(sql.prisma, [someSnapshotId(scale)])).size, 1),
  },
  { name: 'analysis: newest diff', read: (sql, scale) => readNewestDiff(sql, someChain(scale)) },
]
