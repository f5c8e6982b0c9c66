import { hasNext, OFFSET_LIMITS } from '../../core/page.js'
import { builder } from '../../graphql/builder.js'
import { envelope, envelopeOf, listEnvelopeOf, stateOf } from '../../graphql/envelope.js'
import { edge, hints, queryEndpoint } from '../../graphql/fields.js'
import { AssetClassType, InstrumentEtfType, InstrumentStockType } from '../instruments/schema.js'
import { primaryListingOf } from '../instruments/service.js'
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

const ConsensusStatusType = builder.enumType('ConsensusStatus', {
  description: 'Whether enough exchanges agreed on a price.',
  values: {
    ok: { value: 'ok', description: 'At least three exchanges were left after exclusions.' },
    insufficient_sources: {
      value: 'insufficient_sources',
      description: 'Fewer than three were left: no price.',
    },
  } as const,
})

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
      description: 'Consensus price in USD. Null while there is none.',
      resolve: () => null,
    }),
    market_cap_derived_usd: t.float({
      nullable: true,
      description: 'Price times on-chain supply, USD. Null without price or supply.',
      resolve: () => null,
    }),
    last_updated: t.expose('lastUpdated', {
      type: 'DateTime',
      nullable: true,
      description: 'When the card last changed.',
    }),
    price_source: t.field({
      type: PriceSourceType,
      nullable: true,
      description: 'consensus_vwap, or none while there is no price.',
      resolve: () => 'none' as const,
    }),
    source_count: t.int({
      nullable: true,
      description: 'Exchanges used for the price. Null while there is none.',
      resolve: () => null,
    }),
    consensus_status: t.field({
      type: ConsensusStatusType,
      nullable: true,
      description: 'Null while no consensus was computed.',
      resolve: () => null,
    }),
    methodology_version: t.string({
      nullable: true,
      description: 'Version of the consensus method. Null while there is no price.',
      resolve: () => null,
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
    const state = stateOf(context, 'instruments')
    return envelope(context, state, freshnessKindOf(assets), assets, {
      total,
      has_next: hasNext(query.page, total),
    })
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
    return envelope(context, stateOf(context, 'instruments'), freshnessKindOf([asset]), asset)
  },
})
