import './changes/change-schema.js'
import './stock-edges-schema.js'
import { derivedMeta } from '../../core/disclaimer.js'
import { freshnessKindOfTier } from '../../core/freshness.js'
import { stateOfParts, type UsedState, withSources } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { describedEnum, textEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, defineEnvelope, type Envelope, envelope } from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { listEndpoint } from '../../schema-kit/list-endpoint.js'
import { MIC_HINTS } from '../../schema-kit/shared-arguments.js'
import { sortOrderArgument } from '../../schema-kit/sort-order.js'
import { FIGURE_NAMES, type FigureName } from '../filings/figures/figure-rules-model.js'
import { FundamentalsPeriodType } from '../filings/fundamentals-schema.js'
import { MARKET_CAP_METHOD, SORT_FIGURE_METHOD } from '../filings/methodology-model.js'
import { getMarketCap } from '../filings/service.js'
import { listingArguments } from '../instruments/listing-arguments-schema.js'
import { GICS_SECTORS, type GicsSector, type Listing } from '../instruments/model.js'
import { InstrumentStockType, STOCK_READS } from '../instruments/schema.js'
import { listingOfStock } from '../instruments/service.js'
import { parseStockFilter } from './parse-stock-filter.js'
import { parseListing } from './service.js'
import { loadStocks } from './stock-list-store.js'

const SectorType = textEnum<GicsSector>(
  'GicsSector',
  'Sector of the Global Industry Classification Standard.',
  Object.fromEntries(
    GICS_SECTORS.map((sector) => [sector.toUpperCase().replaceAll(' ', '_'), [sector, `${sector}.`]]),
  ),
)

const StockSortType = describedEnum(
  'StockSort',
  'A figure of `stock_fundamentals` that a list of stocks is sorted by, of the latest period of each company.',
  Object.fromEntries(FIGURE_NAMES.map((name) => [name, 'The figure of this name.'])) as Record<
    FigureName,
    string
  >, // one each
)

listEndpoint('stocks', {
  summary: 'List stocks',
  keywords: [
    'list of shares',
    'companies by sector',
    'equities',
    'technology stocks',
    'largest companies by revenue',
    'screener',
  ],
  description:
    'Listings of stocks in the order of their keys or of `sort`, filtered by market and sector. `sort` needs fundamentals:read.',
  access: 'instruments:read',
  partScopes: ['fundamentals:read'],
  path: '/v1/stocks',
  tag: 'stocks',
  reads: STOCK_READS,
  errors: ['service_unavailable'],
  item: InstrumentStockType,
  filters: (arg) => ({
    mic: arg.string({
      description: 'Only listings on this market (ISO 10383).',
      ...MIC_HINTS,
    }),
    sector: arg({
      type: SectorType,
      description: 'Only this GICS sector.',
      ...hints({ example: 'Health Care' }),
    }),
    sort: arg({
      type: StockSortType,
      description: 'Order of all matching stocks, over all pages. Stocks without the figure are last.',
      ...hints({ example: 'revenue_usd', defaultText: 'the order of the keys' }),
    }),
    period: arg({
      type: FundamentalsPeriodType,
      description: 'Kind of the period whose figure `sort` takes.',
      ...hints({ example: 'ttm', defaultText: 'year' }),
    }),
    order: sortOrderArgument(arg),
  }),
  check: parseStockFilter,
  resolve: async (filter, page, context) => {
    const { stocks, total } = await loadStocks(context.database, filter, page)
    return { envelope: await envelopeOfStocks(stocks, stocks, context), total }
  },
})

queryEndpoint('stock', {
  summary: 'One stock',
  keywords: [
    'price',
    'quote',
    'market cap',
    'market value',
    'trading at',
    'company',
    'share',
    'equity',
    'ticker',
    'listing',
    'sector',
  ],
  description:
    'The listing of a stock by its ticker. A ticker that is listed on several markets needs `mic`; without it the response is a 422 that names the markets. A former ticker gets a 404 that names the current one and the day of the change.',
  access: 'instruments:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/stocks/{ticker}', tag: 'stocks' },
  reads: STOCK_READS,
  errors: ['not_found', 'service_unavailable'],
  type: defineEnvelope(InstrumentStockType),
  args: listingArguments,
  check: (args) => parseListing(args),
  resolve: async (query, context) => {
    const stock = await listingOfStock(query, context)
    return envelopeOfStocks(stock, [stock], context)
  },
})

/**
 * The envelope of stocks. Its age is that of their masters, and it is partial if an identifier is unknown. If a stock has a
 * market capitalisation, the providers of the price and of the share count are sources too; if a list is sorted by a figure,
 * that of the filings.
 */
async function envelopeOfStocks<Data>(
  data: Data,
  stocks: readonly Listing[],
  context: RequestContext,
): Promise<Envelope<Data>> {
  const masters = stateOfParts(
    datasetStateOf(context, 'instruments'),
    new Set(stocks.map(({ source }) => source)),
  )
  const marketCaps = await Promise.all(stocks.map((stock) => getMarketCap(stock, context)))
  const hasMarketCap = marketCaps.some(({ valueUsd }) => valueUsd !== null)
  const isSorted = stocks.some(({ sortFigure }) => sortFigure !== undefined && sortFigure.value !== null)
  const behind = hasMarketCap ? CAPITAL_READS : isSorted ? SORT_READS : []
  const used = behind.map((dataset) => datasetStateOf(context, dataset))
  const isPartial = stocks.some(({ isin, figi, mic, sectorGics }) =>
    [isin, figi, mic, sectorGics].includes(null),
  )
  return envelope(context, withSources(masters, used), freshnessKindOfTier(null), data, {
    ...(isPartial ? { data_quality: 'partial' as const } : {}),
    ...(used.length === 0
      ? {}
      : derivedMeta(hasMarketCap ? MARKET_CAP_METHOD : SORT_FIGURE_METHOD, newestChange(used))),
  })
}

/** The datasets of prices and share counts. */
const CAPITAL_READS = ['prices', 'filings'] as const

/** The dataset of the figures that lists are sorted by. */
const SORT_READS = ['filings'] as const

function newestChange(states: readonly UsedState[]): Date {
  return new Date(Math.max(...states.map(({ changedAt }) => changedAt.getTime())))
}
