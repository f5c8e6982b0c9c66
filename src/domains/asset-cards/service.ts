import { parseSlug, type Slug } from '../../core/identifiers.js'
import type { Asset } from '../../generated/prisma/client.js'
import { defineSharedLoader } from '../../platform/request/loaders/define-loader.js'
import { memoizeByVersion } from '../../platform/request/loaders/memoize-by-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { findSlugOf } from '../assets/by-service.js'
import type { AssetFilter } from '../assets/model.js'
import { type AssetListQuery, unknownAsset } from '../assets/service.js'
import { latestHour } from '../market/latest-model.js'
import { getLatestPrice, toLatestPrice } from '../market/service.js'
import { type Card, type CardOrder, type PricedCard, toCard } from './model.js'
import { listSortedSlugs } from './sorted-cards.js'
import {
  ANCHOR_DISTANCE,
  type AssetFigures,
  type CardIndex,
  type CardPage,
  loadCardIndex,
  loadCardPage,
  loadCardsBySlug,
} from './store.js'

/** The index of the cards that match a filter. It reads every match, so it is loaded once per version of the dataset. */
const cardIndexByFilter = memoizeByVersion<AssetFilter, CardIndex>({
  datasetsOf: () => ['instruments'],
  keyText: ({ tier, assetClass, mic }) => `${tier} ${assetClass} ${mic}`,
  // More than all combinations of classes, tiers and markets in use. The bound exists because callers can invent markets.
  max: 500,
  read: (filter, sql) => loadCardIndex(sql, filter),
})

/** An asset with its newest consensus and supply, by slug. All slugs that are requested at once share one statement. */
const cardBySlug = defineSharedLoader({
  load: (slugs: readonly string[], context) => loadCardsBySlug(context.database, slugs, context.now),
  batchKey: (_slug, { now }) => String(latestHour(now)),
})

/**
 * One page of assets in the order of asset_id with their prices, and the number of matches on all pages, in one
 * statement. A second statement counts the matches when a filter is first used with a version of the dataset.
 */
export async function listCards(
  { filter, page }: AssetListQuery,
  context: RequestContext,
): Promise<{ readonly cards: readonly PricedCard[]; readonly total: number }> {
  const { total, anchors } = await cardIndexByFilter(filter, context)
  const cards = await loadCardPage(context.database, filter, toCardPage(page, anchors), context.now)
  return { cards: cards.map((card) => toPricedCard(card, context)), total }
}

/** Like `listCards`, in another order or with the cards of a search only. The page itself takes one statement. */
export async function listOrderedCards(
  { filter, page }: AssetListQuery,
  order: CardOrder,
  context: RequestContext,
): Promise<{ readonly cards: readonly PricedCard[]; readonly total: number }> {
  const slugs = await listSortedSlugs(filter, order, context)
  const shown = slugs.slice(page.offset, page.offset + page.limit)
  const loaded = await cardBySlug(context).loadMany(shown)
  const figures = loaded.flatMap((card) => {
    if (card instanceof Error) throw card
    return card ?? []
  })
  return { cards: figures.map((card) => toPricedCard(card, context)), total: slugs.length }
}

/** Starts a page at the last anchor before it, so that the statement skips few rows. */
function toCardPage({ limit, offset }: AssetListQuery['page'], anchors: readonly number[]): CardPage {
  const passed = Math.max(0, Math.min(Math.floor(offset / ANCHOR_DISTANCE), anchors.length - 1))
  return { limit, from: anchors[passed] ?? null, offset: offset - passed * ANCHOR_DISTANCE }
}

/** The asset with this slug and its price, or a 404. */
export async function getCard(slug: Slug, context: RequestContext): Promise<PricedCard> {
  const card = await cardBySlug(context).load(slug)
  if (card === null) throw await unknownAsset(slug, context)
  return toPricedCard(card, context)
}

function toPricedCard({ asset, latest }: AssetFigures, context: RequestContext): PricedCard {
  return { asset, price: toLatestPrice(asset, latest, context) }
}

/** The card of an asset, as an edge of another type. All assets of one level share one statement. */
export async function getCardOfAsset(asset: Asset, context: RequestContext): Promise<Card> {
  return toCard({ asset, price: await getLatestPrice(asset, context) })
}

/** The card of a slug, as an edge of another type. Null for an unknown slug. */
export async function getCardBySlug(slug: string, context: RequestContext): Promise<Card | null> {
  const card = await cardBySlug(context).load(slug)
  return card && toCard(toPricedCard(card, context))
}

/** A key of an asset: its slug or its integer key. */
export type CardKey = { readonly slug: string } | { readonly assetId: number }

/** The cards of several assets in the order of their keys. Null for an unknown asset. */
export function getCardsByKey(
  keys: readonly CardKey[],
  context: RequestContext,
): Promise<readonly (Card | null)[]> {
  return Promise.all(
    keys.map(async (key) => {
      const slug = 'slug' in key ? parseSlug(key.slug) : await findSlugOf(key.assetId, context)
      return slug === null ? null : getCardBySlug(slug, context)
    }),
  )
}
