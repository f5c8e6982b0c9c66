import type { ChangePosition } from '../../../core/change-position.js'
import { groupBy } from '../../../core/group-by.js'
import { defineLoader } from '../../../platform/request/loaders/define-loader.js'
import { servedSource } from '../snapshots/loaders.js'
import {
  type ChangeFilter,
  loadChangesOfAssets,
  loadDifferences,
  type SnapshotChange,
} from './change-store.js'

export interface ChangesKey {
  readonly assetId: number
  readonly filter: ChangeFilter
  readonly before: ChangePosition | null
  readonly limit: number
}

function changesText(key: ChangesKey): string {
  return `${key.assetId} ${changesRangeText(key)}`
}

function changesRangeText({ filter, before, limit }: ChangesKey): string {
  return JSON.stringify([filter, before?.computedAt, before?.diffId, limit])
}

/** The newest changes of an asset before a position; one statement for each filter and range. */
export const changesOfAsset = defineLoader(async (keys: readonly ChangesKey[], context) => {
  const changes = new Map<string, readonly SnapshotChange[]>()
  for (const group of groupBy(keys, changesRangeText).values()) {
    const [{ filter, before, limit }] = group
    const assetIds = group.map(({ assetId }) => assetId)
    const page = { before, limit }
    const found = await loadChangesOfAssets(context.database, assetIds, servedSource(context), filter, page)
    for (const key of group) changes.set(changesText(key), found.get(key.assetId) ?? [])
  }
  return changes
}, changesText)

/** The differences that were computed when a snapshot was stored; null for the first of its asset and type. */
export const differenceTo = defineLoader((snapshotIds: readonly string[], context) =>
  loadDifferences(context.database, snapshotIds),
)
