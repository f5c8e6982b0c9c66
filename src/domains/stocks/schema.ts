import './changes/change-schema.js'
import './stock-edges-schema.js'
import { derivedMeta } from '../../core/disclaimer.js'
import { freshnessKindOfTier } from '../../core/freshness.js'
import { stateOfParts, type UsedState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { textEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, defineEnvelope, type Envelope, envelope } from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { listEndpoint } from '../../schema-kit/list-endpoint.js'
import { MIC_HINTS } from '../../schema-kit/shared-arguments.js'
import { MARKET_CAP_METHOD } from '../filings/methodology-model.js'
import { getMarketCap } from '../filings/service.js'
import { GICS_SECTORS, type GicsSector, type Listing } from '../instruments/model.js'
import { InstrumentStockType, STOCK_READS } from '../instruments/schema.js'
import { listingOfStock, listStocks, parseStockFilter } from '../instruments/service.js'
import { listingArguments } from './listing-arguments-schema.js'
import { parseListing } from './service.js'

const SectorType = textEnum<GicsSector>(
  'GicsSector',
  'Sector of the Global Industry Classification Standard.',
  Object.fromEntries(
    GICS_SECTORS.map((sector) => [sector.toUpperCase().replaceAll(' ', '_'), [sector, `${sector}.`]]),
  ),
)

listEndpoint('stocks', {
  summary: 'List stocks',
  description: 'Listings of stocks in the order of their keys, filtered by market and sector.',
  access: 'instruments:read',
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
  }),
  check: (args, problems) => parseStockFilter(problems, args),
  resolve: async (filter, page, context) => {
    const { stocks, total } = await listStocks(filter, page, context)
    return { envelope: await envelopeOfStocks(stocks, stocks, context), total }
  },
})

queryEndpoint('stock', {
  summary: 'One stock',
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
 * market capitalisation, the providers of the price and of the share count are sources too.
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
  const behind = marketCaps.some(({ valueUsd }) => valueUsd !== null) ? CAPITAL_READS : []
  const used = behind.map((dataset) => datasetStateOf(context, dataset))
  const isPartial = stocks.some(({ isin, figi, mic, sectorGics }) =>
    [isin, figi, mic, sectorGics].includes(null),
  )
  return envelope(context, withSources(masters, used), freshnessKindOfTier(null), data, {
    ...(isPartial ? { data_quality: 'partial' as const } : {}),
    ...(used.length === 0 ? {} : derivedMeta(MARKET_CAP_METHOD, newestChange(used))),
  })
}

/** The datasets of prices and share counts. */
const CAPITAL_READS = ['prices', 'filings'] as const

function withSources(state: UsedState, used: readonly UsedState[]): UsedState {
  const { sources = [state.source] } = state
  return {
    ...state,
    sources: [...new Set([...sources, ...used.map(({ source }) => source)])],
    isDevDataset: [state, ...used].some(({ isDevDataset }) => isDevDataset),
  }
}

function newestChange(states: readonly UsedState[]): Date {
  return new Date(Math.max(...states.map(({ changedAt }) => changedAt.getTime())))
}
