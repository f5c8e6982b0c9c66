import { fullTextOf } from '../../../core/providers.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { builder } from '../../../schema-kit/builder.js'
import { datasetStateOf, type Freshness } from '../../../schema-kit/envelope.js'
import { hints } from '../../../schema-kit/fields.js'
import { seriesEndpoint } from '../../../schema-kit/series-endpoint.js'
import { seriesPageArguments } from '../../../schema-kit/shared-arguments.js'
import { shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { areaName } from '../names/area-names-model.js'
import {
  CHANGED_FIELD,
  createPageMeta,
  freshnessOfSeries,
  PAGE_FIELDS,
  QUALITY_FIELDS,
  termFields,
} from '../page-meta-schema.js'
import { seriesGrains } from '../series/series-grains-model.js'
import { periodArguments, seriesOptions, vintagesArgument } from '../series/series-options-schema.js'
import { parseSeriesQuery, YEARS_AND_QUARTERS } from '../series/series-query.js'
import {
  dataField,
  knownFields,
  OBSERVATION_COLUMNS,
  periodField,
  seriesFields,
  unitField,
  valueField,
} from '../series/series-schema.js'
import { getCountry } from './catalogue.js'
import { BisCountryType, BisDatasetMetaType } from './catalogue-schema.js'
import { BIS } from './datasets-model.js'
import { type BisSeries, type BisSeriesQuery, getBisSeries } from './service.js'

const BisObservationType = builder.prismaObject('MacroObservation', {
  variant: 'BISObservation',
  select: OBSERVATION_COLUMNS,
  description: 'The value of one period of a series.',
  fields: (t) => ({
    ...periodField(t, 'The period: 2025-Q4, or 2025 for a year.'),
    ...unitField(t),
    ...valueField(t),
    ...knownFields(t),
  }),
})

interface BisSeriesAnswer extends BisSeries {
  readonly query: BisSeriesQuery
  readonly meta: ReturnType<typeof createMeta>
  readonly _meta: Freshness
}

function createMeta({ dataset, page }: BisSeries, query: BisSeriesQuery, context: RequestContext) {
  const country = page.series.country ?? ''
  return {
    ...createPageMeta(query, page, context),
    dataset,
    series_key: page.series.seriesKey,
    start_period: query.startPeriod,
    end_period: query.endPeriod,
    country_code: country,
    country_name: areaName(country),
  }
}

const BisSeriesMetaType = builder.objectRef<BisSeriesAnswer['meta']>('BISSeriesMeta').implement({
  description: 'Metadata of a page of a series.',
  fields: (t) =>
    shownFields(t, {
      dataset: shownAs(BisDatasetMetaType)('The dataset of the series.'),
      series_key: text('Key of the requested series.'),
      ...PAGE_FIELDS,
      start_period: text.orNull('Requested first period. Null if the request has none.'),
      end_period: text.orNull('Requested last period. Null if the request has none.'),
      computed_at: CHANGED_FIELD,
      ...termFields(BIS.id),
      country_code: text('Code of the country or group of countries at the BIS.'),
      country_name: text('English name of the country or group of countries.'),
      ...QUALITY_FIELDS,
    }),
})

const BisSeriesType = builder.objectRef<BisSeriesAnswer>('BISSeriesResponse').implement({
  description: 'A page of a series of the BIS.',
  fields: (t) =>
    shownFields(t, {
      ...dataField(t, BisObservationType),
      meta: shownAs(BisSeriesMetaType)('Metadata of the page.'),
      ...seriesFields(t),
      country: t.field({
        type: BisCountryType,
        nullable: true,
        subGraphs: ['Graph'],
        description: 'The country, with its series in all datasets. Null if it has no main series.',
        extensions: { reads: ['bis'] },
        resolve: ({ page: { series } }, _args, context) => getCountry(series.country, context),
      }),
    }),
})

seriesEndpoint('bis_series', {
  ...seriesOptions(BIS, '{dataset_code}/{series_key}'),
  description: `The observations of one series of ${fullTextOf(BIS)}, oldest first, in pages. Any key of a dataset works. The list of countries has the main keys. A page beyond the last one is empty. An unknown dataset or key gets a 404 that suggests a similar one.`,
  type: BisSeriesType,
  args: (arg) => ({
    dataset_code: arg.string({
      required: true,
      description: 'Code of the dataset.',
      ...hints({ example: 'WS_TC', maxLength: 64 }),
    }),
    series_key: arg.string({
      required: true,
      description: 'Key of the series.',
      ...hints({ example: 'Q.US.P.A.M.770.A', maxLength: 128 }),
    }),
    ...seriesPageArguments(arg),
    ...periodArguments(arg, 'a year or a quarter', 7),
    ...vintagesArgument(arg),
  }),
  check: ({ dataset_code: datasetCode, series_key: seriesKey, ...range }, context) => ({
    ...parseSeriesQuery(range, context, YEARS_AND_QUARTERS),
    datasetCode,
    seriesKey,
  }),
  grains: ({ datasetCode: dataset }) => seriesGrains({ provider: 'bis', dataset }),
  resolve: async (query, context) => {
    datasetStateOf(context, 'bis')
    const series = await getBisSeries(query, context)
    return {
      ...series,
      query,
      meta: createMeta(series, query, context),
      _meta: freshnessOfSeries(series.page.series, context),
    }
  },
})
