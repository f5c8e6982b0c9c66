import type { FreshnessKind } from '../../../core/freshness.js'
import type { Frequency } from '../../../core/period.js'
import { datasetStateOf, freshness } from '../../../schema-kit/envelope.js'
import { type ArgBuilder, hints, queryEndpoint } from '../../../schema-kit/fields.js'
import { seriesEndpoint } from '../../../schema-kit/series-endpoint.js'
import { asOfArguments, seriesPageArguments } from '../../../schema-kit/shared-arguments.js'
import { catalogueEndpoint, catalogueRoute, catalogueType, createCatalogue } from '../catalogue-schema.js'
import { seriesStateOf } from '../page-meta-schema.js'
import { seriesGrains } from '../series-grains-model.js'
import { type DayArguments, parseDayQuery } from '../series-query.js'
import { vintagesArgument } from '../series-schema.js'
import { BANK_OF_JAPAN, BANK_OF_KOREA, type CentralBank, parseSeriesId } from './central-bank.js'
import { type BankSeriesQuery, bankCatalogue, getBankSeries } from './service.js'
import { BojEntryType, BojSeriesType, BokEntryType, BokSeriesType, createSeriesMeta } from './types-schema.js'

/** How often a new observation of a series is due. Weeks and half months count as a month. */
const KIND_OF: Readonly<Record<Frequency, FreshnessKind>> = {
  daily: 'daily',
  weekly: 'monthly',
  semi_monthly: 'monthly',
  monthly: 'monthly',
  // Quarterly and annual figures appear as late as those of the BIS.
  quarterly: 'bis',
  semi_annual: 'bis',
  annual: 'bis',
}

const dayArguments = (arg: ArgBuilder) => ({
  start_date: arg({
    type: 'Date',
    description: 'Earliest first day of a period.',
    ...hints({ defaultText: 'the first period', example: '2026-01-01' }),
  }),
  end_date: arg({
    type: 'Date',
    description: 'Latest first day of a period.',
    ...hints({ defaultText: 'the last period', example: '2026-06-30' }),
  }),
  ...asOfArguments(arg),
  ...vintagesArgument(arg),
})

function defineCatalogueEndpoint(bank: CentralBank, type: typeof BojEntryType, catalogue: string): void {
  const { provider, name, path } = bank
  queryEndpoint(`${provider}_catalogue`, {
    ...catalogueEndpoint(provider),
    summary: `Series of the ${name}`,
    description: `All available series of the ${name}, with unit and frequency. The list is complete and has no pages.`,
    rest: catalogueRoute(path),
    type: catalogueType(catalogue, { type, provider, what: `series of the ${name}` }),
    resolve: async (_input, context) =>
      createCatalogue(await bankCatalogue(bank, context), provider, context),
  })
}

/** `example` is a series that always exists. */
function defineSeriesEndpoint(bank: CentralBank, type: typeof BojSeriesType, example: string): void {
  const { provider, name, path } = bank
  seriesEndpoint(`${provider}_series`, {
    summary: `A series of the ${name}`,
    description: `The observations of one series of the ${name}, oldest first, in pages. The catalogue lists the series. A page beyond the last one is empty. An unknown series gets a 404 that suggests a similar one.`,
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
    grains: ({ seriesId }: BankSeriesQuery) => {
      const key = parseSeriesId(bank, seriesId)
      return key === null ? [] : seriesGrains({ provider, ...key })
    },
    resolve: async (query: BankSeriesQuery, context) => {
      datasetStateOf(context, provider)
      const page = await getBankSeries(bank, query, context)
      const kind = KIND_OF[page.series.frequency]
      return {
        page,
        meta: createSeriesMeta(bank, page, query, context),
        _meta: freshness(context, seriesStateOf(page.series, context), kind),
      }
    },
  })
}

defineCatalogueEndpoint(BANK_OF_JAPAN, BojEntryType, 'BojCatalogueResponse')
defineSeriesEndpoint(BANK_OF_JAPAN, BojSeriesType, 'BOJ_FM08_FXERD04')
defineCatalogueEndpoint(BANK_OF_KOREA, BokEntryType, 'BokCatalogueResponse')
defineSeriesEndpoint(BANK_OF_KOREA, BokSeriesType, 'BOK_731Y001_0000001_D')
