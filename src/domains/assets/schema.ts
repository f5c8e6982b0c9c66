import { hasNext, OFFSET_LIMITS } from '../../core/page.js'
import type { Asset } from '../../generated/prisma/client.js'
import { builder } from '../../graphql/builder.js'
import {
  type ApiMeta,
  type Envelope,
  envelope,
  envelopeOf,
  listEnvelopeOf,
  stateOf,
} from '../../graphql/envelope.js'
import { edge, hints, queryEndpoint } from '../../graphql/fields.js'
import type { RequestContext } from '../../platform/request-context.js'
import { AssetClassType, InstrumentEtfType, InstrumentStockType } from '../instruments/schema.js'
import { primaryListingOf } from '../instruments/service.js'
import { type AssetPrice, getCard, listCards, type PricedCard, priceOf } from '../market/service.js'
import { freshnessKindOf, parseAssetId, parseAssetList } from './service.js'

const PriceSourceType = builder.enumType('PriceSource', {
  description: 'Where the price of a card comes from.',
  values: {
    consensus_vwap: {
      value: 'consensus_vwap',
      description: 'Volume-weighted consensus over several exchanges.',
    },
    none: { value: 'none', description: 'There is no price.' },
  } as const,
})

export const ConsensusStatusType = builder.enumType('ConsensusStatus', {
  description: 'Whether enough exchanges agreed on a price.',
  values: {
    ok: { value: 'ok', description: 'At least three exchanges were left after exclusions.' },
    insufficient_sources: {
      value: 'insufficient_sources',
      description: 'Fewer than three were left: no price.',
    },
  } as const,
})

/** An asset and its latest consensus under the names of the answer: executors read those without a resolver. */
interface Card extends Asset {
  readonly asset_id: number
  readonly price_consensus_usd: number | null
  readonly market_cap_derived_usd: number | null
  readonly last_updated: Date | null
  readonly price_source: 'consensus_vwap' | 'none'
  readonly source_count: number | null
  readonly consensus_status: AssetPrice['status'] | null
  readonly methodology_version: string | null
}

