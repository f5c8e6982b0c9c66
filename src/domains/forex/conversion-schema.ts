import { ecbPublication } from '../../core/calendars/target.js'
import { derivedMeta } from '../../core/disclaimer.js'
import { builder } from '../../schema-kit/builder.js'
import {
  datasetStateOf,
  defineEnvelope,
  envelope,
  FreshnessType,
  freshness,
} from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { storedDay } from '../../schema-kit/model-rows.js'
import { asOfArguments } from '../../schema-kit/shared-arguments.js'
import { day, instant, number, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import {
  AMOUNT_PLACES,
  type Conversion,
  type Conversions,
  checkConversion,
  convert,
} from './conversion-service.js'
import { CROSS_METHOD } from './cross-rate.js'
import { RateMethodType } from './cross-schema.js'

const MAX_AMOUNT_LENGTH = 40

const LegType = builder.prismaObject('ForexRate', {
  variant: 'ForexConversionLeg',
  select: { quote: true, date: true, rate: true, source: true },
  description: 'A published rate that a conversion uses.',
  fields: (t) =>
    shownFields(t, {
      currency: text('Currency (ISO 4217).', 'quote'),
      date: day('Publication day of the rate.'),
      rate: number('Units of the currency per EUR, as published.'),
      source: text('Provider of the rate: ecb, or seed for a synthetic rate.'),
      _meta: t.field({
        type: FreshnessType,
        description: 'Freshness of this rate, counted from its publication.',
        resolve: ({ date, source }, _args, context) =>
          freshness(context, { observedAt: ecbPublication(storedDay(date)), source }, 'forex'),
      }),
    }),
})

const ConversionType = builder.objectRef<Conversion>('ForexConversion').implement({
  description: 'An amount in another currency.',
  fields: (t) =>
    shownFields(t, {
      currency: text('Target currency (ISO 4217).'),
      amount: text(
        `Converted amount as an exact decimal: the amount times the unrounded rate, rounded half up to ${AMOUNT_PLACES} decimal places.`,
      ),
      rate: number('Units of this currency per 1 unit of `from`. A derived rate has six significant digits.'),
      date: day(
        'Publication day of the rates used: the newest day up to the requested date that has both rates.',
      ),
      is_derived: t.boolean({
        description: 'True if the rate was computed here and not published by the source.',
        resolve: ({ method }) => method !== 'published',
      }),
      method: shownAs(RateMethodType)('How the rate was obtained.'),
      legs: shownAs([LegType])(
        'The published rates used: first that of `from`, then that of this currency. EUR has no published rate.',
      ),
    }),
})

const ConversionsType = builder.objectRef<Conversions>('ForexConversionList').implement({
  description: 'An amount of one currency converted to others.',
  fields: (t) =>
    shownFields(t, {
      from: text('Source currency (ISO 4217).'),
      amount: text('Requested amount, as an exact decimal.'),
      date: day('Requested date.'),
      as_of: instant.orNull('Requested instant: only rates known then are used. Null means now.', 'asOf'),
      conversions: shownAs([ConversionType])('One per target currency, in the order of the request.'),
    }),
})

queryEndpoint('forex_convert', {
  summary: 'Convert an amount',
  keywords: [
    'convert currency',
    'dollars',
    'euros',
    'pounds',
    'yen',
    'francs',
    'currency converter',
    'dollars to euros',
    'how much is',
    'FX',
  ],
  description:
    'Converts an amount of one currency to one or several others, via EUR, with the euro reference rates of one day. That day is the newest publication day up to `date` (at most two weeks earlier) with rates for both currencies; for a weekend it is usually Friday. Each conversion names its day and both published rates. A `date` after the last rate of a currency is rejected. For information only, not for transactions.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/forex/convert', tag: 'forex' },
  reads: ['forex'],
  type: defineEnvelope(ConversionsType),
  args: (arg) => ({
    from: arg.string({
      required: true,
      description: 'Source currency (ISO 4217), including EUR.',
      ...hints({ example: 'USD', maxLength: 3 }),
    }),
    to: arg.stringList({
      required: true,
      description:
        'Target currencies (ISO 4217), including EUR. Give several as a list, or joined by commas.',
      ...hints({ example: ['GBP'] }),
    }),
    amount: arg.string({
      defaultValue: '1',
      description: 'Amount to convert, as a decimal with at most 15 digits before the point and 8 after it.',
      ...hints({ example: '1250.50', maxLength: MAX_AMOUNT_LENGTH }),
    }),
    date: arg({
      type: 'Date',
      description: 'Date of the conversion. Not in the future.',
      ...hints({ defaultText: 'today (UTC)', example: '2026-11-20' }),
    }),
    ...asOfArguments(arg),
  }),
  check: (args, context) => checkConversion(args, context),
  rows: ({ to }) => to.length,
  resolve: async (query, context) => {
    const state = datasetStateOf(context, 'forex')
    const data = await convert(query, context)
    return envelope(context, state, 'forex', data, {
      ...derivedMeta(CROSS_METHOD, context.now),
    })
  },
})
