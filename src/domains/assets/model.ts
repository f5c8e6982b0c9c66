import type { Mic } from '../../core/identifiers.js'
import { column } from '../../platform/database/statement.js'

export const ASSET_CLASSES = ['crypto', 'stock', 'etf', 'commodity'] as const

export type AssetClass = (typeof ASSET_CLASSES)[number]

/** Columns of `asset`. */
export const ASSET_COLUMNS = {
  assetId: 'int4',
  slug: 'text',
  ticker: 'text',
  name: 'text',
  assetClass: column<AssetClass>('asset_class'),
  tier: 'int4?',
  lastUpdated: 'timestamptz',
  source: 'text',
} as const

/** Filters of a list of assets. Null means no filter. */
export interface AssetFilter {
  readonly tier: number | null
  readonly assetClass: AssetClass | null
  readonly mic: Mic | null
}

/** An identifier of an asset beside its slug. A listing is a ticker and a market, joined by a blank. */
export interface AssetIdentifier {
  readonly kind: 'asset_id' | 'figi' | 'isin' | 'listing'
  readonly text: string
}

/** The key of an identifier in a map. */
export function identifierText({ kind, text }: AssetIdentifier): string {
  return `${kind} ${text}`
}
