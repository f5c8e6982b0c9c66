import { loadVenueFacts } from '../../domains/instruments/masters-store.js'
import type { Sql } from '../../platform/database/database.js'
import type { VenueAsset } from './run-venues.js'

/** Adds the symbols at venues to the assets that have stored ones, and whether they are confirmed. */
export async function attachVenueSymbols(
  sql: Sql,
  assets: readonly VenueAsset[],
): Promise<readonly VenueAsset[]> {
  const stored = await loadVenueFacts(
    sql,
    assets.map(({ assetId }) => assetId),
  )
  return assets.map((asset) => ({ ...asset, ...stored.get(asset.assetId) }))
}
