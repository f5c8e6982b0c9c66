import { LONG_SERIES_LIMITS, SERIES_LIMITS } from '../../core/page.js'
import { MACRO_PUBLISHERS, publishersText, shortTextOf } from '../../core/providers.js'
import { STOP_WORDS } from '../../core/question-words.js'
import { type UsedState, withSources } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { MACRO_ROWS_PER_UNIT } from '../../policy/limits.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, envelope, type Freshness, FreshnessType } from '../../schema-kit/envelope.js'
import { hints } from '../../schema-kit/fields.js'
import { listEndpoint } from '../../schema-kit/list-endpoint.js'
import { seriesEndpoint } from '../../schema-kit/series-endpoint.js'
import { seriesPageArguments } from '../../schema-kit/shared-arguments.js'
import { shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { kindOfDataset } from '../datasets/registry-model.js'
import { MACRO_PROVIDERS } from './model.js'
import {
  CHANGED_FIELD,
  createPageMeta,
  freshnessOfSeries,
  PAGE_FIELDS,
  QUALITY_FIELDS,
  termFields,
} from './page-meta-schema.js'
import { parseMacroKey } from './series/macro-key.js'
import { seriesGrains } from './series/series-grains-model.js'
import { periodArguments, vintagesArgument } from './series/series-options-schema.js'
import { ANY_PERIODS, parseSeriesQuery, type SeriesQuery } from './series/series-query.js'
import {
  dataField,
  MacroObservationType,
  MacroProviderType,
  MacroSeriesType,
} from './series/series-schema.js'
import type { SeriesPageRows } from './series/series-store.js'
import {
  type CatalogueFilter,
  getMacroSeriesPage,
  listCatalogueSeries,
  type MacroSeriesQuery,
  seriesWords,
} from './service.js'
import { MACRO_DISCLAIMER, MACRO_DISCLAIMER_FR } from './terms.js'

/** Words of the publishers that have no operations of their own. */
const KEYWORDS = MACRO_PUBLISHERS.flatMap(({ keywords }) => keywords ?? [])

const PROVIDER_ARGUMENT = { type: MacroProviderType, ...hints({ example: 'ust' }) } as const

const MAX_QUERY_LENGTH = 100

listEndpoint('macro_catalogue', {
  summary: 'Macro series of all publishers',
  keywords: ['macro data', 'statistics', ...KEYWORDS],
  description: `The series of ${publishersText(shortTextOf)}, sorted by publisher, country and dataset. Of the BIS it has the main series of each country and dataset; \`macro_series\` reads any key of these datasets.`,
  access: 'macro:read',
  path: '/v1/macro/series',
  tag: 'macro',
  reads: MACRO_PROVIDERS,
  item: MacroSeriesType,
  limits: SERIES_LIMITS,
  filters: (arg) => ({
    provider: arg({ ...PROVIDER_ARGUMENT, description: 'Only series of this publisher.' }),
    q: arg.string({
      description:
        'Only series with all these words in their name, title, country or key. The beginning of a word is enough.',
      ...hints({ example: 'unemployment rate', maxLength: MAX_QUERY_LENGTH }),
    }),
    country: arg.string({
      description:
        'Only series of this country (ISO 3166-1 alpha-2) or group of countries (code of the publisher, e.g. U2 for the euro area), in any case.',
      ...hints({ example: 'US', maxLength: 2 }),
    }),
  }),
  check: ({ provider, q, country }): CatalogueFilter => ({
    provider: provider ?? null,
    words: seriesWords(q ?? '').filter((word) => !STOP_WORDS.has(word)),
    country: country?.toUpperCase() ?? null,
  }),
  resolve: async (filter, page, context) => {
    const { series, total } = await listCatalogueSeries(filter, page, context)
    const state = stateOfCatalogues(filter, context)
    const meta = { disclaimer: MACRO_DISCLAIMER, disclaimer_lang_canonical: 'en' } as const
    const translations = { disclaimer_translations: { fr: MACRO_DISCLAIMER_FR } }
    const kind = kindOfDataset(state.dataset, null)
    return { envelope: envelope(context, state, kind, series, { ...meta, ...translations }), total }
  },
})

/** The state of the newest of the loaded catalogues, with the sources of all. A 503 if none is loaded. */
function stateOfCatalogues({ provider }: CatalogueFilter, context: RequestContext): UsedState {
  const states = (provider === null ? MACRO_PROVIDERS : [provider]).flatMap(
    (id) => context.datasets.get(id) ?? [],
  )
  const [newest = datasetStateOf(context, provider ?? 'bis'), ...others] = states.toSorted(
    (a, b) => b.observedAt.getTime() - a.observedAt.getTime(),
  )
  return withSources(newest, others)
}

interface MacroSeriesMeta extends ReturnType<typeof createPageMeta> {
  readonly start_period: SeriesQuery['startPeriod']
  readonly end_period: SeriesQuery['endPeriod']
}

const MacroSeriesMetaType = builder.objectRef<MacroSeriesMeta>('MacroSeriesMeta').implement({
  description: 'Metadata of a page of a series.',
  fields: (t) =>
    shownFields(t, {
      ...PAGE_FIELDS,
      start_period: text.orNull('Requested first period. Null if the request has none.'),
      end_period: text.orNull('Requested last period. Null if the request has none.'),
      computed_at: CHANGED_FIELD,
      ...termFields('the publisher'),
      ...QUALITY_FIELDS,
    }),
})

interface MacroSeriesAnswer {
  readonly page: SeriesPageRows
  readonly meta: MacroSeriesMeta
  readonly _meta: Freshness
}

const MacroSeriesResponse = builder.objectRef<MacroSeriesAnswer>('MacroSeriesResponse').implement({
  description: 'A page of a macro series.',
  fields: (t) =>
    shownFields(t, {
      ...dataField(t, MacroObservationType),
      series: t.field({
        type: MacroSeriesType,
        description: 'The series in the catalogue.',
        resolve: ({ page: { series } }) => series,
      }),
      meta: shownAs(MacroSeriesMetaType)('Metadata of the page.'),
      _meta: shownAs(FreshnessType)('Freshness of the data.'),
    }),
})

seriesEndpoint('macro_series', {
  summary: 'A macro series of any publisher',
  keywords: ['time series', ...KEYWORDS],
  description:
    'The observations of one series, oldest first, in pages. The price depends on `limit`, not on the rows found. `macro_catalogue` lists the series. A page beyond the last one is empty. An unknown series gets a 404 that suggests a similar one.',
  access: 'macro:read',
  rowsPerUnit: MACRO_ROWS_PER_UNIT,
  errors: ['not_found'],
  path: '/v1/macro/series/{provider}/{key}',
  tag: 'macro',
  table: { rows: 'data', total: 'meta.total' },
  hasPages: true,
  reads: MACRO_PROVIDERS,
  type: MacroSeriesResponse,
  args: (arg) => ({
    provider: arg({ ...PROVIDER_ARGUMENT, required: true, description: 'Publisher of the series.' }),
    key: arg.string({
      required: true,
      description: 'Dataset, a dot and key of the series in its dataset, as in the catalogue.',
      ...hints({ example: 'PAR.10Y', maxLength: 193 }),
    }),
    ...seriesPageArguments(arg, LONG_SERIES_LIMITS),
    ...periodArguments(arg, 'a year, a quarter, a month or a day', 10),
    ...vintagesArgument(arg),
  }),
  check: ({ provider, key, ...range }, context): MacroSeriesQuery => ({
    ...parseSeriesQuery(range, context, ANY_PERIODS, LONG_SERIES_LIMITS),
    provider,
    key,
  }),
  forInput: ({ provider }, endpoint) => ({ ...endpoint, reads: [provider] }),
  rows: ({ limit }) => limit,
  grains: ({ provider, key }) => {
    const series = parseMacroKey(key)
    return series === null ? [] : seriesGrains({ provider, ...series })
  },
  resolve: async (query, context) => {
    datasetStateOf(context, query.provider)
    const page = await getMacroSeriesPage(query, context)
    const meta = {
      ...createPageMeta(query, page, context),
      start_period: query.startPeriod,
      end_period: query.endPeriod,
    }
    return { page, meta, _meta: freshnessOfSeries(page.series, context) }
  },
})
