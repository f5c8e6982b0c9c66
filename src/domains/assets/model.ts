import type { Mic } from '../../core/identifiers.js'
import { ASSET } from '../../generated/columns.js'

/** In the order of preference where a ticker may mean several. */
export const ASSET_CLASSES = ASSET.assetClass.values

export type AssetClass = (typeof ASSET_CLASSES)[number]

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
