import { derivedMeta } from '../../core/disclaimer.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, defineEnvelope, envelope } from '../../schema-kit/envelope.js'
import { hints } from '../../schema-kit/fields.js'
import { seriesEndpoint } from '../../schema-kit/series-endpoint.js'
import { asOfArguments, dayRangeArguments } from '../../schema-kit/shared-arguments.js'
import { day, number, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { CROSS_METHOD } from './cross-rate.js'
import {
  type CrossRate,
  type CrossRates,
  checkCrossQuery,
  getCrossRates,
  maxCrossRows,
} from './cross-service.js'

export const RateMethodType = describedEnum('ForexRateMethod', 'How a rate was obtained.', {
  published: 'A published euro reference rate. The base is EUR.',
  inverse: 'Derived: 1 divided by a euro reference rate. The quote is EUR.',
  cross: 'Derived: one euro reference rate divided by another of the same day.',
})

const CrossRateType = builder.objectRef<CrossRate>('ForexCrossRate').implement({
  description: 'The rate between two currencies on one publication day.',
  fields: (t) =>
    shownFields(t, {
      date: day('Publication day of both rates.'),
      quote: text('Quote currency (ISO 4217).'),
      rate: number(
        'Units of the quote currency per 1 unit of the base currency. A derived rate is rounded half up to six significant digits.',
      ),
      is_derived: t.boolean({
        description: 'True if the rate was computed here and not published by the source.',
        resolve: ({ method }) => method !== 'published',
      }),
      method: shownAs(RateMethodType)('How the rate was obtained.'),
      base_rate: number('Units of the base currency per EUR, as published; 1 for EUR.', 'baseRate'),
      quote_rate: number('Units of the quote currency per EUR, as published; 1 for EUR.', 'quoteRate'),
    }),
})

const CurrencyStateType = builder
  .objectRef<CrossRates['currencies'][number]>('ForexCurrencyState')
  .implement({
    description: 'Whether a currency is still quoted.',
    fields: (t) =>
      shownFields(t, {
        currency: text('Currency (ISO 4217).'),
        ended_on: day.orNull(
          'Last day with a rate if the currency is no longer quoted. Null while it is quoted.',
          'endedOn',
        ),
      }),
  })

const CrossRatesType = builder.objectRef<CrossRates>('ForexCrossRateList').implement({
  description: 'Rates of several currencies against one, over a range of days.',
  fields: (t) =>
    shownFields(t, {
      base: text('Base currency (ISO 4217).'),
      currencies: shownAs([CurrencyStateType])(
        'The requested currencies except EUR: the base first, then the quotes.',
      ),
      rates: shownAs([CrossRateType])(
        'Oldest first. The quotes of a day are in the order of the request. Only days with both rates are listed.',
      ),
    }),
})

seriesEndpoint('forex_cross', {
  summary: 'Rates between currencies',
  keywords: [
    'cross rate',
    'currencies',
    'currency pair',
    'exchange rate history',
    'GBP/JPY',
    'pounds to yen',
  ],
  description:
    'Rates of one or several currencies against any other, over a range of days that includes both ends. They are derived via EUR from the euro reference rates of the same day and marked as derived. Days without a publication are absent, and so is a currency on a day without its rate. For information only, not for transactions.',
  access: 'caller',
  path: '/v1/forex/cross',
  tag: 'forex',
  table: { rows: 'data.rates' },
  reads: ['forex'],
  type: defineEnvelope(CrossRatesType),
  args: (arg) => ({
    base: arg.string({
      required: true,
      description: 'Base currency (ISO 4217), including EUR.',
      ...hints({ example: 'USD', maxLength: 3 }),
    }),
    quote: arg.stringList({
      description: 'Quote currencies (ISO 4217), including EUR. Give several as a list, or joined by commas.',
      ...hints({ example: ['GBP', 'JPY'], defaultText: 'all currencies that were quoted in the range' }),
    }),
    ...dayRangeArguments(arg, '30 days before today'),
    ...asOfArguments(arg),
  }),
  check: (args, context) => checkCrossQuery(args, context),
  rows: (query, { now }) => maxCrossRows(query, now),
  resolve: async (query, context) => {
    const state = datasetStateOf(context, 'forex')
    const data = await getCrossRates(query, context)
    return envelope(context, state, 'forex', data, {
      ...derivedMeta(CROSS_METHOD, context.now),
      data_quality: qualityOf(data, query.quotes),
    })
  },
})

/** Partial if a requested currency has no rate in the range. */
function qualityOf({ rates }: CrossRates, quotes: readonly string[]): 'full' | 'partial' | 'empty' {
  if (rates.length === 0) return 'empty'
  const found = new Set(rates.map(({ quote }) => quote))
  return quotes.every((quote) => found.has(quote)) ? 'full' : 'partial'
}
