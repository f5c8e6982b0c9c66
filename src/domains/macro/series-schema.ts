import type { ObjectRef } from '@pothos/core'
import { periodText } from '../../core/period.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { type Freshness, FreshnessType } from '../../schema-kit/envelope.js'
import { type ArgBuilder, edge, hints, type Types } from '../../schema-kit/fields.js'
import { asOfArgument, seriesPageArguments } from '../../schema-kit/shared-arguments.js'
import { loadSeriesPage, revisionsLoader } from './loaders.js'
import { ANY_PERIODS, parseSeriesQuery, type SeriesArguments, type SeriesQuery } from './series-query.js'
import {
  MAX_REVISIONS,
  type ObservedValue,
  type Revision,
  type SeriesPageRows,
  type StoredSeries,
} from './series-store.js'

/** An observation of a series. */
export interface SeriesObservation extends ObservedValue {
  readonly series: StoredSeries
}

/** The period of an observation as text. */
function periodOf({ series: { frequency }, periodStart: start }: SeriesObservation): string {
  return periodText({ frequency, start })
}

const MacroFrequencyType = describedEnum('MacroFrequency', 'How long the periods of a series are.', {
  annual: 'Years.',
  semiannual: 'Halves of years.',
  quarterly: 'Quarters.',
  monthly: 'Months.',
  semimonthly: 'Halves of months.',
  weekly: 'Weeks.',
  daily: 'Days.',
})

const MacroRevisionType = builder.objectRef<Revision>('MacroRevision').implement({
  description: 'What was known of an observation, and from when to when.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    value: t.exposeFloat('value', { nullable: true, description: 'The value. Null: without one.' }),
    is_withdrawn: t.exposeBoolean('isWithdrawn', {
      description: 'True while the publisher no longer listed the period.',
    }),
    known_from: t.expose('knownFrom', {
      type: 'DateTime',
      description: 'When the value became known here.',
    }),
    known_to: t.expose('knownTo', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next one took its place. Null: it is current.',
    }),
  }),
})

type ObservationFields = PothosSchemaTypes.ObjectFieldBuilder<Types, SeriesObservation>

/** The period of an observation as text, `what` it may be. */
export const periodField = (t: ObservationFields, description: string) => ({
  period: t.string({ description, resolve: periodOf }),
})

/** The unit of an observation. */
export const unitField = (t: ObservationFields) => ({
  unit: t.string({
    nullable: true,
    description: 'Unit of the value, e.g. %_GDP, USD_B (billions). Null where it is not known.',
    resolve: ({ series: { unit } }) => unit,
  }),
})

/** The value of an observation, and in GraphQL all that was known of it. */
export const valueFields = (t: ObservationFields) => ({
  value: t.exposeFloat('value', {
    nullable: true,
    description: 'The value. Null where the publisher lists the period without one.',
  }),
  revisions: t.field({
    type: [MacroRevisionType],
    subGraphs: ['Graph'],
    description: `All that was known of the observation, oldest first; the newest ${MAX_REVISIONS} at most. One that was never revised has one.`,
    resolve: (observation, _args, context) => revisionsOfObservation(observation, context),
  }),
})

/** All that was known of an observation; one statement for all of an answer. */
async function revisionsOfObservation(
  { series: { seriesId }, periodStart }: SeriesObservation,
  context: RequestContext,
): Promise<Revision[]> {
  return [...((await revisionsLoader(context).load({ seriesId, periodStart })) ?? [])]
}

const MacroObservationType = builder.objectRef<SeriesObservation>('MacroObservation').implement({
  description: 'The value of one period of a series.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    ...periodField(
      t,
      'The period: 2025, 2025-S2, 2025-Q4, 2025-12 or 2025-12-31, by the frequency of the series; weeks and halves of months by their first day.',
    ),
    start_date: t.expose('periodStart', { type: 'Date', description: 'First day of the period.' }),
    ...unitField(t),
    ...valueFields(t),
  }),
})

/** A page of a series as an answer has it. */
interface PageAnswer {
  readonly page: SeriesPageRows
  readonly _meta: Freshness
}

/** The observations of a page. */
export const dataField = <Answer extends PageAnswer>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Answer>,
  observation: ObjectRef<Types, SeriesObservation>,
) => ({
  data: t.field({
    type: [observation],
    description: 'The observations of the page, oldest first.',
    resolve: ({ page: { series, observations } }) =>
      observations.map((observed) => ({ ...observed, series })),
  }),
})

/** How fresh a page is, and in GraphQL its series. */
export const seriesFields = <Answer extends PageAnswer>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Answer>,
) => ({
  _meta: t.field({
    type: FreshnessType,
    description: 'How fresh the data are.',
    resolve: ({ _meta: fresh }) => fresh,
  }),
  series: t.field({
    type: MacroSeriesType,
    subGraphs: ['Graph'],
    description: 'The series in the catalogue.',
    resolve: ({ page: { series } }) => series,
  }),
})

/** The periods of a series, both included; `parseSeriesQuery` reads them. */
export const periodArguments = (arg: ArgBuilder, what: string, maxLength: number) => ({
  start_period: arg.string({
    description: `First period: ${what}.`,
    ...hints({ defaultText: 'the first there is', example: '2015-Q1', maxLength }),
  }),
  end_period: arg.string({
    description: `Last period, all of it: ${what}.`,
    ...hints({ defaultText: 'the last there is', example: '2025-Q4', maxLength }),
  }),
  as_of: asOfArgument(arg),
})

const MacroProviderType = describedEnum('MacroProvider', 'Who publishes a macro series.', {
  bis: 'Bank for International Settlements.',
  boj: 'Bank of Japan.',
  bok: 'Bank of Korea.',
})

export const MacroSeriesType = builder.objectRef<StoredSeries>('MacroSeries').implement({
  description: 'A macro series as the catalogue of its publisher describes it.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    provider: t.expose('provider', { type: MacroProviderType, description: 'Who publishes it.' }),
    dataset_code: t.exposeString('dataset', { description: "The publisher's dataset." }),
    series_key: t.exposeString('seriesKey', { description: 'The series within its dataset.' }),
    country_code: t.exposeString('country', {
      nullable: true,
      description: 'Country or group of countries. Null where the series has none.',
    }),
    unit: t.exposeString('unit', {
      nullable: true,
      description: 'Unit of the values. Null where the publisher does not say.',
    }),
    frequency: t.expose('frequency', {
      type: MacroFrequencyType,
      description: 'How long its periods are.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: "The publisher's title. Null where it gives none.",
    }),
    is_discontinued: t.exposeBoolean('isDiscontinued', {
      description: 'True where the newest value is two years older than the newest of the dataset.',
    }),
    observations: t.field({
      type: [MacroObservationType],
      nullable: true,
      description: 'A page of observations, oldest first. Charged per 20 parents.',
      args: {
        ...seriesPageArguments(t.arg),
        ...periodArguments(t.arg, 'a year, a quarter, a month or a day', 10),
      },
      ...edge(
        'macro:read',
        ['bis', 'boj', 'bok'],
        async (series: StoredSeries, query: SeriesQuery, context) => {
          const page = await loadSeriesPage({ ...series, ...query }, context)
          return (page?.observations ?? []).map((observed) => ({ ...observed, series }))
        },
        { check: (args: SeriesArguments, context) => parseSeriesQuery(args, context, ANY_PERIODS) },
      ),
    }),
  }),
})
