import type { FreshnessKind } from '../../../core/freshness.js'
import type { Frequency } from '../../../core/period.js'
import { builder } from '../../../graphql/builder.js'
import { describedEnum } from '../../../graphql/described-enum.js'
import { type Freshness, FreshnessType, freshness, stateOf } from '../../../graphql/envelope.js'
import { type ArgBuilder, hints, queryEndpoint, type Types } from '../../../graphql/fields.js'
import { seriesEndpoint } from '../../../graphql/series-endpoint.js'
import { asOfArgument, seriesPageArguments } from '../../../graphql/shared-arguments.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { catalogueEndpoint, catalogueOf, catalogueRoute, catalogueType } from '../catalogue-schema.js'
import { pageFields, qualityFields, termFields } from '../page-meta-schema.js'
import { type DayArguments, pageFacts, readDayQuery } from '../series-query.js'
import { MacroSeriesType, type SeriesObservation, unitField, valueFields } from '../series-schema.js'
import type { SeriesPageRows, StoredSeries } from '../series-store.js'
import { licenceOf } from '../terms.js'
import { BANK_OF_JAPAN, BANK_OF_KOREA, type CentralBank, descriptionOf, seriesIdOf } from './central-bank.js'
import { type BankSeriesQuery, bankCatalogue, getBankSeries } from './service.js'

const SeriesFrequencyType = describedEnum(
  'SeriesFrequency',
  'How long the periods of a series of a central bank are.',
  { daily: 'Days.', monthly: 'Months.', quarterly: 'Quarters.' },
)

/** Null for any other frequency, as the contract has it. */
function frequencyOf({ frequency }: StoredSeries): 'daily' | 'monthly' | 'quarterly' | null {
  return frequency === 'annual' ? null : frequency
}

const FREQUENCY = {
  type: SeriesFrequencyType,
  nullable: true,
  description: 'How long its periods are. Null for any other length, such as years.',
} as const

/** An observation of a series is due once per period. */
const KIND_OF: Readonly<Record<Frequency, FreshnessKind>> = {
  daily: 'daily',
  monthly: 'monthly',
  // Figures of quarters and years come as late as those of the BIS.
  quarterly: 'bis',
  annual: 'bis',
}

interface BankSeriesAnswer {
  readonly page: SeriesPageRows
  readonly meta: ReturnType<typeof metaOf>
  readonly _meta: Freshness
}

function metaOf(bank: CentralBank, page: SeriesPageRows, query: BankSeriesQuery, context: RequestContext) {
  const state = stateOf(context, bank.provider)
  return {
    ...pageFacts(query, page),
    seriesId: query.seriesId,
    description: descriptionOf(bank, page.series),
    startDate: query.startDate,
    endDate: query.endDate,
    changedAt: state.changedAt,
    source: state.source,
    license: licenceOf(state),
    is_dev_dataset: state.isDevDataset,
  }
}

type BankMeta = BankSeriesAnswer['meta']

function entryType(name: string, bank: CentralBank) {
  return builder.objectRef<StoredSeries>(name).implement({
    description: `A series in the catalogue of the ${bank.name}.`,
    fields: (t) => ({
      series_id: t.string({
        description: `Identifier here: ${bank.prefix}_, the bank's dataset, _ and its code.`,
        resolve: (series) => seriesIdOf(bank, series),
      }),
      description: t.string({
        description: "The bank's title.",
        resolve: (series) => descriptionOf(bank, series),
      }),
      frequency: t.field({ ...FREQUENCY, resolve: frequencyOf }),
      unit: t.exposeString('unit', {
        nullable: true,
        description: 'Unit of the values. Null where it is not known.',
      }),
      series: t.field({
        type: MacroSeriesType,
        subGraphs: ['Graph'],
        description: 'The same with its observations.',
        resolve: (series) => series,
      }),
    }),
  })
}

const observedFields = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, SeriesObservation>) => ({
  observation_date: t.expose('periodStart', {
    type: 'Date',
    description: 'First day of the period that is observed.',
  }),
  ...valueFields(t),
  ...unitField(t),
})

const BojObservationType = builder.objectRef<SeriesObservation>('BojObservation').implement({
  description: 'The value of one period of a series.',
  fields: (t) => ({
    ...observedFields(t),
    frequency: t.field({ ...FREQUENCY, resolve: ({ series }) => frequencyOf(series) }),
  }),
})

const BokObservationType = builder.objectRef<SeriesObservation>('BokObservation').implement({
  description: 'The value of one period of a series.',
  fields: observedFields,
})

const idField = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, BankMeta>) => ({
  series_id: t.exposeString('seriesId', { description: 'The series asked for.' }),
})

