import './asset-edges-schema.js'
import './federation-schema.js'
import { DISCLAIMER_META } from '../../core/disclaimer.js'
import { parseSlug, type Slug } from '../../core/identifiers.js'
import {
  type DatasetState,
  newestOfGrains,
  stateOfParts,
  type UsedState,
} from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, defineEnvelope, type Envelope, envelope } from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { listEndpoint } from '../../schema-kit/list-endpoint.js'
import { defineNode } from '../../schema-kit/nodes.js'
import { MIC_HINTS } from '../../schema-kit/shared-arguments.js'
import { sortOrderArgument } from '../../schema-kit/sort-order.js'
import { assetArguments } from '../assets/by-schema.js'
import { parseAssetName } from '../assets/by-service.js'
import { AssetClassType } from '../assets/schema.js'
import { MAX_SEARCH_LENGTH } from '../assets/search/search-service.js'
import { freshnessKindOf, parseAssetFilter } from '../assets/service.js'
import { candleGrain } from '../market/candles/candle-grains-model.js'
import { consensusMeta } from '../market/consensus-model.js'
import { AssetCardType, CARD_READS, cardGrains } from './card-schema.js'
import { type PricedCard, toCard } from './model.js'
import { parseCardOrder } from './parse-card-order.js'
import { getCard, getCardsByKey, listCards, listOrderedCards } from './service.js'

const AssetSortType = describedEnum('AssetSort', 'What a list of assets is sorted by.', {
  name: 'The name, without regard to case.',
  price: 'The consensus price in USD.',
  market_cap: 'The market value in USD.',
  tier: 'The rank tier.',
  last_updated: 'When the figures were last updated.',
})

const AssetCardResponse = defineEnvelope(AssetCardType)

defineNode(AssetCardType, {
  servedBy: 'asset',
  keyOf: ({ slug }) => slug,
  isKey: (text) => parseSlug(text) !== null,
  load: (slugs, context) =>
    getCardsByKey(
      slugs.map((slug) => ({ slug })),
      context,
    ),
  grains: cardGrains,
  assetOf: (slug) => slug as Slug, // checked by isKey
})

listEndpoint('assets', {
  summary: 'List assets',
  keywords: ['list of coins', 'cryptocurrencies', 'all prices', 'top coins', 'market cap ranking', 'biggest'],
  description:
    'Assets in the order of asset_id or of `sort`, filtered by tier, market, class and text. Prices are consensus prices in USD, null for assets without one.',
  access: 'caller',
  path: '/v1/assets',
  tag: 'assets',
  reads: CARD_READS,
  item: AssetCardType,
  filters: (arg) => ({
    tier: arg.int({
      description: 'Only assets of this rank tier.',
      ...hints({ minimum: 1, maximum: 3, example: 1 }),
    }),
    mic: arg.string({
      description: 'Only assets listed on this market (ISO 10383).',
      ...MIC_HINTS,
    }),
    asset_class: arg({
      type: AssetClassType,
      description: 'Only assets of this class.',
      ...hints({ example: 'crypto' }),
    }),
    q: arg.string({
      description: `Only assets whose slug, ticker or name contains every word of this text, in any case and order: 1 to ${MAX_SEARCH_LENGTH} characters.`,
      ...hints({ example: 'bit', maxLength: MAX_SEARCH_LENGTH }),
    }),
    sort: arg({
      type: AssetSortType,
      description: 'Order of all matching assets, over all pages. Equal values are in the order of asset_id.',
      ...hints({ example: 'market_cap', defaultText: 'asset_id' }),
    }),
    order: sortOrderArgument(arg),
  }),
  check: (args, problems) => ({
    filter: parseAssetFilter(args, problems),
    order: parseCardOrder(args, problems),
  }),
  resolve: async ({ filter, order }, page, context) => {
    const { cards, total } =
      order === null
        ? await listCards({ filter, page }, context)
        : await listOrderedCards({ filter, page }, order, context)
    const candles = context.datasets.get('candles')
    return { envelope: envelopeOfCards(cards, cards.map(toCard), candles, context), total }
  },
})

queryEndpoint('asset', {
  summary: 'One asset',
  keywords: ['price', 'current price', 'market cap', 'market capitalisation', 'quote', 'worth', 'trading at'],
  description:
    'The card of one asset by its slug (lower-case name, e.g. bitcoin); GraphQL also takes other identifiers in `by`. A ticker gets a 404 that says how to find the slug.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{id}', tag: 'assets' },
  reads: CARD_READS,
  errors: ['not_found'],
  type: AssetCardResponse,
  args: (arg) => ({
    ...assetArguments(arg),
  }),
  check: (args, context) => parseAssetName(args, context),
  grains: cardGrains,
  assetOf: (slug) => slug,
  resolve: async (slug, context) => {
    const card = await getCard(slug, context)
    const candles = context.datasets.get('candles')
    const ofAsset = candles && newestOfGrains(candles, [candleGrain(slug)])
    return envelopeOfCards([card], toCard(card), ofAsset, context)
  },
})

/**
 * The envelope of cards. If a card has a price, the envelope has the age of the newest price and lists the source of the
 * prices first. Otherwise it has the age of the master data. It is synthetic if any part is, and partial if a price is
 * missing. `candles` is the state of the candles that the prices are read from.
 */
function envelopeOfCards<Data>(
  cards: readonly PricedCard[],
  data: Data,
  candles: DatasetState | undefined,
  context: RequestContext,
): Envelope<Data> {
  const master = stateOfParts(
    datasetStateOf(context, 'instruments'),
    new Set(cards.map(({ asset }) => asset.source)),
  )
  const kind = freshnessKindOf(cards.map(({ asset }) => asset))
  const [first, ...others] = cards.flatMap(({ price }) => price ?? [])
  const common = { ...DISCLAIMER_META, data_quality: qualityOfCards(cards) }
  if (first === undefined || candles === undefined) return envelope(context, master, kind, data, common)
  const newest = others.reduce((a, b) => (b.observedAt > a.observedAt ? b : a), first)
  const used: readonly UsedState[] = [candles, master, ...listSupplyStates(cards, context)]
  const state = {
    ...candles,
    observedAt: newest.observedAt,
    isDevDataset: used.some(({ isDevDataset }) => isDevDataset),
    sources: [...new Set(used.flatMap(({ source, sources }) => sources ?? [source]))],
  }
  return envelope(context, state, kind, data, {
    ...common,
    ...consensusMeta(candles.changedAt),
    methodology_version: newest.methodologyVersion,
  })
}

/** The supply datasets behind the market values of the cards. Empty if no card has a market value. */
function listSupplyStates(cards: readonly PricedCard[], { datasets }: RequestContext): readonly UsedState[] {
  const sources = new Set(cards.flatMap(({ price }) => price?.supplySource ?? []))
  const supply = datasets.get('supply')
  return supply === undefined || sources.size === 0 ? [] : [stateOfParts(supply, sources)]
}

function qualityOfCards(cards: readonly PricedCard[]): 'full' | 'partial' | 'empty' {
  if (cards.length === 0) return 'empty'
  return cards.every(({ price }) => price?.priceUsd != null) ? 'full' : 'partial'
}
