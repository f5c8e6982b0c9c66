import type { Asset } from '../../generated/prisma/client.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, defineListEnvelope, envelope } from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { ASSET_SLUG_TEXT, limitArgument } from '../../schema-kit/shared-arguments.js'
import { AssetClassType } from './schema.js'
import { findAssets, MAX_SEARCH_LENGTH, parseAssetSearch, SEARCH_LIMITS } from './search-service.js'
import { freshnessKindOf } from './service.js'

export const AssetMatchType = builder.objectRef<Asset>('AssetMatch').implement({
  description: 'An asset that matches a search, with the names that lead to everything else.',
  fields: (t) => ({
    slug: t.exposeString('slug', { description: ASSET_SLUG_TEXT }),
    asset_id: t.exposeInt('assetId', { description: 'Integer key of the asset, as in the star schema.' }),
    ticker: t.exposeString('ticker', {
      description: 'Upper-case ticker, e.g. BTC. Not unique across asset classes.',
    }),
    name: t.exposeString('name', { description: 'Name of the asset.' }),
    asset_class: t.expose('assetClass', {
      type: AssetClassType,
      description: 'crypto, stock, etf or commodity.',
    }),
  }),
})

queryEndpoint('asset_search', {
  summary: 'Find assets',
  description:
    'Assets whose slug, ticker or name holds every word of `q`, in any case and order, or whose asset_id it is; the best ' +
    'match first: what is `q` exactly, what begins with it, what has a word that begins with it, what holds it, what ' +
    'holds its words. Among equals the higher rank tier, then the lower asset_id. Typing errors are not corrected. ' +
    '`meta.total` counts all matches; of more than `limit` the others are had by a longer `q` or an asset_class. Nothing that matches: an empty list.',
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
      description: `What is searched for: 1 to ${MAX_SEARCH_LENGTH} characters of a slug, ticker or name, or an asset_id.`,
      ...hints({ example: 'bitcoin', maxLength: MAX_SEARCH_LENGTH }),
    }),
    asset_class: arg({
      type: AssetClassType,
      description: 'Only this class.',
      ...hints({ example: 'crypto' }),
    }),
    limit: limitArgument(arg, 'Most matches of an answer.', SEARCH_LIMITS),
  }),
  check: (args) => parseAssetSearch(args),
  resolve: async (search, context) => {
    const { assets, total } = await findAssets(search, context)
    const state = datasetStateOf(context, 'instruments')
    const meta = { total, has_next: total > assets.length }
    return envelope(context, state, freshnessKindOf(assets), assets, meta)
  },
})
