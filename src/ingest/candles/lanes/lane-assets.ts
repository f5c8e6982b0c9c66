import { groupBy } from '../../../core/group-by.js'
import type { Clock } from '../../../core/time.js'
import type { Database } from '../../../platform/database/database.js'
import type { ShardLeases } from '../../../platform/outbox/shard-leases.js'
import { shardOf } from '../../../platform/outbox/shard-of.js'
import type { VenueAdapter } from '../../providers/exchanges/venue-adapter.js'
import { loadJobRuns } from '../../schedule/job-store.js'
import { loadCoverage } from '../coverage-store.js'
import { isStablecoin } from '../usd-rates.js'
import { attachVenueSymbols, loadCryptoAssets, type VenueAsset } from '../venue-assets.js'
import { type LaneAsset, refreshLaneAsset, toLaneAsset } from './lane-asset.js'

export interface LaneAssetsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly leases: Pick<ShardLeases, 'termOf' | 'shards'>
  readonly adapters: readonly VenueAdapter[]
  /** The job that creates the assets; it must have succeeded once. Null: none. */
  readonly needs: string | null
}

/** The assets of this node's shards. */
export interface LaneAssets {
  all(): Iterable<LaneAsset>
  /** Whether the database has no assets yet. */
  isEmpty(): boolean
  /** Milliseconds since 1970; 0 before the first reload. */
  loadedAtMs(): number
  /** The assets, of any shard, whose prices convert others. */
  stablecoinIds(): readonly number[]
  /** Reads the assets, and the coverage of those that were not this node's before. */
  reload(): Promise<void>
}

export function createLaneAssets(options: LaneAssetsOptions): LaneAssets {
  const { database, clock, leases, adapters, needs } = options
  let held = new Map<number, { readonly of: LaneAsset; readonly term: number }>()
  let stablecoinIds: readonly number[] = []
  let areAssetsThere = false
  let loadedAtMs = 0
  return {
    *all() {
      for (const { of } of held.values()) yield of
    },
    isEmpty: () => !areAssetsThere,
    loadedAtMs: () => loadedAtMs,
    stablecoinIds: () => stablecoinIds,
    reload: async () => {
      const nowMs = clock.now().getTime()
      const known = await loadTradedAssets(database, needs)
      const own = known.flatMap((asset) => {
        const term = leases.termOf(shardOf(asset.assetId, leases.shards))
        return term === null ? [] : [{ asset, term }]
      })
      const fresh = own.filter(({ asset, term }) => held.get(asset.assetId)?.term !== term)
      const ids = fresh.map(({ asset }) => asset.assetId)
      const coverage = groupBy(ids.length === 0 ? [] : await loadCoverage(database, ids), ({ assetId }) =>
        String(assetId),
      )
      const symbols = await attachVenueSymbols(
        database,
        own.map(({ asset }) => asset),
      )
      held = new Map(
        own.map(({ term }, place) => {
          const asset = symbols[place] as VenueAsset // one of each asset
          const before = held.get(asset.assetId)
          if (before?.term !== term) {
            const rows = coverage.get(String(asset.assetId)) ?? []
            return [asset.assetId, { of: toLaneAsset(asset, adapters, rows, nowMs), term }]
          }
          refreshLaneAsset(before.of, asset, adapters)
          return [asset.assetId, before]
        }),
      )
      stablecoinIds = known.filter(isStablecoin).map(({ assetId }) => assetId)
      areAssetsThere = known.length > 0
      loadedAtMs = nowMs
    },
  }
}

/** Every asset that exchanges may trade; none before the job that creates them has succeeded. */
async function loadTradedAssets(database: Database, needs: string | null): Promise<readonly VenueAsset[]> {
  if (needs !== null && !(await loadJobRuns(database, [needs])).get(needs)?.succeededTo) return []
  return loadCryptoAssets(database)
}
