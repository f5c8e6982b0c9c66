import { endOfPeriod, periodText, type SeriesPeriod, storedFrequency } from '../../../core/period.js'
import { MACRO_PUBLISHERS, type MacroProvider } from '../../../core/providers.js'
import type { MacroSeries } from '../../../generated/prisma/client.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { builder } from '../../../schema-kit/builder.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import { type Freshness, FreshnessType, type ItemRef } from '../../../schema-kit/envelope.js'
import { edge, type ModelFieldBuilder, type Types } from '../../../schema-kit/fields.js'
import { type ModelRow, storedDay } from '../../../schema-kit/model-rows.js'
import { defineNode } from '../../../schema-kit/nodes.js'
import { seriesPageArguments } from '../../../schema-kit/shared-arguments.js'
import { day, flag, instant, number, shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { loadSeriesPage, revisionsLoader, seriesOf } from '../loaders.js'
import { MACRO_PROVIDERS } from '../model.js'
import { areaName } from '../names/area-names-model.js'
import { seriesName } from '../names/series-names-model.js'
import { toMacroKey } from './macro-key.js'
import { seriesGrains } from './series-grains-model.js'
import { periodArguments } from './series-options-schema.js'
import { ANY_PERIODS, parseSeriesQuery, type SeriesArguments, type SeriesQuery } from './series-query.js'
import { MAX_REVISIONS, type SeriesPageRows } from './series-store.js'

/** The columns of every observation in a response. */
export const OBSERVATION_COLUMNS = {
  seriesId: true,
  periodStart: true,
  value: true,
  note: true,
  knownFrom: true,
  knownTo: true,
} as const

type Observation = Pick<ModelRow<'MacroObservation'>, keyof typeof OBSERVATION_COLUMNS>

/** The period of an observation. */
function periodOf({ seriesId, periodStart }: Observation, context: RequestContext): SeriesPeriod {
  const { frequency } = seriesOf({ seriesId }, context)
  return { frequency: storedFrequency(frequency), start: storedDay(periodStart) }
}

export const MacroFrequencyType = describedEnum('MacroFrequency', 'Length of the periods of a series.', {
  annual: 'Years.',
  semi_annual: 'Half years.',
  quarterly: 'Quarters.',
  monthly: 'Months.',
  semi_monthly: 'Half months.',
  weekly: 'Weeks.',
  daily: 'Days.',
})

const MacroRevisionType = builder.prismaObject('MacroObservation', {
  variant: 'MacroRevision',
  description: 'A version of an observation, with the time during which it was current.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      value: number.orNull('The value. Null without a value.'),
      ...noteField(),
      is_withdrawn: flag('True if the publisher no longer listed the period.', 'isWithdrawn'),
      known_from: instant('Time from which this service knew this version.', 'knownFrom'),
      known_to: instant.orNull(
        'Time at which the next version replaced it. Null for the current version.',
        'knownTo',
      ),
    }),
})

type ObservationFields = ModelFieldBuilder<'MacroObservation', keyof typeof OBSERVATION_COLUMNS>

/** The period of an observation as text. */
export const periodField = (t: ObservationFields, description: string) => ({
  period: t.string({
    description,
    resolve: (observation, _args, context) => periodText(periodOf(observation, context)),
  }),
})

export const unitField = (t: ObservationFields) => ({
  unit: t.string({
    nullable: true,
    description: 'Unit of the value, e.g. %_GDP, USD_B (billions). Null if unknown.',
    resolve: (observation, _args, context) => seriesOf(observation, context).unit,
  }),
})

export const periodDayFields = (t: ObservationFields) =>
  shownFields(t, {
    period_start: day('First day of the period.', 'periodStart'),
    period_end: t.field({
      type: 'Date',
      description: 'Last day of the period.',
      resolve: (observation, _args, context) => endOfPeriod(periodOf(observation, context)),
    }),
  })

export const valueField = (t: ObservationFields) =>
  shownFields(t, {
    value: number.orNull('The value. Null if the publisher lists the period without a value.'),
  })

/** What the publisher says about a value. */
export const noteField = () => ({
  note: text.orNull(
    'What the publisher says about the value or its absence, with its code, e.g. P: preliminary. Null if nothing.',
  ),
})

/** The time during which the value of an observation was known, and in GraphQL its revisions. */
export const knownFields = (t: ObservationFields) =>
  shownFields(t, {
    known_from: instant('Time from which this service knew this value.', 'knownFrom'),
    known_to: instant.orNull('Time from which it knew another value, or none. Null until then.', 'knownTo'),
    revisions: t.field({
      type: [MacroRevisionType],
      subGraphs: ['Graph'],
      description: `All versions of the observation, oldest first. Returns the newest ${MAX_REVISIONS}. An observation that was never revised has one version.`,
      resolve: (observation, _args, context) => listRevisions(observation, context),
    }),
  })

/** All versions of an observation. All observations of a response share one statement. */
async function listRevisions({ seriesId, periodStart }: Observation, context: RequestContext) {
  return [...((await revisionsLoader(context).load({ seriesId, periodStart: storedDay(periodStart) })) ?? [])]
}

