import { derivedMeta } from '../../core/disclaimer.js'
import { ecbPublication } from '../../core/time.js'
import { builder } from '../../schema-kit/builder.js'
import {
  datasetStateOf,
  defineEnvelope,
  envelope,
  FreshnessType,
  freshness,
} from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { asOfArgument } from '../../schema-kit/shared-arguments.js'
import {
  AMOUNT_PLACES,
  type Conversion,
  type ConversionLeg,
  type Conversions,
  checkConversion,
  convert,
} from './conversion-service.js'
import { CROSS_METHODOLOGY } from './cross-rate.js'
import { RateMethodType } from './cross-schema.js'

const MAX_AMOUNT_LENGTH = 40

const LegType = builder.objectRef<ConversionLeg>('ForexConversionLeg').implement({
  description: 'One published rate that a conversion is made from.',
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'Currency (ISO 4217).' }),
    date: t.expose('date', { type: 'Date', description: 'Publication day of the rate.' }),
    rate: t.exposeFloat('rate', { description: 'Units of the currency per EUR, as published.' }),
    source: t.exposeString('source', {
      description: 'Provider of the rate: ecb, or seed for a synthetic one.',
    }),
    _meta: t.field({
      type: FreshnessType,
      description: 'How fresh this rate is, from the instant of its publication.',
      resolve: ({ date, source }, _args, context) =>
        freshness(context, { observedAt: ecbPublication(date), source }, 'forex'),
    }),
  }),
})

const ConversionType = builder.objectRef<Conversion>('ForexConversion').implement({
  description: 'An amount in another currency.',
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'Currency converted to (ISO 4217).' }),
    amount: t.exposeString('amount', {
      description: `The converted amount as an exact decimal: the amount times the unrounded rate, rounded half up to ${AMOUNT_PLACES} places.`,
    }),
    rate: t.exposeFloat('rate', {
      description: 'Units of this currency per 1 unit of `from`; a derived one has six significant digits.',
    }),
    date: t.expose('date', {
      type: 'Date',
      description:
        'The publication day whose rates are used: the newest one up to the day asked for that has both.',
    }),
    is_derived: t.boolean({
      description: 'True where the rate was computed here and not published.',
      resolve: ({ method }) => method !== 'published',
    }),
    method: t.expose('method', { type: RateMethodType, description: 'How the rate comes about.' }),
    legs: t.expose('legs', {
      type: [LegType],
      description: 'The published rates it is made from: of `from`, then of this currency; EUR has none.',
    }),
  }),
})

const ConversionsType = builder.objectRef<Conversions>('ForexConversionList').implement({
  description: 'An amount of one currency in others.',
  fields: (t) => ({
    from: t.exposeString('from', { description: 'Currency converted from (ISO 4217).' }),
    amount: t.exposeString('amount', { description: 'The amount asked for, as an exact decimal.' }),
    date: t.expose('date', { type: 'Date', description: 'The day asked for.' }),
    as_of: t.expose('asOf', {
      type: 'DateTime',
      nullable: true,
      description: 'The instant whose knowledge was asked for; null: now.',
    }),
    conversions: t.expose('conversions', {
      type: [ConversionType],
      description: 'One per currency, in the order asked for.',
    }),
  }),
})

queryEndpoint('forex_convert', {
  summary: 'Convert an amount',
  description:
    'An amount of one currency in one or several others, over EUR, by the euro reference rates of one day: the newest publication day up to `date` (at most two weeks before it) that has both, so on a weekend the one of Friday; each answer names its day and both published rates. A day after the end of a currency is refused. For information only, not for transactions.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/forex/convert', tag: 'forex' },
  reads: ['forex'],
  type: defineEnvelope(ConversionsType),
  args: (arg) => ({
    from: arg.string({
      required: true,
      description: 'Currency to convert from (ISO 4217); EUR too.',
      ...hints({ example: 'USD', maxLength: 3 }),
    }),
    to: arg.stringList({
      required: true,
      description:
        'Currencies to convert to (ISO 4217), EUR too; several by repeating it, or joined by commas.',
      ...hints({ example: ['GBP'] }),
    }),
    amount: arg.string({
      defaultValue: '1',
      description: 'Amount to convert, as a decimal text: at most 15 digits before the point and 8 after it.',
      ...hints({ example: '1250.50', maxLength: MAX_AMOUNT_LENGTH }),
    }),
    date: arg({
      type: 'Date',
      description: 'Day of the conversion. Not in the future.',
      ...hints({ defaultText: 'today (UTC)', example: '2026-11-20' }),
    }),
    as_of: asOfArgument(arg),
  }),
  check: (args, context) => checkConversion(args, context),
  rows: ({ to }) => to.length,
  resolve: async (query, context) => {
    const state = datasetStateOf(context, 'forex')
    const data = await convert(query, context)
    return envelope(context, state, 'forex', data, {
      ...derivedMeta(CROSS_METHODOLOGY, context.now),
    })
  },
})
