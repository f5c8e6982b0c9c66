import { derivedMeta } from '../../core/disclaimer.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, defineEnvelope, envelope } from '../../schema-kit/envelope.js'
import { hints } from '../../schema-kit/fields.js'
import { seriesEndpoint } from '../../schema-kit/series-endpoint.js'
import { asOfArgument, dayRangeArguments } from '../../schema-kit/shared-arguments.js'
import { CROSS_METHODOLOGY } from './cross-rate.js'
import {
  type CrossRate,
  type CrossRates,
  checkCrossQuery,
  crossRowsAtMost,
  getCrossRates,
} from './cross-service.js'

export const RateMethodType = describedEnum('ForexRateMethod', 'How a rate comes about.', {
  published: 'A euro reference rate as it was published; the base is EUR.',
  inverse: 'Derived: 1 divided by a euro reference rate; the quote is EUR.',
  cross: 'Derived: one euro reference rate divided by another of the same day.',
})

const CrossRateType = builder.objectRef<CrossRate>('ForexCrossRate').implement({
  description: 'The rate between two currencies on one publication day.',
  fields: (t) => ({
    date: t.expose('date', { type: 'Date', description: 'Publication day of both rates.' }),
    quote: t.exposeString('quote', { description: 'Quote currency (ISO 4217).' }),
    rate: t.exposeFloat('rate', {
      description:
        'Units of the quote currency per 1 unit of the base currency. Derived ones have six significant digits, rounded half up.',
    }),
    is_derived: t.boolean({
      description: 'True where the rate was computed here and not published.',
      resolve: ({ method }) => method !== 'published',
    }),
    method: t.expose('method', { type: RateMethodType, description: 'How the rate comes about.' }),
    base_rate: t.exposeFloat('baseRate', {
      description: 'Units of the base currency per EUR, as published; 1 for EUR.',
    }),
    quote_rate: t.exposeFloat('quoteRate', {
      description: 'Units of the quote currency per EUR, as published; 1 for EUR.',
    }),
  }),
})

const CurrencyStateType = builder
  .objectRef<CrossRates['currencies'][number]>('ForexCurrencyState')
  .implement({
    description: 'Whether a currency of the answer is still quoted.',
    fields: (t) => ({
      currency: t.exposeString('currency', { description: 'Currency (ISO 4217).' }),
      ended_on: t.expose('endedOn', {
        type: 'Date',
        nullable: true,
        description: 'Last day with a rate, where the currency is no longer quoted; null while it is.',
      }),
    }),
  })

const CrossRatesType = builder.objectRef<CrossRates>('ForexCrossRateList').implement({
  description: 'Rates of several currencies against one, over a range of days.',
  fields: (t) => ({
    base: t.exposeString('base', { description: 'Base currency (ISO 4217).' }),
    currencies: t.expose('currencies', {
      type: [CurrencyStateType],
      description: 'The currencies asked for but EUR: the base first, then the quotes.',
    }),
    rates: t.expose('rates', {
      type: [CrossRateType],
      description:
        'Oldest first, the quotes of a day in the order asked for; only days that have both rates.',
    }),
  }),
})

seriesEndpoint('forex_cross', {
  summary: 'Rates between currencies',
  description:
    'Rates of one or several currencies against any other over a range of days, both ends included, derived over EUR from the euro reference rates of the same day and marked as derived. Days without a publication are absent, and so is a currency on a day without its rate. As many SQL statements for thirty currencies as for one. For information only, not for transactions.',
  access: 'caller',
  path: '/v1/forex/cross',
  tag: 'forex',
  table: { rows: 'data.rates' },
  reads: ['forex'],
  type: defineEnvelope(CrossRatesType),
  args: (arg) => ({
    base: arg.string({
      required: true,
      description: 'Base currency (ISO 4217); EUR too.',
      ...hints({ example: 'USD', maxLength: 3 }),
    }),
    quote: arg.stringList({
      required: true,
      description: 'Quote currencies (ISO 4217), EUR too; several by repeating it, or joined by commas.',
      ...hints({ example: ['GBP', 'JPY'] }),
    }),
    ...dayRangeArguments(arg, '30 days before `to`'),
    as_of: asOfArgument(arg),
  }),
  check: (args, context) => checkCrossQuery(args, context),
  rows: (query, { now }) => crossRowsAtMost(query, now),
  resolve: async (query, context) => {
    const state = datasetStateOf(context, 'forex')
    const data = await getCrossRates(query, context)
    return envelope(context, state, 'forex', data, {
      ...derivedMeta(CROSS_METHODOLOGY, context.now),
      data_quality: qualityOf(data, query.quotes),
    })
  },
})

/** Partial where one of the currencies has no rate at all in the range. */
function qualityOf({ rates }: CrossRates, quotes: readonly string[]): 'full' | 'partial' | 'empty' {
  if (rates.length === 0) return 'empty'
  const found = new Set(rates.map(({ quote }) => quote))
  return quotes.every((quote) => found.has(quote)) ? 'full' : 'partial'
}
