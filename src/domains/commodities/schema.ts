import { type DayRange, type KnownAsOf, parseAsOf } from '../../core/day-range.js'
import { hasNext } from '../../core/page.js'
import type { Asset } from '../../generated/prisma/client.js'
import { stateOfParts } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, defineEnvelope, defineListEnvelope, envelope } from '../../schema-kit/envelope.js'
import { type ArgBuilder, edge, hints, queryEndpoint } from '../../schema-kit/fields.js'
import { seriesEndpoint } from '../../schema-kit/series-endpoint.js'
import {
  AS_OF_CHECKS,
  asOfArguments,
  HISTORY_CHECKS,
  historyArguments,
  openDayArguments,
  seriesPageArguments,
} from '../../schema-kit/shared-arguments.js'
import { day, number, shownFields, text } from '../../schema-kit/shown-fields.js'
import { AssetCardType, CARD_READS } from '../asset-cards/card-schema.js'
import { getCardBySlug } from '../asset-cards/service.js'
import type { CommodityPrice, PricedCommodity } from './model.js'
import {
  getCommodity,
  getCommodityOfAsset,
  getCommodityPrices,
  getPricesOfCommodity,
  listCommodities,
  parseCommodityPrices,
  parseSymbol,
} from './service.js'

const PRICE_DATE =
  'First day of the month whose average this is. The source publishes it in the following month.'

const PriceType = builder.prismaObject('CommodityPrice', {
  select: { priceDate: true, priceUsd: true, source: true },
  description: 'The average price of one month.',
  fields: (t) =>
    shownFields(t, {
      price_date: day(PRICE_DATE, 'priceDate'),
      price_usd: number('USD per unit of the commodity.', 'priceUsd'),
      source: text('Provider of the price: worldbank, imf, or seed for a synthetic one.'),
    }),
})

const CommodityType = builder.objectRef<PricedCommodity>('CommodityInstrument').implement({
  description: 'A commodity with its newest price, the average of a month.',
  fields: (t) =>
    shownFields(t, {
      symbol: text(
        "The ticker of the instrument master if the commodity has one (XAU), otherwise the code of the IMF's primary commodity prices (PWHEAMT).",
      ),
      name: text('Name. It includes grade and market if several are traded.'),
      unit: text(
        'Quantity that the price is for: barrel, cubic meter, kilogram, metric ton, million British thermal units, pound or troy ounce.',
      ),
      currency: t.string({ description: 'Currency of the price: USD.', resolve: () => 'USD' }),
      price_usd: t.float({
        description: 'USD per unit. Prices published in US cents are divided by 100.',
        resolve: ({ price }) => price.priceUsd,
      }),
      price_date: t.field({
        type: 'Date',
        description: PRICE_DATE,
        resolve: ({ price }) => price.priceDate,
      }),
      source: t.string({
        description:
          'Provider of this price: the one with the newest month. For the same month the World Bank comes before the IMF. seed marks a synthetic price.',
        resolve: ({ price }) => price.source,
      }),
      history: t.field({
        type: [PriceType],
        nullable: true,
        description:
          'Monthly prices of the range, oldest first. Returns the newest `limit` prices. Charged per 20 parents.',
        args: historyArguments(t.arg, {
          from: 'Earliest price_date.',
          to: 'Latest price_date.',
          limit: 'Maximum number of prices per commodity.',
        }),
        ...edge(
          'instruments:read',
          ['commodities'],
          (commodity: PricedCommodity, range: DayRange, context) =>
            getPricesOfCommodity(commodity, range, context),
          HISTORY_CHECKS,
        ),
      }),
      asset: t.field({
        type: AssetCardType,
        nullable: true,
        description:
          'The asset in the instrument master. Null if the commodity is not in the master. Charged per 20 parents.',
        ...edge('caller', CARD_READS, ({ slug }: PricedCommodity, _args: object, context) =>
          slug === null ? null : getCardBySlug(slug, context),
        ),
      }),
    }),
})

