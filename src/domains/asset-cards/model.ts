import type { Asset } from '../../generated/prisma/client.js'
import type { AssetPrice } from '../market/model.js'

/** An asset with its price, null where it has none. */
export interface PricedCard {
  readonly asset: Asset
  readonly price: AssetPrice | null
}

/** An asset and its latest consensus under the names of the answer: executors read those without a resolver. */
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

export function toCard({ asset, price }: PricedCard): Card {
  // Member by member: spreading a row of the driver takes longer than everything else here.
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
