import { type AsOf, observedInstant } from '../../../core/as-of.js'
import { groupBy } from '../../../core/group-by.js'
import { type IsoDate, toIsoDate } from '../../../core/time.js'
import { MACRO_SERIES } from '../../../generated/columns.js'
import type { MacroObservation, MacroSeries } from '../../../generated/prisma/client.js'
import { asOfStatement, type KnownAt } from '../../../platform/bi-temporal/as-of-statement.js'
import type { Sql } from '../../../platform/database/database.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import { arraysOf, column, selectList, statement } from '../../../platform/database/statement.js'

/** A page of a series. `first` and `last` are first days of periods, both included. */
export interface SeriesPageKey {
  readonly provider: string
  readonly dataset: string
  readonly seriesKey: string
  readonly first: IsoDate
  readonly last: IsoDate
  readonly limit: number
  readonly offset: number
}

export interface ObservationKey {
  readonly seriesId: number
  readonly periodStart: IsoDate
}

/** A version of an observation: a row of its model without the versions that the publisher withdrew. */
export interface ObservedValue extends ObservationKey {
  /** The double nearest to the stored decimal. */
  readonly value: number | null
  /** What the publisher says about the value; null if nothing. */
  readonly note: string | null
  /** When the gateway learned the value. */
  readonly knownFrom: Date
  /** When the gateway learned that it no longer holds; null while it does, at the requested instant. */
  readonly knownTo: Date | null
}

/** What was known at an instant, null for now: one version of each observation, or all versions until then. */
export interface Knowledge {
  readonly asOf: AsOf | null
  readonly hasVintages: boolean
}

/** A page of a series, oldest first. */
export interface SeriesPageRows {
  readonly series: MacroSeries
  /** Observations on all pages. */
  readonly total: number
  readonly observations: readonly ObservedValue[]
}

// One statement reads pages of any number of series with their totals, through the index of the current rows.
const PAGE_COLUMNS = {
  number: 'int8',
  ...MACRO_SERIES,
  total: 'int4',
  starts: '_date',
  values: column<readonly (number | null)[]>('_float8'),
  notes: column<readonly (string | null)[]>('_text'),
  knownFrom: '_float8',
  knownTo: column<readonly (number | null)[]>('_float8'),
} as const

const pagesText = (known: KnownAt, knownTo: string, order: string) => `
  select requested.number, ${selectList(MACRO_SERIES, 's')}, counted.total,
    coalesce(page.starts, '{}') as starts, coalesce(page.values, '{}') as values,
    coalesce(page.notes, '{}') as notes,
    coalesce(page.known_from, '{}') as "knownFrom", coalesce(page.known_to, '{}') as "knownTo"
  from unnest($1::text[], $2::text[], $3::text[], $4::date[], $5::date[], $6::int[], $7::int[])
    with ordinality as requested(provider, dataset, series_key, first, last, page_limit, page_offset, number)
  join macro_series as s
    on s.provider = requested.provider and s.dataset = requested.dataset and s.series_key = requested.series_key
  cross join lateral (
    select count(*)::int as total from macro_observation as o
    where o.series_id = s.series_id and o.period_start between requested.first and requested.last
      and ${known('o')} and not o.is_withdrawn
  ) as counted
  cross join lateral (
    select array_agg(o.period_start order by ${order}) as starts, array_agg(o.value::float8 order by ${order}) as values,
      array_agg(o.note order by ${order}) as notes,
      array_agg((extract(epoch from o.known_from) * 1000)::float8 order by ${order}) as known_from,
      array_agg((extract(epoch from o.known_to) * 1000)::float8 order by ${order}) as known_to
    from (
      select o.period_start, o.value, o.note, o.known_from, ${knownTo} as known_to from macro_observation as o
      where o.series_id = s.series_id and o.period_start between requested.first and requested.last
        and ${known('o')} and not o.is_withdrawn
      order by ${order} limit requested.page_limit offset requested.page_offset
    ) as o
  ) as page`

const selectPages = asOfStatement('hot 6.6', PAGE_COLUMNS, 7, null, (known) =>
  pagesText(known, 'null::timestamptz', 'o.period_start'),
)

const VINTAGES = statement(
  'hot 6.6',
  PAGE_COLUMNS,
  pagesText(
    (row) => `${row}.known_from <= $8::timestamptz`,
    'case when o.known_to <= $8::timestamptz then o.known_to end',
    'o.period_start, o.known_from',
  ),
)

/** The requested pages in the order of the list, in one statement. Null for a series that is not stored. */
export async function loadSeriesPages(
  sql: Sql,
  keys: readonly SeriesPageKey[],
  { asOf, hasVintages }: Knowledge,
): Promise<readonly (SeriesPageRows | null)[]> {
  const parameters = arraysOf(keys, 'provider', 'dataset', 'seriesKey', 'first', 'last', 'limit', 'offset')
  const pages: (SeriesPageRows | null)[] = keys.map(() => null)
  const rows = hasVintages
    ? await sql.rows(VINTAGES, [...parameters, observedInstant(asOf) ?? 'infinity'])
    : await selectPages(sql, parameters, asOf)
  for (const { number, total, starts, values, notes, knownFrom, knownTo, ...series } of rows) {
    const observations = starts.map((periodStart, at) => ({
      seriesId: series.seriesId,
      periodStart,
      value: values[at] ?? null,
      note: notes[at] ?? null,
      knownFrom: new Date(knownFrom[at] ?? 0),
      knownTo: toInstant(knownTo[at]),
    }))
    pages[number - 1] = { series, total, observations }
  }
  return pages
}

function toInstant(ms: number | null | undefined): Date | null {
  return ms == null ? null : new Date(ms)
}

/** Figures are hardly ever revised more often. Only the newest revisions are returned. */
export const MAX_REVISIONS = 100

/** Those of the series of which an observation was known at an instant, by key. */
export async function loadObservedSeries(
  prisma: PrismaModels,
  seriesIds: readonly number[],
  asOf: Date,
): Promise<ReadonlySet<number>> {
  const rows = await prisma.macroObservation.groupBy({
    by: ['seriesId'],
    where: { seriesId: { in: [...seriesIds] }, knownFrom: { lte: asOf } },
  })
  return new Set(rows.map(({ seriesId }) => seriesId))
}

/**
 * The revisions of each observation, oldest first, in the order of the list, in one statement. `asOf` selects those that were known
 * at that instant, null all.
 */
export async function loadRevisions(
  prisma: PrismaModels,
  keys: readonly ObservationKey[],
  asOf: Date | null,
): Promise<readonly (readonly MacroObservation[])[]> {
  const rows = await prisma.macroObservation.findMany({
    where: {
      seriesId: { in: [...new Set(keys.map(({ seriesId }) => seriesId))] },
      periodStart: {
        in: [...new Set(keys.map(({ periodStart }) => periodStart))].map((day) => new Date(day)),
      },
      ...(asOf === null ? {} : { knownFrom: { lte: asOf } }),
    },
    orderBy: { knownFrom: 'asc' },
  })
  const known = rows.map((row) =>
    asOf !== null && row.knownTo !== null && row.knownTo > asOf ? { ...row, knownTo: null } : row,
  )
  const byKey = groupBy(known, ({ seriesId, periodStart }) => `${seriesId} ${toIsoDate(periodStart)}`)
  return keys.map(({ seriesId, periodStart }) =>
    (byKey.get(`${seriesId} ${periodStart}`) ?? []).slice(-MAX_REVISIONS),
  )
}
