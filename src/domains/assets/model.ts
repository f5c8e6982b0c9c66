import type { Mic } from '../../core/identifiers.js'

export const ASSET_CLASSES = ['crypto', 'stock', 'etf', 'commodity'] as const

export type AssetClass = (typeof ASSET_CLASSES)[number]

/** What a list of assets is narrowed to; null: not narrowed. */
export interface AssetFilter {
  readonly tier: number | null
  readonly assetClass: AssetClass | null
  readonly mic: Mic | null
}