builder.objectFields(AssetCardType, (t) => ({
  commodity: t.field({
    type: CommodityType,
    nullable: true,
    description:
      'The commodity with its newest price. Null for other classes, and without a price. Needs instruments:read; charged per 20 parents.',
    args: { ...asOfArguments(t.arg) },
    ...edge(
      'instruments:read',
      ['commodities'],
      (asset: Asset, { asOf }: KnownAsOf, context) => getCommodityOfAsset(asset, asOf, context),
      AS_OF_CHECKS,
    ),
  }),
}))

/** The envelope of prices. Its age is that of the newest month among the providers of the prices. */
function envelopeOfPrices<Data>(
  prices: readonly CommodityPrice[],
  data: Data,
  context: RequestContext,
  meta: { readonly total?: number; readonly has_next?: boolean } = {},
) {
  const used = new Set(prices.map(({ source }) => source))
  const state = stateOfParts(datasetStateOf(context, 'commodities'), used)
  return envelope(context, state, 'monthly', data, { price_type: 'monthly_average', ...meta })
}

const symbolArgument = (arg: ArgBuilder) =>
  arg.string({
    required: true,
    description: 'Symbol of the commodity, upper or lower case.',
    ...hints({ example: 'XAU', maxLength: 20 }),
  })

queryEndpoint('commodities', {
  summary: 'List commodities',
  keywords: ['gold', 'oil', 'copper', 'wheat', 'raw materials', 'commodity prices'],
  description:
    'Every commodity that has a price, with its newest price: a monthly average in USD from the World Bank or the IMF. The list is complete and has no pages.',
  access: 'instruments:read',
  cost: 'metered',
  rest: {
    method: 'GET',
    path: '/v1/commodities',
    tag: 'commodities',
    table: { rows: 'data', total: 'meta.total' },
  },
  reads: ['commodities'],
  errors: ['service_unavailable'],
  type: defineListEnvelope(CommodityType),
  args: (arg) => ({ ...asOfArguments(arg) }),
  check: parseAsOf,
  resolve: async ({ asOf }, context) => {
    const commodities = await listCommodities(asOf, context)
    const meta = { total: commodities.length, has_next: false }
    const prices = commodities.map(({ price }) => price)
    return envelopeOfPrices(prices, commodities, context, meta)
  },
})

queryEndpoint('commodity', {
  summary: 'One commodity',
  keywords: ['price', 'cost', 'gold price', 'oil price', 'Brent', 'silver', 'gas', 'coffee'],
  description:
    'A commodity by its symbol, with its newest price: a monthly average in USD. The response names the source.',
  access: 'instruments:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/commodities/{symbol}', tag: 'commodities' },
  reads: ['commodities'],
  errors: ['not_found', 'service_unavailable'],
  type: defineEnvelope(CommodityType),
  args: (arg) => ({ symbol: symbolArgument(arg), ...asOfArguments(arg) }),
  check: ({ symbol, ...args }, context) => ({ symbol: parseSymbol(symbol), ...parseAsOf(args, context) }),
  resolve: async (query, context) => {
    const commodity = await getCommodity(query, context)
    return envelopeOfPrices([commodity.price], commodity, context)
  },
})

seriesEndpoint('commodity_prices', {
  summary: 'Prices of a commodity, by month',
  keywords: ['monthly gold prices', 'monthly oil prices', 'historical commodity prices'],
  description:
    'Every month of a commodity, oldest first, in pages: averages in USD per unit from the World Bank or the IMF. Each row names its source. If both have a month, it is the World Bank’s.',
  access: 'instruments:read',
  path: '/v1/commodities/{symbol}/prices',
  tag: 'commodities',
  table: { rows: 'data', total: 'meta.total' },
  hasPages: true,
  reads: ['commodities'],
  errors: ['not_found', 'service_unavailable'],
  type: defineListEnvelope(PriceType),
  args: (arg) => ({
    symbol: symbolArgument(arg),
    ...openDayArguments(arg, 'Earliest price_date.', 'Latest price_date.'),
    ...asOfArguments(arg),
    ...seriesPageArguments(arg),
  }),
  check: (args, context) => parseCommodityPrices(args, context),
  resolve: async (query, context) => {
    const { prices, total } = await getCommodityPrices(query, context)
    return envelopeOfPrices(prices, prices, context, { total, has_next: hasNext(query, total) })
  },
})
