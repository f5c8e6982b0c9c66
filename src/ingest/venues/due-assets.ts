import type { AssetTier } from '../../core/consensus/consensus.js'
import { MINUTE_MS } from '../../core/time.js'

/**
 * The interval between requests for the bars of an asset, far below the allowed age of its candles (1, 6, 12
 * hours).
 */
const INTERVAL_MS: Readonly<Record<AssetTier, number>> = {
  1: MINUTE_MS,
  2: 5 * MINUTE_MS,
  3: 15 * MINUTE_MS,
}

/** Tolerance, because runs do not begin exactly on the minute. */
const TOLERANCE_MS = 10_000

/**
 * The assets that the slowest venue (Kraken, one request per 1.1 s) answers in about 45 s, so that a run ends
 * before the next is due.
 */
const MAX_ASSETS = 40

interface TieredAsset {
  readonly assetId: number
  readonly tier: AssetTier
}

/**
 * The assets that one run requests: those whose interval has passed, most overdue in proportion to the interval first.
 * Assets beyond the limit are more overdue in the next run. `askedAt`: the last request by asset, in milliseconds.
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