function toCard({ asset, price }: PricedCard): Card {
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

/** The card of an asset that another answer leads to; one statement for all of a level. */
export async function cardOf(asset: Asset, context: RequestContext): Promise<Card> {
  return toCard({ asset, price: await priceOf(asset, context) })
}

/** A member that `toCard` added to the model's own: every asset that reaches the type went through it. */
function served<Name extends keyof Card>(name: Name) {
  return {
    extensions: { pothosExposedField: name },
    resolve: (asset: Asset): Card[Name] => (asset as Card)[name],
  }
}

export const AssetCardType = builder.prismaObject('Asset', {
  variant: 'AssetCard',
  description: 'An asset with its latest consensus price: crypto, stock, ETF or commodity.',
  fields: (t) => ({
    asset_id: t.int({
      ...served('asset_id'),
      description: 'Integer key of the asset, as in the star schema. Not the {id} of paths.',
    }),
    ticker: t.exposeString('ticker', {
      description: 'Upper-case ticker, e.g. BTC. Not unique across asset classes.',
    }),
    name: t.exposeString('name', { description: 'Name of the asset.' }),
    tier: t.exposeInt('tier', {
      nullable: true,
      description:
        'Rank tier of a crypto asset: 1 (ranks 1–50), 2 (51–200), 3 (201–1000). Null for other classes.',
    }),
    price_consensus_usd: t.float({
      ...served('price_consensus_usd'),
      nullable: true,
      description: 'Consensus price of the newest finished window, USD. Null while there is none.',
    }),
    market_cap_derived_usd: t.float({
      ...served('market_cap_derived_usd'),
      nullable: true,
      description: 'Price times supply, USD, to 15 significant digits. Null without price or supply.',
    }),
    last_updated: t.field({
      ...served('last_updated'),
      type: 'DateTime',
      nullable: true,
      description:
        'End of the window of the latest consensus; without one, when the master facts were last confirmed.',
    }),
    price_source: t.field({
      ...served('price_source'),
      type: PriceSourceType,
      nullable: true,
      description: 'consensus_vwap, or none while there is no price.',
    }),
    source_count: t.int({
      ...served('source_count'),
      nullable: true,
      description: 'Exchanges that passed every rule of the latest consensus. Null while there was none.',
    }),
    consensus_status: t.field({
      ...served('consensus_status'),
      type: ConsensusStatusType,
      nullable: true,
      description: 'Of the latest consensus. Null while none was computed.',
    }),
    methodology_version: t.string({
      ...served('methodology_version'),
      nullable: true,
      description: 'Version of the consensus method. Null while no consensus was computed.',
    }),
    asset_class: t.expose('assetClass', {
      type: AssetClassType,
      subGraphs: ['Graph'],
      description: 'crypto, stock, etf or commodity.',
    }),
    stock: t.field({
      type: InstrumentStockType,
      nullable: true,
      description:
        'The listing behind a stock; null for other classes. Needs instruments:read; charged per 20 parents.',
      ...edge(
        'instruments:read',
        ['instruments'],
        async (asset: { assetId: number; assetClass: string }, _args, context) =>
          asset.assetClass === 'stock' ? primaryListingOf(asset.assetId, context) : null,
      ),
    }),
    etf: t.field({
      type: InstrumentEtfType,
      nullable: true,
      description:
        'The listing behind an ETF; null for other classes. Needs etf:read; charged per 20 parents.',
      ...edge(
        'etf:read',
        ['instruments'],
        async (asset: { assetId: number; assetClass: string }, _args, context) =>
          asset.assetClass === 'etf' ? primaryListingOf(asset.assetId, context) : null,
      ),
    }),
  }),
})

/** What a card is made from, wherever it stands. */
export const CARD_READS = ['instruments', 'candles', 'supply'] as const

const AssetResponse = envelopeOf('AssetResponse', AssetCardType)
const AssetListResponse = listEnvelopeOf('AssetListResponse', AssetCardType)

queryEndpoint('assets', {
  summary: 'List assets',
  description:
    'Assets in the order of asset_id, filtered by tier, market and class. Prices are consensus prices in USD; null where there is none.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets', tag: 'assets', paged: true },
  reads: CARD_READS,
  type: AssetListResponse,
  args: (arg) => ({
    limit: arg.int({
      defaultValue: OFFSET_LIMITS.default,
      description: 'Assets per page.',
      ...hints({ minimum: OFFSET_LIMITS.min, maximum: OFFSET_LIMITS.max }),
    }),
    offset: arg.int({ defaultValue: 0, description: 'Assets to skip.', ...hints({ minimum: 0 }) }),
    tier: arg.int({ description: 'Only this rank tier.', ...hints({ minimum: 1, maximum: 3, example: 1 }) }),
    mic: arg.string({
      description: 'Only assets listed on this market (ISO 10383).',
      ...hints({ example: 'XNAS' }),
    }),
    asset_class: arg({
      type: AssetClassType,
      description: 'Only this class.',
      ...hints({ example: 'crypto' }),
    }),
  }),
  parse: (args) => parseAssetList(args),
  resolve: async (query, context) => {
    const { cards, total } = await listCards(query, context)
    const paging = { total, has_next: hasNext(query.page, total) }
    return envelopeOfCards(cards, cards.map(toCard), paging, context)
  },
})

queryEndpoint('asset', {
  summary: 'One asset',
  description:
    'The card of one asset by its slug (lower-case name, e.g. bitcoin). A ticker here is a 404 that says where to look.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{id}', tag: 'assets' },
  reads: CARD_READS,
  errors: ['not_found'],
  type: AssetResponse,
  args: (arg) => ({
    id: arg.string({
      required: true,
      description: 'Slug of the asset: its lower-case name.',
      ...hints({ example: 'bitcoin', maxLength: 64 }),
    }),
  }),
  parse: ({ id }) => parseAssetId(id),
  resolve: async (slug, context) => {
    const card = await getCard(slug, context)
    return envelopeOfCards([card], toCard(card), {}, context)
  },
})

/**
 * The envelope of cards. With a price among them it is as old as the newest, and the prices' source comes first; else
 * it is as old as the master facts. It counts as synthetic when either part is.
 */
function envelopeOfCards<Data>(
  cards: readonly PricedCard[],
  data: Data,
  paging: Partial<ApiMeta>,
  context: RequestContext,
): Envelope<Data> {
  const master = stateOf(context, 'instruments')
  const kind = freshnessKindOf(cards.map(({ asset }) => asset))
  const [first, ...others] = cards.flatMap(({ price }) => price ?? [])
  if (first === undefined) return envelope(context, master, kind, data, paging)
  const newest = others.reduce((a, b) => (b.observedAt > a.observedAt ? b : a), first)
  const candles = stateOf(context, 'candles')
  const state = {
    ...candles,
    observedAt: newest.observedAt,
    isDevDataset: candles.isDevDataset || master.isDevDataset,
  }
  const answer = envelope(context, state, kind, data, {
    ...paging,
    price_type: 'consensus_vwap',
    methodology_version: newest.methodologyVersion,
  })
  const sources = [...new Set([candles.source, master.source])]
  return { ...answer, _meta: answer._meta && { ...answer._meta, sources } }
}
