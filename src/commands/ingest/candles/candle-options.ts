import type { AssetTier } from '../../../core/consensus/consensus.js'
import { suggest } from '../../../core/suggest.js'
import { loadCardPage } from '../../../domains/asset-cards/store.js'
import { loadAssetsBySlug } from '../../../domains/assets/store.js'
import type { Venue } from '../../../domains/market/model.js'
import type { Asset } from '../../../generated/prisma/client.js'
import { VENUE_ADAPTERS } from '../../../ingest/datasets/market/ingestion.js'
import { IngestError } from '../../../ingest/feed.js'
import type { VenueAdapter } from '../../../ingest/providers/exchanges/venue-adapter.js'
import { attachVenueSymbols } from '../../../ingest/venues/attach-venue-symbols.js'
import type { VenueAsset } from '../../../ingest/venues/run-venues.js'
import type { Sql } from '../../../platform/database/database.js'
import { UsageError } from '../../usage-error.js'

/** More crypto assets than the database has. */
const MAX_ASSETS = 10_000

/**
 * The assets of these slugs; without slugs, all crypto assets about whose price exchanges agree. Throws IngestError for another
 * slug.
 */
export async function loadVenueAssets(sql: Sql, slugs: readonly string[]): Promise<readonly VenueAsset[]> {
  const crypto = { tier: null, assetClass: 'crypto', mic: null } as const
  if (slugs.length === 0) {
    const cards = await loadCardPage(sql, crypto, { limit: MAX_ASSETS, offset: 0, from: null }, new Date())
    if (cards.length === 0)
      throw new IngestError('the database has no crypto assets; start the gateway once to load them')
    const all = await attachVenueSymbols(
      sql,
      cards.map(({ asset }) => toVenueAsset(asset)),
    )
    return all.filter(({ isConfirmed }) => isConfirmed !== false)
  }
  const known = await loadAssetsBySlug(sql, slugs)
  const assets = slugs.map((slug) => {
    const asset = known.get(slug)
    if (asset === undefined) throw new IngestError(`unknown asset ${JSON.stringify(slug)}`)
    if (asset.assetClass !== 'crypto') throw new IngestError(`${slug} is not a crypto asset`)
    return toVenueAsset(asset)
  })
  const traded = await attachVenueSymbols(sql, assets)
  const open = traded.find(({ isConfirmed }) => isConfirmed === false)
  if (open !== undefined) throw new IngestError(`exchanges do not agree about the price of ${open.slug} yet`)
  return traded
}

function toVenueAsset({ assetId, slug, ticker, tier }: Asset): VenueAsset {
  return { assetId, slug, ticker, tier: isAssetTier(tier) ? tier : 3 }
}

function isAssetTier(tier: number | null): tier is AssetTier {
  return tier === 1 || tier === 2 || tier === 3
}

export function parseVenues(names: readonly string[], others: readonly Venue[]): readonly VenueAdapter[] {
  const wanted = names.length === 0 ? others : names
  return [...new Set(wanted)].map((name) => {
    const adapter = VENUE_ADAPTERS.find(({ venue }) => venue === name)
    if (adapter !== undefined) return adapter
    const venues = VENUE_ADAPTERS.map(({ venue }) => venue)
    const likely = suggest(name, venues)
    const hint = likely === null ? `use one of: ${venues.join(', ')}` : `did you mean ${likely}?`
    throw new UsageError(`unknown venue ${JSON.stringify(name)}; ${hint}`)
  })
}

/** Parses an instant. A date without a time means its start in UTC. */
export function parseInstantOption(option: string, text: string): Date {
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(text)
  const instant = new Date(text)
  if (!isIso || Number.isNaN(instant.getTime())) {
    throw new UsageError(
      `${option} must be an instant such as 2026-11-20T12:00Z; got ${JSON.stringify(text)}`,
    )
  }
  return instant
}
