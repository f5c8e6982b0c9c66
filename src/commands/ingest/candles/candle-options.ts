import { toAssetTier } from '../../../core/consensus/consensus.js'
import type { Venue } from '../../../core/consensus/venue-symbols.js'
import { suggest } from '../../../core/suggest.js'
import { loadAssetsBySlug } from '../../../domains/assets/store.js'
import {
  attachVenueSymbols,
  loadCryptoAssets,
  type VenueAsset,
} from '../../../ingest/candles/venue-assets.js'
import { VENUE_ADAPTERS } from '../../../ingest/datasets/market/ingestion.js'
import { IngestError } from '../../../ingest/feed.js'
import type { Database } from '../../../platform/database/database.js'
import { UsageError } from '../../usage-error.js'

/**
 * The assets of these slugs; without slugs, all crypto assets about whose price exchanges agree. Throws IngestError for another
 * slug.
 */
export async function loadWantedAssets(
  database: Database,
  slugs: readonly string[],
): Promise<readonly VenueAsset[]> {
  const wanted = slugs.length === 0 ? await loadCryptoAssets(database) : await loadNamed(database, slugs)
  if (wanted.length === 0)
    throw new IngestError('the database has no crypto assets; start the gateway once to load them')
  const traded = await attachVenueSymbols(database, wanted)
  const open = traded.find(({ isConfirmed }) => isConfirmed === false)
  if (open !== undefined && slugs.length > 0)
    throw new IngestError(`exchanges do not agree about the price of ${open.slug} yet`)
  return traded.filter(({ isConfirmed }) => isConfirmed !== false)
}

async function loadNamed(database: Database, slugs: readonly string[]): Promise<readonly VenueAsset[]> {
  const known = await loadAssetsBySlug(database, slugs)
  return slugs.map((slug) => {
    const asset = known.get(slug)
    if (asset === undefined) throw new IngestError(`unknown asset ${JSON.stringify(slug)}`)
    if (asset.assetClass !== 'crypto') throw new IngestError(`${slug} is not a crypto asset`)
    return { assetId: asset.assetId, slug, ticker: asset.ticker, tier: toAssetTier(asset.tier) }
  })
}

export function parseVenues(names: readonly string[]): readonly Venue[] {
  const venues = VENUE_ADAPTERS.map(({ venue }) => venue)
  return [...new Set(names)].map((name) => {
    const venue = venues.find((known) => known === name)
    if (venue !== undefined) return venue
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
