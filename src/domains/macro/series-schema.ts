import { periodText } from '../../core/period.js'
import { builder } from '../../graphql/builder.js'
import { describedEnum } from '../../graphql/described-enum.js'
import { type ArgBuilder, edge, hints } from '../../graphql/fields.js'
import { asOfArgument, seriesPageArguments } from '../../graphql/shared-arguments.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { pageOf, revisionsOf } from './loaders.js'
import { readSeriesQuery, type SeriesArguments, type SeriesQuery } from './series-query.js'
import { MAX_REVISIONS, type ObservedValue, type Revision, type StoredSeries } from './series-store.js'

/** An observation of a series. */
export interface SeriesObservation extends ObservedValue {
  readonly series: StoredSeries
}

/** The period of an observation as text. */
export function periodOf({ series: { frequency }, periodStart: start }: SeriesObservation): string {
  return periodText({ frequency, start })
}

const MacroFrequencyType = describedEnum('MacroFrequency', 'How long the periods of a series are.', {
  annual: 'Years.',
  quarterly: 'Quarters.',
  monthly: 'Months.',
  daily: 'Days.',
})

export const MacroRevisionType = builder.objectRef<Revision>('MacroRevision').implement({
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

/** The field with all that was known of an observation. */
export const REVISIONS_FIELD = {
  subGraphs: ['Graph' as 'Graph' | 'Rest'],
  description: `All that was known of the observation, oldest first; the newest ${MAX_REVISIONS} at most. One that was never revised has one.`,
}

/** All that was known of an observation; one statement for all of an answer. */
export async function revisionsOfObservation(
  { series: { seriesId }, periodStart }: SeriesObservation,
  context: RequestContext,
): Promise<Revision[]> {
  return [...((await revisionsOf(context).load({ seriesId, periodStart })) ?? [])]
}

const MacroObservationType = builder.objectRef<SeriesObservation>('MacroObservation').implement({
  description: 'The value of one period of a series.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    period: t.string({
      description: 'The period: 2025, 2025-Q4, 2025-12 or 2025-12-31, by the frequency of the series.',
      resolve: periodOf,
    }),
    start_date: t.expose('periodStart', { type: 'Date', description: 'First day of the period.' }),
    value: t.exposeFloat('value', {
      nullable: true,
      description: 'In the unit of the series. Null where the publisher lists the period without a value.',
    }),
    revisions: t.field({
      ...REVISIONS_FIELD,
      type: [MacroRevisionType],
      resolve: (observation, _args, context) => revisionsOfObservation(observation, context),
    }),
  }),
})

/** The periods of a series, both included; `readSeriesQuery` reads them. */
export const periodArguments = (arg: ArgBuilder) => ({
  start_period: arg.string({
    description: 'First period: a year or a quarter.',
    ...hints({ defaultText: 'the first there is', example: '2015-Q1', maxLength: 7 }),
  }),
  end_period: arg.string({
    description: 'Last period: a year (all of it) or a quarter.',
    ...hints({ defaultText: 'the last there is', example: '2025-Q4', maxLength: 7 }),
  }),
  as_of: asOfArgument(arg),
})

export const MacroSeriesType = builder.objectRef<StoredSeries>('MacroSeries').implement({
  description: 'A macro series as the catalogue of its publisher describes it.',
  subGraphs: ['Graph'],
  fields: (t) => ({
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
      description: 'annual, quarterly, monthly or daily.',
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
      args: { ...seriesPageArguments(t.arg), ...periodArguments(t.arg) },
      ...edge(
        'macro:read',
        ['bis'],
        async (series: StoredSeries, query: SeriesQuery, context) => {
          const page = await pageOf({ ...series, ...query }, context)
          return (page?.observations ?? []).map((observed) => ({ ...observed, series }))
        },
        { check: (args: SeriesArguments, context) => readSeriesQuery(args, context) },
      ),
    }),
  }),
})
