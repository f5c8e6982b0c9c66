import { type Decimal, decimal, decimalText } from '../decimal.js'
import { type AssetTier, consensus, type PublishedSource, recompute, type VenueInput } from './consensus.js'
import type { VenueExclusion } from './venue-vwap.js'

type WeightedSource = PublishedSource & { readonly weight: string | null }

/** The prices that published sources give; null for too few sources. */
export interface RecomputedPrice {
  /** Price from the venues that are published as used. */
  readonly recomputed: string | null
  /** Price from all venues, with exclusions by the rules. */
  readonly byTheRules: string | null
  /** Venues whose published exclusion or weight differs from the rules. */
  readonly differingVenues: readonly string[]
}

/** Computes a published price again. Throws RangeError for a repeated venue, or an invalid figure of a used one. */
export function recomputePublishedPrice(
  sources: readonly WeightedSource[],
  tier: AssetTier,
): RecomputedPrice {
  const again = consensus(sources.map(toVenueInput), tier)
  const published = new Map(sources.map((source) => [source.venue, source]))
  const differing = again.sources.filter(({ venue, exclusion, weight }) => {
    const source = published.get(venue)
    return source?.exclusion !== exclusion || source.weight !== decimalTextOrNull(weight)
  })
  return {
    recomputed: decimalTextOrNull(recompute(sources)),
    byTheRules: decimalTextOrNull(again.vwapUsd),
    differingVenues: differing.map(({ venue }) => venue),
  }
}

function toVenueInput({ venue, vwapUsd, volumeUsd, exclusion }: PublishedSource): VenueInput {
  if (vwapUsd !== null && volumeUsd !== null) {
    return { venue, vwapUsd: decimal(vwapUsd), volumeUsd: decimal(volumeUsd) }
  }
  // A venue without figures has only a reason, which is compared.
  return { venue, excluded: (exclusion ?? 'no_volume') as VenueExclusion }
}

function decimalTextOrNull(figure: Decimal | null): string | null {
  return figure === null ? null : decimalText(figure)
}
