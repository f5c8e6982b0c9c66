import type { RequestContext } from '../../../platform/request/request-context.js'
import { builder } from '../../../schema-kit/builder.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import type { Freshness } from '../../../schema-kit/envelope.js'
import type { Types } from '../../../schema-kit/fields.js'
import { buildFields, day, instant, shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { pageFields, qualityFields, seriesStateOf, termFields } from '../page-meta-schema.js'
import { summarizePage } from '../series-query.js'
import {
  dataField,
  knownFields,
  MacroFrequencyType,
  MacroSeriesType,
  periodDayFields,
  type SeriesObservation,
  seriesFields,
  unitField,
  valueField,
} from '../series-schema.js'
import type { SeriesPageRows, StoredSeries } from '../series-store.js'
import { licenceOf } from '../terms.js'
import { BANK_OF_JAPAN, BANK_OF_KOREA, type CentralBank, descriptionOf, toSeriesId } from './central-bank.js'
import type { BankSeriesQuery } from './service.js'

const SeriesFrequencyType = describedEnum(
  'SeriesFrequency',
  'Length of the periods of a series of a central bank.',
  { daily: 'Days.', monthly: 'Months.', quarterly: 'Quarters.' },
)

/** Null for any other frequency, as the API contract requires. */
function frequencyOf({ frequency }: StoredSeries): 'daily' | 'monthly' | 'quarterly' | null {
  return frequency === 'daily' || frequency === 'monthly' || frequency === 'quarterly' ? frequency : null
}

const FREQUENCY = {
  type: SeriesFrequencyType,
  nullable: true,
  description: 'Length of the periods. Null for any other length, such as weeks or years.',
} as const

/** A page of a series with its metadata. */
export interface BankSeriesAnswer {
  readonly page: SeriesPageRows
  readonly meta: ReturnType<typeof createSeriesMeta>
  readonly _meta: Freshness
}

export function createSeriesMeta(
  bank: CentralBank,
  page: SeriesPageRows,
  query: BankSeriesQuery,
  context: RequestContext,
) {
  const state = seriesStateOf(page.series, context)
  return {
    ...summarizePage(query, page),
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

/** An entry of the catalogue of a bank. */
function entryType(name: string, bank: CentralBank) {
  return builder.objectRef<StoredSeries>(name).implement({
    description: `A series in the catalogue of the ${bank.name}.`,
    fields: shownFields((t) => ({
      series_id: t.string({
        description: `Identifier: ${bank.prefix}_, the bank's dataset, _ and the bank's code of the series.`,
        resolve: (series) => toSeriesId(bank, series),
      }),
      description: t.string({
        description: 'Title of the series at the bank.',
        resolve: (series) => descriptionOf(bank, series),
      }),
      unit: text.orNull('Unit of the values. Null if unknown.'),
      series: t.field({
        type: MacroSeriesType,
        subGraphs: ['Graph'],
        description: 'The series with its observations.',
        resolve: (series) => series,
      }),
    })),
  })
}

export const BojEntryType = entryType('BojCatalogueEntry', BANK_OF_JAPAN)
export const BokEntryType = entryType('BokCatalogueEntry', BANK_OF_KOREA)

builder.objectField(BojEntryType, 'frequency', (t) => t.field({ ...FREQUENCY, resolve: frequencyOf }))
builder.objectField(BokEntryType, 'frequency', (t) =>
  t.field({
    type: MacroFrequencyType,
    description: 'Length of the periods.',
    resolve: ({ frequency }) => frequency,
  }),
)

const observedFields = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, SeriesObservation>) =>
  buildFields(t, {
    observation_date: day('First day of the observed period.', 'periodStart'),
    ...valueField(t),
    ...unitField(t),
  })

const BojObservationType = builder.objectRef<SeriesObservation>('BojObservation').implement({
  description: 'The value of one period of a series.',
  fields: (t) => ({
    ...observedFields(t),
    frequency: t.field({ ...FREQUENCY, resolve: ({ series }) => frequencyOf(series) }),
    ...periodDayFields(t),
    ...knownFields(t),
  }),
})

const BokObservationType = builder.objectRef<SeriesObservation>('BokObservation').implement({
  description: 'The value of one period of a series.',
  fields: (t) => ({ ...observedFields(t), ...periodDayFields(t), ...knownFields(t) }),
})

const ID_FIELD = { series_id: text('The requested series.', 'seriesId') }

const DAY_FIELDS = {
  start_date: day.orNull('Requested first day. Null if the request has none.', 'startDate'),
  end_date: day.orNull('Requested last day. Null if the request has none.', 'endDate'),
}

const TITLE = text('Title of the series at the bank.', 'description')
const CHANGED = instant('When the data of this service last changed.', 'changedAt')

const BojSeriesMetaType = builder.objectRef<BankMeta>('BojSeriesMeta').implement({
  description: 'Metadata of a page of a series.',
  fields: shownFields((t) => ({
    ...ID_FIELD,
    series_description: TITLE,
    ...pageFields(t),
    ...DAY_FIELDS,
    computed_at: CHANGED,
    ...termFields(t, 'boj'),
    ...qualityFields(t),
  })),
})

const BokSeriesMetaType = builder.objectRef<BankMeta>('BokSeriesMeta').implement({
  description: 'Metadata of a page of a series.',
  fields: shownFields((t) => ({
    ...ID_FIELD,
    description: TITLE,
    ...pageFields(t),
    ...DAY_FIELDS,
    fetched_at: CHANGED,
    ...termFields(t, 'bok'),
    ...qualityFields(t),
  })),
})

function answerType(
  name: string,
  bank: CentralBank,
  { observation, meta }: { observation: typeof BojObservationType; meta: typeof BojSeriesMetaType },
) {
  return builder.objectRef<BankSeriesAnswer>(name).implement({
    description: `A page of a series of the ${bank.name}.`,
    fields: shownFields((t) => ({
      ...dataField(t, observation),
      meta: shownAs(meta)('Metadata of the page.'),
      ...seriesFields(t),
    })),
  })
}

export const BojSeriesType = answerType('BojSeriesResponse', BANK_OF_JAPAN, {
  observation: BojObservationType,
  meta: BojSeriesMetaType,
})

export const BokSeriesType = answerType('BokSeriesResponse', BANK_OF_KOREA, {
  observation: BokObservationType,
  meta: BokSeriesMetaType,
})
