import type { Mic } from '../../../src/core/identifiers.js'
import { ANCHOR_DISTANCE, loadCardPage, loadCardsBySlug } from '../../../src/domains/asset-cards/store.js'
import type { AssetFilter } from '../../../src/domains/assets/model.js'
import { loadListingsByTicker, loadPrimaryListings } from '../../../src/domains/instruments/store.js'
import type { Sql } from '../../../src/platform/database/database.js'
import { between, consecutive, expect, type ReadPath } from './read-path.js'
import { ASSETS_PER_READ, END, MICS, slugOf, tickerOf } from './scale.js'

/** The assets that match a filter: their number, and the key of each by its position from 0. */
interface Matching {
  readonly count: number
  keyAt(place: number): number
}

/** Any page, read from the anchor before it like in the services. */
async function readPage(sql: Sql, filter: AssetFilter, { count, keyAt }: Matching): Promise<void> {
  const place = between(0, count - ASSETS_PER_READ)
  const offset = place % ANCHOR_DISTANCE
  const page = { limit: ASSETS_PER_READ, offset, from: keyAt(place - offset) }
  const cards = await loadCardPage(sql, filter, page, END)
  expect('assets', cards.length, ASSETS_PER_READ)
  expect('first asset', cards[0]?.asset.assetId, keyAt(place))
}

/** Keys 1 to `count`. */
const firstKeys = (count: number): Matching => ({ count, keyAt: (place) => place + 1 })

const ALL: AssetFilter = { tier: null, assetClass: null, mic: null }

/** The loader assigns the venues in turn. */
function readVenuePage(sql: Sql, assets: number): Promise<void> {
  const place = between(0, MICS.length - 1)
  const ids = Array.from({ length: assets }, (_, index) => index + 1)
  const listed = ids.filter((id) => id % MICS.length === place)
  const matching = { count: listed.length, keyAt: (index: number) => listed[index] ?? 0 }
  return readPage(sql, { ...ALL, mic: MICS[place] as string as Mic }, matching) // as the loading wrote it
}

export const ASSET_PATHS: readonly ReadPath[] = [
  { name: 'assets: page of 20', read: (sql, { assets }) => readPage(sql, ALL, firstKeys(assets)) },
  {
    name: 'assets: page of a class',
    read: (sql, { series }) => readPage(sql, { ...ALL, assetClass: 'crypto' }, firstKeys(series)),
  },
  {
    name: 'assets: page of a venue',
    read: (sql, { assets }) => readVenuePage(sql, assets),
  },
  {
    name: 'assets: one card by slug',
    read: async (sql, { assets }) => {
      const slug = slugOf(between(1, assets))
      expect('card', (await loadCardsBySlug(sql, [slug], END)).get(slug)?.asset.slug, slug)
    },
  },
  {
    name: 'listings of a ticker',
    read: async (sql, { assets }) => {
      const ticker = tickerOf(between(1, assets))
      expect('listings', (await loadListingsByTicker(sql, [ticker])).get(ticker)?.length, 1)
    },
  },
  {
    name: 'listings of 20',
    read: async (sql, { assets }) => {
      const found = await loadPrimaryListings(sql, consecutive(ASSETS_PER_READ, assets))
      expect('listings', found.size, ASSETS_PER_READ)
    },
  },
]
