import { type AssetTier, toAssetTier } from '../../core/consensus/consensus.js'
import type { TradedAsset } from '../../core/consensus/venue-symbols.js'
import { loadVenueFacts } from '../../domains/instruments/masters/masters-store.js'
import type { Database, Sql } from '../../platform/database/database.js'

/** A crypto asset as exchanges are asked for it. */
export interface VenueAsset extends TradedAsset {
  readonly assetId: number
  readonly slug: string
  readonly tier: AssetTier
  /** False: exchanges do not agree about its price yet, so its bars give no candles. Undefined: true. */
  readonly isConfirmed?: boolean
}

/** Every crypto asset that is still listed, by integer key, without its symbols at venues. */
export async function loadCryptoAssets({ prisma }: Pick<Database, 'prisma'>): Promise<readonly VenueAsset[]> {
  const assets = await prisma.asset.findMany({
    where: { assetClass: 'crypto', instruments: { none: { inactiveSince: { not: null } } } },
    select: { assetId: true, slug: true, ticker: true, tier: true },
    orderBy: { assetId: 'asc' },
  })
  return assets.map((asset) => ({ ...asset, tier: toAssetTier(asset.tier) }))
}

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
