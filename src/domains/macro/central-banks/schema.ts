import type { FreshnessKind } from '../../../core/freshness.js'
import type { Frequency } from '../../../core/period.js'
import { datasetStateOf, freshness } from '../../../schema-kit/envelope.js'
import { type ArgBuilder, hints, queryEndpoint } from '../../../schema-kit/fields.js'
import { seriesEndpoint } from '../../../schema-kit/series-endpoint.js'
import { asOfArgument, seriesPageArguments } from '../../../schema-kit/shared-arguments.js'
import { catalogueEndpoint, catalogueRoute, catalogueType, createCatalogue } from '../catalogue-schema.js'
import { type DayArguments, parseDayQuery } from '../series-query.js'
import { BANK_OF_JAPAN, BANK_OF_KOREA, type CentralBank } from './central-bank.js'
import { type BankSeriesQuery, bankCatalogue, getBankSeries } from './service.js'
import { BojEntryType, BojSeriesType, BokEntryType, BokSeriesType, createSeriesMeta } from './types-schema.js'

/** An observation of a series is due once per period; of weeks and halves of months a month counts. */
const KIND_OF: Readonly<Record<Frequency, FreshnessKind>> = {
  daily: 'daily',
  weekly: 'monthly',
  semimonthly: 'monthly',
  monthly: 'monthly',
  // Figures of quarters and years come as late as those of the BIS.
  quarterly: 'bis',
  semiannual: 'bis',
  annual: 'bis',
}

const dayArguments = (arg: ArgBuilder) => ({
  start_date: arg({
    type: 'Date',
    description: 'First day of the first period.',
    ...hints({ defaultText: 'the first there is', example: '2026-01-01' }),
  }),
  end_date: arg({
    type: 'Date',
    description: 'Latest first day of a period.',
    ...hints({ defaultText: 'the last there is', example: '2026-06-30' }),
  }),
  as_of: asOfArgument(arg),
})

function offerCatalogue(bank: CentralBank, type: typeof BojEntryType, catalogue: string): void {
  const { provider, name, path } = bank
  queryEndpoint(`${provider}_catalogue`, {
    ...catalogueEndpoint(provider),
    summary: `Series of the ${name}`,
    description: `All series of the ${name} that are here, with unit and frequency. Complete, without pages.`,
    rest: catalogueRoute(path),
    type: catalogueType(catalogue, { type, provider, what: `series of the ${name}` }),
    resolve: async (_input, context) =>
      createCatalogue(await bankCatalogue(bank, context), provider, context),
  })
}

/** `example`: a series that is always there. */
function offerSeries(bank: CentralBank, type: typeof BojSeriesType, example: string): void {
  const { provider, name, path } = bank
  seriesEndpoint(`${provider}_series`, {
    summary: `A series of the ${name}`,
    description: `The observations of one series of the ${name}, oldest first, page by page. The catalogue lists the series. A page beyond the last one is empty. Unknown series: 404 with the nearest one.`,
    access: 'macro:read',
    errors: ['not_found'],
    path: `${path.slice(0, path.lastIndexOf('/'))}/{series_id}`,
    tag: 'macro',
    table: { rows: 'data', total: 'meta.total' },
    hasPages: true,
    reads: [provider],
    type,
    args: (arg) => ({
      series_id: arg.string({
        required: true,
        description: 'Identifier of the series in the catalogue.',
        ...hints({ example, maxLength: 128 }),
      }),
      ...seriesPageArguments(arg),
      ...dayArguments(arg),
    }),
    check: ({ series_id: seriesId, ...range }: DayArguments & { series_id: string }, context) => ({
      ...parseDayQuery(range, context),
      seriesId,
    }),
    resolve: async (query: BankSeriesQuery, context) => {
      const state = datasetStateOf(context, provider)
      const page = await getBankSeries(bank, query, context)
      const kind = KIND_OF[page.series.frequency]
      return {
        page,
        meta: createSeriesMeta(bank, page, query, context),
        _meta: freshness(context, state, kind),
      }
    },
  })
}

offerCatalogue(BANK_OF_JAPAN, BojEntryType, 'BojCatalogueResponse')
offerSeries(BANK_OF_JAPAN, BojSeriesType, 'BOJ_FM08_FXERD04')
offerCatalogue(BANK_OF_KOREA, BokEntryType, 'BokCatalogueResponse')
offerSeries(BANK_OF_KOREA, BokSeriesType, 'BOK_731Y001_0000001_D')
