import type { Slug } from '../../core/identifiers.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { type AssetListQuery, unknownAsset } from '../assets/service.js'
import { getLatestPrice, priceFrom } from '../market/service.js'
import { cardIndexByFilter } from './card-index.js'
import { cardBySlug } from './loaders.js'
import { type Card, type PricedCard, toCard } from './model.js'
import { ANCHOR_DISTANCE, type AssetFigures, type CardPage, loadCardPage } from './store.js'

/**
 * One page of assets in the order of asset_id, with their prices, and how many match on all pages. One statement; a
 * second one counts before it, the first time that a filter is asked of a version of the dataset.
 */
export async function listCards(
  { filter, page }: AssetListQuery,
  context: RequestContext,
): Promise<{ readonly cards: readonly PricedCard[]; readonly total: number }> {
  const { total, anchors } = await cardIndexByFilter(filter, context)
  const cards = await loadCardPage(context.database, filter, placeOf(page, anchors), context.now)
  return { cards: cards.map((card) => toPricedCard(card, context)), total }
}

/** A page is found from the last milestone before it, without counting up to it. */
function placeOf({ limit, offset }: AssetListQuery['page'], anchors: readonly number[]): CardPage {
  const passed = Math.max(0, Math.min(Math.floor(offset / ANCHOR_DISTANCE), anchors.length - 1))
  return { limit, from: anchors[passed] ?? null, offset: offset - passed * ANCHOR_DISTANCE }
}

/** The asset of a slug with its price; 404 where there is none. */
export async function getCard(slug: Slug, context: RequestContext): Promise<PricedCard> {
  const card = await cardBySlug(context).load(slug)
  if (card === null) throw unknownAsset(slug)
  return toPricedCard(card, context)
}

function toPricedCard({ asset, latest }: AssetFigures, context: RequestContext): PricedCard {
  return { asset, price: priceFrom(asset, latest, context) }
}

/** The card of an asset that another answer leads to; one statement for all of a level. */
export async function getCardOfAsset(asset: Asset, context: RequestContext): Promise<Card> {
  return toCard({ asset, price: await getLatestPrice(asset, context) })
}

/** The card of a slug that another answer leads to; null where there is none. */
export async function getCardBySlug(slug: string, context: RequestContext): Promise<Card | null> {
  const card = await cardBySlug(context).load(slug)
  return card && toCard(toPricedCard(card, context))
}