const dayFields = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, BankMeta>) => ({
  start_date: t.expose('startDate', {
    type: 'Date',
    nullable: true,
    description: 'First day, as asked for. Null: from the first there is.',
  }),
  end_date: t.expose('endDate', {
    type: 'Date',
    nullable: true,
    description: 'Last day, as asked for. Null: to the last there is.',
  }),
})

const TITLE = { description: "The bank's title of the series." } as const
const CHANGED = { type: 'DateTime', description: 'When the data last changed here.' } as const

const BojSeriesMetaType = builder.objectRef<BankMeta>('BojSeriesMeta').implement({
  description: 'What is known about a page of a series.',
  fields: (t) => ({
    ...idField(t),
    series_description: t.exposeString('description', TITLE),
    ...pageFields(t),
    ...dayFields(t),
    computed_at: t.expose('changedAt', CHANGED),
    ...termFields(t, 'boj'),
    ...qualityFields(t),
  }),
})

const BokSeriesMetaType = builder.objectRef<BankMeta>('BokSeriesMeta').implement({
  description: 'What is known about a page of a series.',
  fields: (t) => ({
    ...idField(t),
    description: t.exposeString('description', TITLE),
    ...pageFields(t),
    ...dayFields(t),
    fetched_at: t.expose('changedAt', CHANGED),
    ...termFields(t, 'bok'),
    ...qualityFields(t),
  }),
})

function answerType(
  name: string,
  bank: CentralBank,
  { observation, meta }: { observation: typeof BojObservationType; meta: typeof BojSeriesMetaType },
) {
  return builder.objectRef<BankSeriesAnswer>(name).implement({
    description: `A page of a series of the ${bank.name}.`,
    fields: (t) => ({
      data: t.field({
        type: [observation],
        description: 'The observations of the page, oldest first.',
        resolve: ({ page: { series, observations } }) =>
          observations.map((observed) => ({ ...observed, series })),
      }),
      meta: t.expose('meta', { type: meta, description: 'What is known about the page.' }),
      _meta: t.expose('_meta', { type: FreshnessType, description: 'How fresh the data are.' }),
      series: t.field({
        type: MacroSeriesType,
        subGraphs: ['Graph'],
        description: 'The series in the catalogue.',
        resolve: ({ page: { series } }) => series,
      }),
    }),
  })
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

interface BankTypes {
  readonly entry: string
  readonly catalogue: string
  readonly series: ReturnType<typeof answerType>
  /** A series that is always there, for documentation. */
  readonly example: string
}

function offer(bank: CentralBank, { entry, catalogue, series, example }: BankTypes): void {
  const { provider, name, path } = bank
  const what = `series of the ${name}`
  const types = catalogueType(catalogue, { type: entryType(entry, bank), provider, what })
  queryEndpoint(`${provider}_catalogue`, {
    ...catalogueEndpoint(provider),
    summary: `Series of the ${name}`,
    description: `All series of the ${name} that are here, with unit and frequency. Complete, without pages.`,
    rest: catalogueRoute(path),
    type: types,
    resolve: async (_input, context) => catalogueOf(await bankCatalogue(bank, context), provider, context),
  })
  seriesEndpoint(`${provider}_series`, {
    summary: `A series of the ${name}`,
    description: `The observations of one series of the ${name}, oldest first, page by page. GET ${path} lists the series. A page beyond the last one is empty. Unknown series: 404 with the nearest one.`,
    access: 'macro:read',
    errors: ['not_found'],
    path: `${path.slice(0, path.lastIndexOf('/'))}/{series_id}`,
    tag: 'macro',
    table: { rows: 'data', total: 'meta.total' },
    hasPages: true,
    reads: [provider],
    type: series,
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
      ...readDayQuery(range, context),
      seriesId,
    }),
    resolve: async (query: BankSeriesQuery, context) => {
      const state = stateOf(context, provider)
      const page = await getBankSeries(bank, query, context)
      const kind = KIND_OF[page.series.frequency]
      return { page, meta: metaOf(bank, page, query, context), _meta: freshness(context, state, kind) }
    },
  })
}

offer(BANK_OF_JAPAN, {
  entry: 'BojCatalogueEntry',
  catalogue: 'BojCatalogueResponse',
  series: answerType('BojSeriesResponse', BANK_OF_JAPAN, {
    observation: BojObservationType,
    meta: BojSeriesMetaType,
  }),
  example: 'BOJ_FM08_FXERD04',
})

offer(BANK_OF_KOREA, {
  entry: 'BokCatalogueEntry',
  catalogue: 'BokCatalogueResponse',
  series: answerType('BokSeriesResponse', BANK_OF_KOREA, {
    observation: BokObservationType,
    meta: BokSeriesMetaType,
  }),
  example: 'BOK_731Y001_0000001_D',
})
