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
import { type AssetPrice, loadPrices, priceOf } from '../market/service.js'
import { freshnessKindOf, getAsset, listAssets, parseAssetId, parseAssetList } from './service.js'

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

/** A field of a card that is read from its latest consensus. */
function ofPrice<Value>(read: (price: AssetPrice | null, asset: Asset) => Value) {
  return (asset: Asset, _args: object, context: RequestContext): Value | Promise<Value> => {
    const price = priceOf(asset, context)
    return price instanceof Promise ? price.then((loaded) => read(loaded, asset)) : read(price, asset)
  }
}

export const AssetCardType = builder.prismaObject('Asset', {
  variant: 'AssetCard',
  description: 'An asset with its latest consensus price: crypto, stock, ETF or commodity.',
  fields: (t) => ({
    asset_id: t.exposeInt('assetId', {
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
      nullable: true,
      description: 'Consensus price of the newest finished window, USD. Null while there is none.',
      resolve: ofPrice((price) => price?.priceUsd ?? null),
    }),
    market_cap_derived_usd: t.float({
      nullable: true,
      description: 'Price times supply, USD, to 15 significant digits. Null without price or supply.',
      resolve: ofPrice((price) => price?.marketCapUsd ?? null),
    }),
    last_updated: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'End of the window of the latest consensus; without one, when the master facts were last confirmed.',
      resolve: ofPrice((price, asset) => price?.observedAt ?? asset.lastUpdated),
    }),
    price_source: t.field({
      type: PriceSourceType,
      nullable: true,
      description: 'consensus_vwap, or none while there is no price.',
      resolve: ofPrice((price) => (price?.status === 'ok' ? 'consensus_vwap' : 'none')),
    }),
    source_count: t.int({
      nullable: true,
      description: 'Exchanges that passed every rule of the latest consensus. Null while there was none.',
      resolve: ofPrice((price) => price?.exchangesCount ?? null),
    }),
    consensus_status: t.field({
      type: ConsensusStatusType,
      nullable: true,
      description: 'Of the latest consensus. Null while none was computed.',
      resolve: ofPrice((price) => price?.status ?? null),
    }),
    methodology_version: t.string({
      nullable: true,
      description: 'Version of the consensus method. Null while no consensus was computed.',
      resolve: ofPrice((price) => price?.methodologyVersion ?? null),
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
      ...edge('instruments:read', async (asset: { assetId: number; assetClass: string }, _args, context) =>
        asset.assetClass === 'stock' ? primaryListingOf(asset.assetId, context) : null,
      ),
    }),
    etf: t.field({
      type: InstrumentEtfType,
      nullable: true,
      description:
        'The listing behind an ETF; null for other classes. Needs etf:read; charged per 20 parents.',
      ...edge('etf:read', async (asset: { assetId: number; assetClass: string }, _args, context) =>
        asset.assetClass === 'etf' ? primaryListingOf(asset.assetId, context) : null,
      ),
    }),
  }),
})

const AssetResponse = envelopeOf('AssetResponse', AssetCardType)
const AssetListResponse = listEnvelopeOf('AssetListResponse', AssetCardType)

queryEndpoint('assets', {
  summary: 'List assets',
  description:
    'Assets in the order of asset_id, filtered by tier, market and class. Prices are consensus prices in USD; null where there is none.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets', tag: 'assets', paged: true },
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
    const { assets, total } = await listAssets(query, context)
    const paging = { total, has_next: hasNext(query.page, total) }
    return ofCards(assets, assets, paging, context)
  },
})

queryEndpoint('asset', {
  summary: 'One asset',
  description:
    'The card of one asset by its slug (lower-case name, e.g. bitcoin). A ticker here is a 404 that says where to look.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{id}', tag: 'assets' },
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
    const asset = await getAsset(slug, context)
    return ofCards([asset], asset, {}, context)
  },
})

/**
 * The envelope of cards. With a price among them it is as old as the newest, and the prices' source comes first; else
 * it is as old as the master facts. It counts as synthetic when either part is.
 */
async function ofCards<Data>(
  assets: readonly Asset[],
  data: Data,
  paging: Partial<ApiMeta>,
  context: RequestContext,
): Promise<Envelope<Data>> {
  const prices = (await loadPrices(assets, context)).filter((price) => price !== null)
  const master = stateOf(context, 'instruments')
  const kind = freshnessKindOf(assets)
  const [first, ...others] = prices
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
