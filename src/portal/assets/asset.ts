import type { AssetPriceChanges } from './price-changes.js'

export type AssetClassName = 'crypto' | 'stock' | 'etf' | 'commodity'

/** The card of an asset, as its page requests it. */
export interface Asset {
  readonly asset_id: number
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly asset_class: AssetClassName
  readonly tier: number | null
  readonly market_cap_derived_usd: number | null
  readonly source_count: number | null
  readonly last_updated: string
  readonly price_changes: AssetPriceChanges
  readonly supply: { readonly value: number } | null
}
