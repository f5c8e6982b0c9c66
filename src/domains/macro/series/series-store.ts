import type { Frequency } from '../../../core/period.js'
import type { MacroProvider } from '../../../core/providers.js'
import type { IsoDate } from '../../../core/time.js'
import { MACRO_OBSERVATION, MACRO_SERIES } from '../../../generated/columns.js'
import { asOfStatement, type KnownAt } from '../../../platform/bi-temporal/as-of-statement.js'
import type { Sql } from '../../../platform/database/database.js'
import {
  arraysOf,
  asNumbers,
  column,
  only,
  type RowOf,
  selectList,
  statement,
  without,
} from '../../../platform/database/statement.js'

/** A page of a series. `first` and `last` are first days of periods, both included. */
export interface SeriesPageKey {
  readonly provider: MacroProvider
  readonly dataset: string
  readonly seriesKey: string
  readonly first: IsoDate
  readonly last: IsoDate
  readonly limit: number
  readonly offset: number
}

/** A version of an observation. Its value is the double nearest to the stored decimal. */
export interface ObservedValue {
  readonly periodStart: IsoDate
  readonly value: number | null
  /** When the gateway learned the value. */
  readonly knownFrom: Date
  /** When the gateway learned that it no longer holds; null while it does, at the requested instant. */
  readonly knownTo: Date | null
}

/** What was known at an instant, null for now: one version of each observation, or all versions until then. */
export interface Knowledge {
  readonly asOf: Date | null
  readonly hasVintages: boolean
}

/** A page of a series, oldest first. */
export interface SeriesPageRows {
  readonly series: StoredSeries
  /** Observations on all pages. */
  readonly total: number
  readonly observations: readonly ObservedValue[]
}

/** Columns of a stored series. */
export const SERIES_COLUMNS = {
  ...without(MACRO_SERIES, 'isHeadline', 'source'),
  provider: column<MacroProvider>('text'),
  frequency: column<Frequency>('text'),
} as const

export type StoredSeries = RowOf<typeof SERIES_COLUMNS>

// Plain SQL: one statement reads pages of any number of series with their totals, through the index of the current rows.
// Prisma's client takes two or three statements and 6 to 7 times the CPU for one page (bench sql), and cannot read a page for
// each of several series.
const PAGE_COLUMNS = {
  number: 'int8',
  ...SERIES_COLUMNS,
  total: 'int4',
  starts: '_date',
  values: column<readonly (number | null)[]>('_float8'),
  knownFrom: '_float8',
  knownTo: column<readonly (number | null)[]>('_float8'),
} as const

const pagesText = (known: KnownAt, knownTo: string, order: string) => `
  select requested.number, ${selectList(SERIES_COLUMNS, 's')}, counted.total,
    coalesce(page.starts, '{}') as starts, coalesce(page.values, '{}') as values,
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
      array_agg((extract(epoch from o.known_from) * 1000)::float8 order by ${order}) as known_from,
      array_agg((extract(epoch from o.known_to) * 1000)::float8 order by ${order}) as known_to
    from (
      select o.period_start, o.value, o.known_from, ${knownTo} as known_to from macro_observation as o
      where o.series_id = s.series_id and o.period_start between requested.first and requested.last
        and ${known('o')} and not o.is_withdrawn
      order by ${order} limit requested.page_limit offset requested.page_offset
    ) as o
  ) as page`

const selectPages = asOfStatement(PAGE_COLUMNS, 7, (known) =>
  pagesText(known, 'null::timestamptz', 'o.period_start'),
)

const VINTAGES = statement(
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
    ? await sql.rows(VINTAGES, [...parameters, asOf ?? 'infinity'])
    : await selectPages(sql, parameters, asOf)
  for (const { number, total, starts, values, knownFrom, knownTo, ...series } of rows) {
    const observations = starts.map((periodStart, at) => ({
      periodStart,
      value: values[at] ?? null,
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

/** An observation of a series. */
export interface ObservationKey {
  readonly seriesId: number
  readonly periodStart: IsoDate
}

const REVISION = asNumbers(only(MACRO_OBSERVATION, 'value', 'isWithdrawn', 'knownFrom', 'knownTo'))

/** A version of an observation, with the time during which it was current. */
export type Revision = RowOf<typeof REVISION>

const REVISIONS = statement(
  { number: 'int8', ...REVISION },
  `select requested.number, ${selectList(REVISION, 'o')}
   from unnest($1::int[], $2::date[]) with ordinality as requested(series_id, period_start, number)
   cross join lateral (
     select * from macro_observation as o
     where o.series_id = requested.series_id and o.period_start = requested.period_start
     order by o.known_from desc limit $3
   ) as o
   order by requested.number, o.known_from`,
)

/** Figures are hardly ever revised more often. Only the newest revisions are returned. */
export const MAX_REVISIONS = 100

/** The revisions of each observation, oldest first, in the order of the list, in one statement. */
export async function loadRevisions(
  sql: Sql,
  keys: readonly ObservationKey[],
): Promise<readonly (readonly Revision[])[]> {
  const parameters = [...arraysOf(keys, 'seriesId', 'periodStart'), MAX_REVISIONS]
  const revisions: Revision[][] = keys.map(() => [])
  for (const { number, ...revision } of await sql.rows(REVISIONS, parameters)) {
    revisions[number - 1]?.push(revision)
  }
  return revisions
}
