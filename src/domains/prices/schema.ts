import './asset-prices-schema.js'
import './newest-close-schema.js'
import './price-changes-schema.js'
import { decimal } from '../../core/decimal.js'
import { derivedMeta } from '../../core/disclaimer.js'
import { freshnessKindOfMarket } from '../../core/freshness.js'
import { hasNext } from '../../core/page.js'
import { stateOfParts, type UsedState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, defineListEnvelope, envelope } from '../../schema-kit/envelope.js'
import { type ArgBuilder, hints } from '../../schema-kit/fields.js'
import { seriesEndpoint } from '../../schema-kit/series-endpoint.js'
import {
  asOfArguments,
  dayRangeArguments,
  MIC_HINTS,
  seriesPageArguments,
} from '../../schema-kit/shared-arguments.js'
import { day, instant, number, shownFields, text } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'
import { ADJUSTMENT_METHOD, adjustedFigure, fractionToJsonNumber, PRICE_TYPES } from './adjustment-model.js'
import { AdjustmentType, PriceActionType } from './price-types-schema.js'
import {
  type AdjustedPage,
  type AdjustedPrice,
  DEFAULT_PRICE_DAYS,
  listPrices,
  type PricesQuery,
  parsePricesQuery,
} from './service.js'

const OPEN_PRICE = 'of one share on the day in `currency`, as traded. Null if the source does not state it.'

export const DailyPriceType = withComputed<AdjustedPrice, 'DailyPrice'>(
  builder.prismaObject('DailyPrice', {
    description: 'The prices of a listing on one trading day, as traded, and its adjusted close.',
  }),
)

builder.objectFields(DailyPriceType, (t) =>
  shownFields(t, {
    date: day('Trading day.'),
    open: number.orNull(`First price ${OPEN_PRICE}`),
    high: number.orNull(`Highest price ${OPEN_PRICE}`),
    low: number.orNull(`Lowest price ${OPEN_PRICE}`),
    close: t.float({
      description: 'Closing price of one share in `currency`, as traded.',
      resolve: ({ close }) => decimal(close).toNumber(),
    }),
    volume: number.orNull('Shares traded on the day, as traded. Null if the source does not state it.'),
    currency: text('Currency of the prices (ISO 4217).'),
    adjusted_close: t.float({
      nullable: true,
      description:
        'close times factor, in `currency`. Returns between two days are the same in every response, whatever its range. Null with `adjust` none.',
      resolve: ({ close, factor }) => adjustedFigure(close, factor),
    }),
    factor: t.float({
      nullable: true,
      description: 'Product of the factors of `actions`; 1 without any. Null with `adjust` none.',
      resolve: ({ factor }) => (factor === null ? null : fractionToJsonNumber(factor)),
    }),
    actions: t.field({
      type: [PriceActionType],
      description:
        'The actions behind the factor, newest first: those that `adjust` names, with an ex-date after the day and not after the newest known price.',
      resolve: ({ actions }) => actions,
    }),
    known_from: instant.inGraph('Time from which this service knew these prices.', 'knownFrom'),
    source: text.inGraph('Provider of the prices. `seed` marks synthetic data.'),
  }),
)

const DailyPriceList = defineListEnvelope(DailyPriceType)

const priceArguments = (arg: ArgBuilder, what: string, example: string) => ({
  ticker: arg.string({
    required: true,
    description: `Ticker of the ${what}, upper or lower case.`,
    ...hints({ example, maxLength: 20 }),
  }),
  mic: arg.string({
    description: 'Market of the listing (ISO 10383). Required if several markets list the ticker.',
    ...MIC_HINTS,
  }),
  ...dayRangeArguments(arg, `${DEFAULT_PRICE_DAYS} days before \`to\``),
  adjust: arg({
    type: AdjustmentType,
    defaultValue: 'none',
    description: 'What adjusted_close is adjusted for.',
  }),
  ...asOfArguments(arg),
  ...seriesPageArguments(arg),
})

const WHICH =
  'Daily prices as traded, oldest first, in pages, with a close that is adjusted for splits or for splits, spin-offs and ' +
  'dividends. Each row names its factor and the actions behind it. With `as_of`, prices and actions are those known then. Of several providers that state a day, the file of the operator ' +
  'counts, else Tiingo, else Alpaca; `_meta.sources` names all of them.'

const SHARED = {
  access: 'instruments:read',
  table: { rows: 'data', total: 'meta.total' },
  hasPages: true,
  reads: ['instruments', 'prices', 'corporate_actions', 'dividends'],
  errors: ['not_found', 'service_unavailable'],
  type: DailyPriceList,
} as const

seriesEndpoint('stock_prices', {
  summary: 'Prices of a stock, by day',
  keywords: ['share prices', 'closing prices', 'adjusted close', 'performance of a stock', 'done this year'],
  description: `${WHICH} A ticker that is listed on several markets needs \`mic\`. A former ticker gets a 404 that names the current one.`,
  path: '/v1/stocks/{ticker}/prices',
  tag: 'stocks',
  ...SHARED,
  args: (arg) => priceArguments(arg, 'stock', 'AAPL'),
  check: (args, context) => parsePricesQuery('stock', args, context),
  resolve: answerPrices,
})

seriesEndpoint('etf_prices', {
  summary: 'Prices of an ETF, by day',
  keywords: ['fund prices', 'closing prices of a fund', 'adjusted close'],
  description: WHICH,
  path: '/v1/etf/{ticker}/prices',
  tag: 'etf',
  ...SHARED,
  args: (arg) => priceArguments(arg, 'ETF', 'IVV'),
  check: (args, context) => parsePricesQuery('etf', args, context),
  resolve: answerPrices,
})

async function answerPrices(query: PricesQuery, context: RequestContext) {
  const known = datasetStateOf(context, 'prices')
  const page = await listPrices(query, context)
  const { prices, total } = page
  const state = stateOfPage(stateOfParts(known, page.sources.prices), page)
  const answer = envelope(context, state, freshnessKindOfMarket(page.mic), prices, {
    ...(prices.some(isPartial) ? { data_quality: 'partial' as const } : {}),
    price_type: PRICE_TYPES[query.adjustment],
    ...(query.adjustment === 'none' ? {} : derivedMeta(ADJUSTMENT_METHOD, known.changedAt)),
  })
  return { ...answer, meta: { ...answer.meta, total, has_next: hasNext(query, total) } }
}

/** The providers of the actions behind the factors are sources too. */
function stateOfPage(state: UsedState, { sources }: AdjustedPage): UsedState {
  const { sources: own = [state.source] } = state
  return { ...state, sources: [...new Set([...own, ...sources.actions])] }
}

function isPartial({ open, high, low, volume, actions }: AdjustedPrice): boolean {
  return [open, high, low, volume].includes(null) || actions.some(({ factor }) => factor === null)
}
