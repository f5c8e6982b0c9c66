import { builder } from '../../../schema-kit/builder.js'
import { datasetStateOf, defineListEnvelope, envelope } from '../../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../../schema-kit/fields.js'
import { ASSET_SLUG_TEXT, limitArgument } from '../../../schema-kit/shared-arguments.js'
import { integer, shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { issuerLei } from '../loaders.js'
import { AssetClassType } from '../schema.js'
import { freshnessKindOf } from '../service.js'
import { findAssets, MAX_SEARCH_LENGTH, parseAssetSearch, SEARCH_LIMITS } from './search-service.js'

export const AssetMatchType = builder.prismaObject('Asset', {
  variant: 'AssetMatch',
  description: 'An asset that matches a search. Its slug, ticker or key opens every other answer about it.',
  fields: (t) =>
    shownFields(t, {
      slug: text(ASSET_SLUG_TEXT),
      asset_id: integer('Integer key of the asset, as in the star schema.', 'assetId'),
      ticker: text('Upper-case ticker, e.g. BTC. Not unique across asset classes.'),
      name: text('Name of the asset.'),
      asset_class: shownAs(AssetClassType)('crypto, stock, etf or commodity.', 'assetClass'),
      lei: t.string({
        nullable: true,
        description:
          'Legal entity identifier of the issuer (ISO 17442). Null if it has none or it is unknown.',
        resolve: ({ assetId }, _args, context) => issuerLei(context).load(assetId),
      }),
    }),
})

queryEndpoint('asset_search', {
  summary: 'Find assets',
  keywords: ['find coin', 'look up name', 'symbol search', 'slug'],
  description:
    'Assets whose slug, ticker or name contains every word of `q`, in any case and order, or whose asset_id, ISIN, FIGI or issuer’s LEI equals `q`. ' +
    'The best match comes first; equal ones are sorted by rank tier, then by asset_id. If no word begins with `q`, typing errors are corrected: one in a word of 4 letters or more, two from 8 letters. ' +
    'If no asset matches the whole text, each word and each run of words is searched by itself: whole names, and tickers in capitals, come first. ' +
    '`meta.total` counts all matches.',
  access: 'caller',
  cost: 'metered',
  rest: {
    method: 'GET',
    path: '/v1/assets/search',
    tag: 'assets',
    table: { rows: 'data', total: 'meta.total' },
  },
  reads: ['instruments'],
  type: defineListEnvelope(AssetMatchType),
  args: (arg) => ({
    q: arg.string({
      required: true,
      description: `Text to search for: 1 to ${MAX_SEARCH_LENGTH} characters of a slug, ticker or name, a question that names an asset, or a whole asset_id, ISIN, FIGI or LEI.`,
      ...hints({ example: 'bitcoin', maxLength: MAX_SEARCH_LENGTH }),
    }),
    asset_class: arg({
      type: AssetClassType,
      description: 'Only assets of this class.',
      ...hints({ example: 'crypto' }),
    }),
    limit: limitArgument(arg, 'Maximum number of matches.', SEARCH_LIMITS),
  }),
  check: (args) => parseAssetSearch(args),
  resolve: async (search, context) => {
    const { assets, total } = await findAssets(search, context)
    const state = datasetStateOf(context, 'instruments')
    const meta = { total, has_next: total > assets.length }
    return envelope(context, state, freshnessKindOf(assets), assets, meta)
  },
})
