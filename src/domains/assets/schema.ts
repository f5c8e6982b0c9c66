import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, defineListEnvelope, envelope } from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { ASSET_SLUG_TEXT } from '../../schema-kit/shared-arguments.js'
import { flag, integer, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'
import { assetIndexByClass } from './asset-index.js'
import { INACTIVE_AFTER_DAYS, type IndexedAsset } from './index-store.js'
import { freshnessKindOf } from './service.js'

export const AssetClassType = describedEnum('AssetClass', 'Kind of an asset.', {
  crypto: 'A crypto asset.',
  stock: 'A share of a company, or a depositary receipt for one.',
  etf: 'An exchange-traded fund or product.',
  commodity: 'A commodity.',
})

const IndexedAssetType = withComputed<IndexedAsset, 'Asset'>(
  builder.prismaObject('Asset', {
    variant: 'IndexedAsset',
    select: { slug: true, ticker: true, name: true, tier: true },
    description: 'An asset of the catalogue, with its identifiers.',
  }),
)

builder.objectFields(IndexedAssetType, (t) =>
  shownFields(t, {
    asset_id: integer('Integer key of the asset, as in the star schema.'),
    slug: text(ASSET_SLUG_TEXT),
    ticker: text('Upper-case ticker, e.g. BTC. Not unique across asset classes.'),
    name: text('Name of the asset.'),
    asset_class: shownAs(AssetClassType)('crypto, stock, etf or commodity.'),
    mic: text.orNull(
      'Market identifier code (ISO 10383) of the primary listing. Null for an asset without a market.',
    ),
    is_active: flag(
      `Whether the source of the asset still lists it. False if the source has not confirmed it for more than ${INACTIVE_AFTER_DAYS} days while it confirmed others.`,
    ),
    is_confirmed: flag(
      'False for a coin of the lists of exchanges until at least two of them agree about its price: they may trade different coins under one ticker. It has no price until then.',
    ),
  }),
)

queryEndpoint('asset_index', {
  summary: 'All assets in one response',
  keywords: ['all slugs', 'whole catalogue', 'every asset', 'list of tickers'],
  description:
    'The whole catalogue without pages, in the order of asset_id: every ticker, slug and integer key. Use it as a symbol list: to map ' +
    'your own symbols to slugs, or to fill a search box. It changes only when the catalogue changes: send the ETag of your copy as ' +
    '`If-None-Match`, and an unchanged catalogue is a 304 free of charge.',
  access: 'caller',
  cost: 'metered',
  rest: {
    method: 'GET',
    path: '/v1/assets/index',
    tag: 'assets',
    table: { rows: 'data', total: 'meta.total' },
  },
  reads: ['instruments'],
  type: defineListEnvelope(IndexedAssetType),
  args: (arg) => ({
    asset_class: arg({
      type: AssetClassType,
      description: 'Only assets of this class.',
      ...hints({ example: 'crypto' }),
    }),
  }),
  check: ({ asset_class }, context) => assetIndexByClass(asset_class ?? null, context),
  rows: (assets) => assets.length,
  resolve: (assets, context) => {
    const meta = { total: assets.length, has_next: false }
    return envelope(context, datasetStateOf(context, 'instruments'), freshnessKindOf(assets), assets, meta)
  },
})
