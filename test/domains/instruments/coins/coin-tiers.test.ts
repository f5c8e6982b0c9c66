import { describe, expect, it } from 'vitest'
import type { AssetTier } from '../../../../src/core/consensus/consensus.js'
import { changedTiers } from '../../../../src/domains/instruments/coins/coin-tiers-model.js'

/** 300 coins by volume, the key is the rank. */
function coins(tierOf: (rank: number) => AssetTier) {
  return Array.from({ length: 300 }, (_, at) => ({
    assetId: at + 1,
    tier: tierOf(at + 1),
    volumeUsd: 1_000_000 / (at + 1),
  }))
}

const byRank = (rank: number): AssetTier => (rank <= 50 ? 1 : rank <= 200 ? 2 : 3)

describe('the tier of a coin', () => {
  it('is that of its rank by volume', () => {
    const changed = changedTiers(coins(() => 3))
    const tiers = [1, 45, 180].map((rank) => [rank, changed.get(rank)])
    expect(tiers).toEqual([
      [1, 1],
      [45, 1],
      [180, 2],
    ])
    expect(changedTiers(coins(byRank)).size).toBe(0)
  })

  it('changes only beyond a tenth of the border', () => {
    const up = changedTiers(coins(() => 3))
    expect([46, 50].map((rank) => up.get(rank))).toEqual([2, 2])
    expect([181, 200].map((rank) => up.has(rank))).toEqual([false, false])
    const down = changedTiers(coins(() => 1))
    expect([55, 56, 220, 221].map((rank) => down.get(rank) ?? 1)).toEqual([1, 2, 2, 3])
  })

  it('does not depend on the order of equal volumes', () => {
    const equal = coins(byRank).map((coin) => ({ ...coin, volumeUsd: 0 }))
    expect(changedTiers(equal.toReversed())).toEqual(changedTiers(equal))
  })
})
