import type { AssetTier } from '../../../core/consensus/consensus.js'

/** A coin with the value that its exchanges traded in 30 days. */
export interface TradedCoin {
  readonly assetId: number
  readonly tier: AssetTier
  /** USD, by the consensus. */
  readonly volumeUsd: number
}

/** The last ranks of tiers 1 and 2. Every further rank is tier 3. */
const LAST_RANKS = [50, 200] as const

/** A coin changes its tier only when its rank is so far beyond the border, as a fraction of the border's rank. */
const MARGIN = 0.1

/** The tiers by rank of those coins whose tier changes. */
export function changedTiers(coins: readonly TradedCoin[]): ReadonlyMap<number, AssetTier> {
  const ranked = coins.toSorted((a, b) => b.volumeUsd - a.volumeUsd || a.assetId - b.assetId)
  return new Map(
    ranked.flatMap(({ assetId, tier }, place) => {
      const changed = tierAt(place + 1, tier)
      return changed === tier ? [] : [[assetId, changed] as const]
    }),
  )
}

/** The tier of a rank for a coin that is in `tier`. */
function tierAt(rank: number, tier: AssetTier): AssetTier {
  // A border is easier to stay within than to cross.
  const isWithin = (border: number, isInside: boolean) =>
    rank <= border * (isInside ? 1 + MARGIN : 1 - MARGIN)
  if (isWithin(LAST_RANKS[0], tier === 1)) return 1
  return isWithin(LAST_RANKS[1], tier <= 2) ? 2 : 3
}
