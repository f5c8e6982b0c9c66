import { fullTextOf } from '../../core/providers.js'
import type { MacroSeries } from '../../generated/prisma/client.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import type { Freshness } from '../../schema-kit/envelope.js'
import { day, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { seriesOf } from './loaders.js'
import {
  CHANGED_FIELD,
  type createPageMeta,
  PAGE_FIELDS,
  QUALITY_FIELDS,
  termFields,
} from './page-meta-schema.js'
import { descriptionOf, type IdPublisher, toSeriesId } from './series/series-id.js'
import type { DayQuery } from './series/series-query.js'
import {
  dataField,
  knownFields,
  MacroFrequencyType,
  MacroSeriesType,
  noteField,
  OBSERVATION_COLUMNS,
  periodDayFields,
  seriesFields,
  unitField,
  valueField,
} from './series/series-schema.js'
import type { SeriesPageRows } from './series/series-store.js'

const SeriesFrequencyType = describedEnum(
  'SeriesFrequency',
  'Length of the periods of a series of a central bank.',
  { daily: 'Days.', monthly: 'Months.', quarterly: 'Quarters.' },
)

/** Null for any other frequency, as the API contract requires. */
function shownFrequency({
  frequency,
}: Pick<MacroSeries, 'frequency'>): 'daily' | 'monthly' | 'quarterly' | null {
  return frequency === 'daily' || frequency === 'monthly' || frequency === 'quarterly' ? frequency : null
}

const FREQUENCY = {
  type: SeriesFrequencyType,
  nullable: true,
  description: 'Length of the periods. Null for any other length, such as weeks or years.',
} as const

interface SeriesMeta extends ReturnType<typeof createPageMeta> {
  readonly seriesId: string
  readonly description: string
  readonly start_date: DayQuery['startDate']
  readonly end_date: DayQuery['endDate']
}

/** A page of a series with its metadata. */
interface SeriesAnswer {
  readonly page: SeriesPageRows
  readonly meta: SeriesMeta
  readonly _meta: Freshness
}

/** The types of a publisher's entries and pages. Their names begin with `prefix`. */
export function definePublisherTypes(publisher: IdPublisher) {
  const prefix = publisher.id.charAt(0).toUpperCase() + publisher.id.slice(1)
  const observation = observationType(`${prefix}Observation`, publisher)
  const meta = metaType(`${prefix}SeriesMeta`, publisher)
  const series = builder.objectRef<SeriesAnswer>(`${prefix}SeriesResponse`).implement({
    description: `A page of a series of ${fullTextOf(publisher)}.`,
    fields: (t) =>
      shownFields(t, {
        ...dataField(t, observation),
        meta: shownAs(meta)('Metadata of the page.'),
        ...seriesFields(t),
      }),
  })
  return { prefix, entry: entryType(`${prefix}CatalogueEntry`, publisher), series }
}

function entryType(name: string, publisher: IdPublisher) {
  const { prefix } = publisher.seriesIds
  return builder.prismaObject('MacroSeries', {
    variant: name,
    description: `A series in the catalogue of ${fullTextOf(publisher)}.`,
    fields: (t) =>
      shownFields(t, {
        series_id: t.string({
          description: `Identifier: ${prefix}_, the publisher's dataset, _ and the publisher's code of the series.`,
          resolve: (series) => toSeriesId(publisher, series),
        }),
        description: t.string({
          description: 'Title of the series at the publisher.',
          resolve: (series) => descriptionOf(publisher, series),
        }),
        unit: text.orNull('Unit of the values. Null if unknown.'),
        series: t.field({
          type: MacroSeriesType,
          subGraphs: ['Graph'],
          description: 'The series with its observations.',
          resolve: (series) => series,
        }),
        frequency: publisher.namesFewFrequencies
          ? t.field({ ...FREQUENCY, resolve: shownFrequency })
          : shownAs(MacroFrequencyType)('Length of the periods.'),
      }),
  })
}

function observationType(name: string, { namesFewFrequencies }: IdPublisher) {
  return builder.prismaObject('MacroObservation', {
    variant: name,
    select: OBSERVATION_COLUMNS,
    description: 'The value of one period of a series.',
    fields: (t) =>
      shownFields(t, {
        observation_date: day('First day of the observed period.', 'periodStart'),
        ...valueField(t),
        ...noteField(),
        ...unitField(t),
        ...(namesFewFrequencies
          ? {
              frequency: t.field({
                ...FREQUENCY,
                resolve: (observation, _args, context) => shownFrequency(seriesOf(observation, context)),
              }),
            }
          : {}),
        ...periodDayFields(t),
        ...knownFields(t),
      }),
  })
}

function metaType(name: string, publisher: IdPublisher) {
  const { titleField = 'description', changedField = 'computed_at' } = publisher
  return builder.objectRef<SeriesMeta>(name).implement({
    description: 'Metadata of a page of a series.',
    fields: (t) => ({
      ...shownFields(t, { series_id: text('The requested series.', 'seriesId') }),
      ...shownFields(t, { [titleField]: text('Title of the series at the publisher.', 'description') }),
      ...shownFields(t, {
        ...PAGE_FIELDS,
        start_date: day.orNull('Requested first day. Null if the request has none.'),
        end_date: day.orNull('Requested last day. Null if the request has none.'),
      }),
      ...shownFields(t, { [changedField]: CHANGED_FIELD }),
      ...shownFields(t, { ...termFields(publisher.id), ...QUALITY_FIELDS }),
    }),
  })
}
