import './latest-figures-schema.js'
import './market-cap-schema.js'
import { derivedMeta } from '../../core/disclaimer.js'
import type { UsedState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { datasetStateOf, defineEnvelope, type Envelope, envelope } from '../../schema-kit/envelope.js'
import { queryEndpoint } from '../../schema-kit/fields.js'
import { listingArguments } from '../instruments/listing-arguments-schema.js'
import { FUNDAMENTALS_READS, StockFundamentalsType, selectionArguments } from './fundamentals-schema.js'
import { type CapitalBasis, fundamentalsMethod, STOCK_FUNDAMENTALS_VERSION } from './methodology-model.js'
import { getStockFundamentals, parseFundamentalsQuery, type StockFundamentals } from './service.js'

const StockFundamentalsResponse = defineEnvelope(StockFundamentalsType)

queryEndpoint('stock_fundamentals', {
  summary: 'Annual, quarterly or trailing figures and AAOIFI ratios of a stock',
  keywords: [
    'revenue',
    'net income',
    'earnings',
    'balance sheet',
    'annual report',
    'quarter',
    'trailing twelve months',
    '10-K',
    '10-Q',
    'debt ratio',
    'AAOIFI',
  ],
  description:
    'The latest fiscal year with a filed annual report (10-K, 20-F, 40-F and amendments), or the latest quarter or twelve ' +
    'months by `period`. Every figure is from the latest filing that states it, or computed from such amounts. The response has the three AAOIFI ratios, the figures behind them, and the reason for each null. ' +
    'The ratios are a measurement, never a ruling. A company that does not file with the SEC gets a 404. A ticker that is ' +
    'listed on several markets, none of them primary, needs `mic`; without it the response is a 422.',
  access: 'fundamentals:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/stocks/{ticker}/fundamentals', tag: 'stocks' },
  errors: ['not_found', 'service_unavailable'],
  reads: FUNDAMENTALS_READS,
  type: StockFundamentalsResponse,
  args: (arg) => ({
    ...listingArguments(arg),
    ...selectionArguments(arg),
  }),
  check: (given, context) => parseFundamentalsQuery(given, context),
  resolve: async (query, context) =>
    envelopeOfFundamentals(await getStockFundamentals(query, context), context),
})

/** The envelope of fundamentals. Its age counts from the last check of the filers. It is synthetic if any part is. */
function envelopeOfFundamentals(
  data: StockFundamentals,
  context: RequestContext,
): Envelope<StockFundamentals> {
  const filings = datasetStateOf(context, 'filings')
  const capital = capitalOf(data)
  const prices = capital === 'average' ? context.datasets.get('prices') : undefined
  const used: readonly UsedState[] = prices === undefined ? [filings] : [filings, prices]
  const state = {
    ...filings,
    isDevDataset: used.some(({ isDevDataset }) => isDevDataset),
    sources: [...new Set(used.map(({ source }) => source))],
  }
  return envelope(context, state, 'daily', data, {
    ...derivedMeta(fundamentalsMethod(capital), filings.changedAt),
    data_quality: isComplete(data) ? 'full' : 'partial',
    fallback_used: capital === 'float',
    methodology_version: STOCK_FUNDAMENTALS_VERSION,
  })
}

function capitalOf({ marketCap, figures }: StockFundamentals): CapitalBasis {
  if (marketCap.average !== null) return 'average'
  return figures.public_float_usd.value === null ? 'none' : 'float'
}

function isComplete({ figures, marketCap }: StockFundamentals): boolean {
  return marketCap.average !== null && Object.values(figures).every(({ value }) => value !== null)
}
