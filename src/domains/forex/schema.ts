import { DataQualityType } from '../../schema-kit/api-meta.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, type Freshness, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { hints } from '../../schema-kit/fields.js'
import { seriesEndpoint } from '../../schema-kit/series-endpoint.js'
import { asOfArguments, dayRangeArguments } from '../../schema-kit/shared-arguments.js'
import './conversion-schema.js'
import './cross-schema.js'
import './currency-schema.js'
import './stream-schema.js'
import { day, instant, number, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import {
  checkForexQuery,
  type ForexRates,
  getForex,
  invertRates,
  listRateVersions,
  maxPublicationDays,
} from './service.js'
import { MAX_RATE_VERSIONS, type RateVersion } from './store.js'

interface ForexResult extends ForexRates {
  readonly source: string
  readonly _meta: Freshness
}

const ForexRateType = builder.prismaObject('ForexRate', {
  select: { date: true, rate: true },
  description: 'The reference rate of one publication day.',
  fields: (t) =>
    shownFields(t, {
      date: day('Publication day.'),
      rate: number('Units of the quote currency per 1 unit of the base currency.'),
    }),
})

const ForexRevisionType = builder.objectRef<RateVersion>('ForexRevision')

ForexRevisionType.implement({
  description: 'A version of a rate, with the times from which and until which it counts.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      rate: number('Units of the quote currency per 1 unit of the base currency.'),
      known_from: instant('Time from which this service knew this version.', 'knownFrom'),
      known_to: instant.orNull(
        'Time at which the next version replaced it. Null for the current version.',
        'knownTo',
      ),
      published_from: instant.orNull(
        'Time from which `basis: published` returns this version. Null if it was replaced before.',
        'publishedFrom',
      ),
    }),
})

const ForexResultType = builder.objectRef<ForexResult>('ForexResult')

ForexResultType.implement({
  description:
    'Euro foreign exchange reference rates of the European Central Bank, or their computed inverses. For information only, not for transactions.',
  fields: (t) =>
    shownFields(t, {
      base: text('Base currency (ISO 4217): EUR, or the other currency of an inverse rate.'),
      quote: text('Quote currency (ISO 4217).'),
      source: text('Provider of the rates: ecb, or seed for synthetic rates.'),
      data: shownAs([ForexRateType])(
        'Rates of the publication days in the range, oldest first. Other days are absent.',
      ),
      rows: t.int({ description: 'Number of entries in data.', resolve: (result) => result.data.length }),
      _meta: shownAs(FreshnessType)('Freshness of the rates.'),
      data_quality: t.field({
        type: DataQualityType,
        description: 'full, or empty if no rate was published in the range.',
        resolve: ({ data }) => (data.length === 0 ? 'empty' : 'full'),
      }),
      ended_on: day.orNull(
        'Last day with a rate if the currency is no longer quoted. Null while it is quoted.',
        'endedOn',
      ),
      revisions: t.field({
        type: [ForexRevisionType],
        subGraphs: ['Graph'],
        description: `All versions of the newest rate in data, oldest first. Returns the newest ${MAX_RATE_VERSIONS}. A rate that was never corrected has one version.`,
        resolve: (result, _args, context) => listRateVersions(result, context),
      }),
      inverse: t.field({
        type: ForexResultType,
        subGraphs: ['Graph'],
        description: 'The inverse rates of the same days: 1/rate to six significant digits, computed here.',
        resolve: (result) => ({ ...invertRates(result), source: result.source, _meta: result._meta }),
      }),
    }),
})

seriesEndpoint('forex', {
  summary: 'Euro exchange rates',
  keywords: ['exchange rate', 'currency history', 'euro rate', 'dollar', 'EUR/USD', 'ECB'],
  description:
    'Euro reference rates of one currency on the publication days of a range that includes both ends. Source: European Central Bank, which publishes around 16:00 CET on TARGET days.',
  access: 'caller',
  path: '/v1/forex',
  tag: 'forex',
  table: { rows: 'data' },
  reads: ['forex'],
  type: ForexResultType,
  args: (arg) => ({
    base: arg.string({
      defaultValue: 'EUR',
      description: 'Base currency. Only EUR is possible.',
      ...hints({ example: 'EUR', maxLength: 3 }),
    }),
    quote: arg.string({
      required: true,
      description: 'Quote currency (ISO 4217).',
      ...hints({ example: 'USD', maxLength: 3 }),
    }),
    ...dayRangeArguments(arg, '30 days before today'),
    inverse: arg.boolean({
      defaultValue: false,
      description:
        'True returns units of EUR per 1 unit of `quote`, computed as 1/rate to six significant digits.',
    }),
    ...asOfArguments(arg),
  }),
  check: (args, context) => checkForexQuery(args, context),
  rows: ({ from, to }, { now }) => maxPublicationDays(from, to, now),
  resolve: async (query, context) => {
    const state = datasetStateOf(context, 'forex')
    const rates = await getForex(query, context)
    return { ...rates, source: state.source, _meta: freshness(context, state, 'forex') }
  },
})
