import type { Asset } from '../../generated/prisma/client.js'
import type { AssetPrice } from '../market/model.js'

/** An asset with its price, or null without one. */
export interface PricedCard {
  readonly asset: Asset
  readonly price: AssetPrice | null
}

/** An asset and its latest consensus, named like the response fields: the executor then needs no resolver. */
export interface Card extends Asset {
  readonly asset_id: number
  readonly price_consensus_usd: number | null
  readonly market_cap_derived_usd: number | null
  readonly last_updated: Date
  readonly price_source: 'consensus_vwap' | 'none'
  readonly source_count: number | null
  readonly consensus_status: AssetPrice['status'] | null
  readonly methodology_version: string | null
}

/** What a list of cards can be sorted by. */
export type CardSort = 'name' | 'price' | 'market_cap' | 'tier' | 'last_updated'

/** The order of a list of cards, and the words that a card must contain. */
export interface CardOrder {
  /** Null: the order of asset_id. */
  readonly sort: CardSort | null
  readonly isDescending: boolean
  /** In lower case. */
  readonly words: readonly string[]
}

export function toCard({ asset, price }: PricedCard): Card {
  // Copied member by member: spreading a row of the driver takes longer than the rest of the function.
  const { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source } = asset
  return {
    assetId,
    slug,
    ticker,
    name,
    assetClass,
    tier,
    lastUpdated,
    source,
    asset_id: assetId,
    price_consensus_usd: price?.priceUsd ?? null,
    market_cap_derived_usd: price?.marketCapUsd ?? null,
    last_updated: price?.observedAt ?? lastUpdated,
    price_source: price?.status === 'ok' ? 'consensus_vwap' : 'none',
    source_count: price?.exchangesCount ?? null,
    consensus_status: price?.status ?? null,
    methodology_version: price?.methodologyVersion ?? null,
  }
}