export const MacroObservationType = builder.prismaObject('MacroObservation', {
  select: OBSERVATION_COLUMNS,
  description: 'The value of one period of a series.',
  fields: (t) =>
    shownFields(t, {
      ...periodField(
        t,
        'The period: 2025, 2025-S2, 2025-Q4, 2025-12 or 2025-12-31, depending on the frequency of the series. Weeks and half months are named by their first day.',
      ),
      ...periodDayFields(t),
      ...valueField(t),
      ...noteField(),
      ...unitField(t),
      ...knownFields(t),
    }),
})

/** A page of a series in a response. */
interface PageAnswer {
  readonly page: SeriesPageRows
  readonly _meta: Freshness
}

/** The observations of a page. */
export const dataField = <Answer extends PageAnswer>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Answer>,
  observation: ItemRef<Observation>,
) => ({
  data: t.field({
    type: [observation],
    description: 'The observations of the page, oldest first.',
    resolve: ({ page: { observations } }) => observations,
  }),
})

/** Freshness of a page, and in GraphQL its series. */
export const seriesFields = <Answer extends PageAnswer>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Answer>,
) => ({
  _meta: t.field({
    type: FreshnessType,
    description: 'Freshness of the data.',
    resolve: ({ _meta: fresh }) => fresh,
  }),
  series: t.field({
    type: MacroSeriesType,
    subGraphs: ['Graph'],
    description: 'The series in the catalogue.',
    resolve: ({ page: { series } }) => series,
  }),
})

export const MacroProviderType = describedEnum(
  'MacroProvider',
  'Publisher of a macro series.',
  // Safe: each publisher has an entry.
  Object.fromEntries(MACRO_PUBLISHERS.map(({ id, name }) => [id, `${name}.`])) as Record<
    MacroProvider,
    string
  >,
)

export const MacroSeriesType = builder.prismaObject('MacroSeries', {
  description: 'A macro series as the catalogue of its publisher describes it.',
  fields: (t) =>
    shownFields(t, {
      provider: shownAs(MacroProviderType)('Publisher of the series.'),
      key: t.string({
        description: 'Dataset, a dot and key: the argument `key` of macro_series.',
        resolve: toMacroKey,
      }),
      dataset_code: text('Code of the dataset at the publisher.', 'dataset'),
      series_key: text('Key of the series in its dataset.', 'seriesKey'),
      country_code: text.orNull(
        'Code of the country or group of countries. Null if the series has none.',
        'country',
      ),
      country_name: t.string({
        nullable: true,
        description: 'English name of the country or group of countries. Null if the series has none.',
        resolve: ({ country }) => (country === null ? null : areaName(country)),
      }),
      name: t.string({
        description:
          'What people call the series, e.g. US consumer prices (CPI). The title at the publisher, else the key, for a series without a usual name.',
        resolve: seriesName,
      }),
      unit: text.orNull('Unit of the values. Null if the publisher does not state it.'),
      frequency: shownAs(MacroFrequencyType)('Length of the periods.'),
      description: text.orNull('Title at the publisher. Null if it gives none.'),
      is_discontinued: flag(
        'True if the newest value is over two years older than the newest value in the dataset.',
        'isDiscontinued',
      ),
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
          MACRO_PROVIDERS,
          async (series: MacroSeries, query: SeriesQuery, context) =>
            (await loadSeriesPage({ ...series, ...query }, context))?.observations ?? [],
          { check: (args: SeriesArguments, context) => parseSeriesQuery(args, context, ANY_PERIODS) },
        ),
      }),
    }),
})

/** Provider, dataset and key of a series in its id. */
const SERIES_KEY = /^([a-z]{1,16})\/([^/]{1,64})\/(.{1,128})$/

function parseSeriesKey(text: string) {
  const [, publisher, dataset = '', seriesKey = ''] = SERIES_KEY.exec(text) ?? []
  const provider = MACRO_PROVIDERS.find((known) => known === publisher)
  return provider === undefined ? null : { provider, dataset, seriesKey }
}

/** The key in an id that `isKey` has accepted. */
function toSeriesKey(text: string) {
  const key = parseSeriesKey(text)
  if (key === null) throw new Error(`${text} is no series`)
  return key
}

defineNode(MacroSeriesType, {
  servedBy: 'macro_series',
  keyOf: ({ provider, dataset, seriesKey }) => `${provider}/${dataset}/${seriesKey}`,
  isKey: (text) => parseSeriesKey(text) !== null,
  grains: (key) => seriesGrains(toSeriesKey(key)),
  load: (keys, context) => {
    const anyRow = parseSeriesQuery({ page: 1, limit: 1 }, context, ANY_PERIODS)
    return Promise.all(
      keys.map(async (key) => {
        const page = await loadSeriesPage({ ...toSeriesKey(key), ...anyRow }, context)
        return page?.series ?? null
      }),
    )
  },
})
