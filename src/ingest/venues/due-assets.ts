import type { AssetTier } from '../../core/consensus/consensus.js'
import { MINUTE_MS } from '../../core/time.js'

/** How often the bars of an asset are asked for: far more often than its candles may be old (1, 6, 12 hours). */
const INTERVAL_MS: Readonly<Record<AssetTier, number>> = {
  1: MINUTE_MS,
  2: 5 * MINUTE_MS,
  3: 15 * MINUTE_MS,
}

/** Runs begin some seconds apart from the minute. */
const TOLERANCE_MS = 10_000

/** What the slowest venue (Kraken, a request in 1.1 s) answers in about 45 s: so a run ends before the next is due. */
const MAX_ASSETS = 40

interface TieredAsset {
  readonly assetId: number
  readonly tier: AssetTier
}

/**
 * The assets that one run asks for: those whose interval has passed, the longest overdue in proportion to it first. What
 * does not fit is more overdue in the next run. `askedAt`: by asset, when it was asked for last, milliseconds.
 */
export function dueAssets<Asset extends TieredAsset>(
  assets: readonly Asset[],
  askedAt: ReadonlyMap<number, number>,
  now: Date,
): readonly Asset[] {
  const overdue = ({ assetId, tier }: Asset) =>
    (now.getTime() - (askedAt.get(assetId) ?? Number.NEGATIVE_INFINITY) + TOLERANCE_MS) / INTERVAL_MS[tier]
  const ranked = assets.map((asset) => ({ asset, by: overdue(asset) })).filter(({ by }) => by >= 1)
  const sorted = ranked.toSorted((a, b) => (a.by === b.by ? a.asset.tier - b.asset.tier : b.by - a.by))
  return sorted.slice(0, MAX_ASSETS).map(({ asset }) => asset)
}
