import type { Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { fromRows, inScope, inUtc, periodSqlText, type ReleaseScope } from './rows-store.js'
import { declareForTables } from './tables/release-statements.js'
import type { ExpectedSessions, ExpectedSteps, ReleaseTable } from './tables/release-table.js'

/** A run of missing periods of a series. */
export interface MissingRun {
  /** Null for the whole dataset. */
  readonly series: string | null
  /** YYYY-MM-DD, or ISO 8601 in UTC. */
  readonly from: string
  readonly to: string
  readonly missing: number
}

/** A run between two stored periods. `withoutValue` of the missing periods have a row without a value. */
export interface MissingSteps extends MissingRun {
  readonly withoutValue: number
}

/** A run from the first to the last missing session of a calendar. */
export interface MissingSessions extends MissingRun {
  readonly calendar: string
}

function currentRows(table: ReleaseTable): string {
  return `${fromRows(table)} where ${inScope(table)} and (known_to is null or known_to > $1)`
}

/** More runs are counted, not read, so that a manifest stays small. */
const MAX_RUNS = 1_000

/** Runs of a table, at most `MAX_RUNS`, and their whole number. */
export interface Runs<Run extends MissingRun> {
  readonly runs: readonly Run[]
  readonly total: number
}

function missingSteps(table: ReleaseTable, { series, step, isPresent }: ExpectedSteps) {
  const { period } = table
  return statement(
    'lacks window function',
    { series: 'text', from: 'text', to: 'text', missing: 'int8', withoutValue: 'int8', total: 'int8' },
    `select series, ${periodSqlText('before', period)} as "from", ${periodSqlText('at', period)} as "to", missing,
       absent - absent_before as "withoutValue", count(*) over () as total
     from (
       select *, case when extract(month from step) + extract(year from step) > 0
         then ((extract(year from at) - extract(year from before)) * 12
           + extract(month from at) - extract(month from before))
           / (extract(year from step) * 12 + extract(month from step))
         else extract(epoch from at - before) / extract(epoch from step) end::int8 - 1 as missing
       from (
         select *, lag(at) over series_in_order as before, lag(absent) over series_in_order as absent_before
         from (
           select ${series} as series, ${step} as step, (${inUtc(period)})::timestamp as at,
             ${isPresent} as is_present, count(*) filter (where not (${isPresent}))
               over (partition by ${series} order by t.${period.column}) as absent
           from ${currentRows(table)}
         ) as counted
         where is_present window series_in_order as (partition by series order by at)
       ) as followed
     ) as measured
     where missing > 0 order by series collate "C", at limit ${MAX_RUNS}`,
  )
}

function missingSessions(table: ReleaseTable, { series, calendar }: ExpectedSessions) {
  const day = `t.${table.period.column}`
  return {
    spans: statement(
      'lacks aggregate of a join',
      { calendar: 'text', from: 'date', to: 'date' },
      `select ${calendar} || '' as calendar, min(${day}) as "from", max(${day}) as "to"
       from ${currentRows(table)} and ${calendar} is not null group by 1 order by 1`,
    ),
    runs: statement(
      'lacks window function',
      { series: 'text', calendar: 'text', before: 'int4', place: 'int4', total: 'int8' },
      `select series, calendar, before, place, count(*) over () as total
       from (
         select series, calendar, place, lag(place) over (partition by series, calendar order by place) as before
         from (
           select distinct ${series ?? `''`} as series, ${calendar} || '' as calendar, ${day} as day
           from ${currentRows(table)}
         ) as stored
         join unnest($3::text[], $4::date[], $5::int[]) as given (calendar, day, place) using (calendar, day)
       ) as followed
       where place > before + 1 order by series collate "C", calendar, place limit ${MAX_RUNS}`,
    ),
  }
}

const missingStepsOf = declareForTables((table) =>
  table.expected === undefined || 'calendar' in table.expected ? null : missingSteps(table, table.expected),
)

const missingSessionsOf = declareForTables((table) =>
  table.expected !== undefined && 'calendar' in table.expected
    ? missingSessions(table, table.expected)
    : null,
)

/** Runs of missing steps of the current rows. Null for a table that expects none. */
export async function loadMissingSteps(
  sql: Sql,
  table: ReleaseTable,
  { knownAt, leftOut }: ReleaseScope,
): Promise<Runs<MissingSteps> | null> {
  const steps = missingStepsOf(table)
  if (steps === null) return null
  const rows = await sql.rows(steps, [knownAt, leftOut])
  return { runs: rows, total: rows[0]?.total ?? 0 }
}

/** First and last day of the current rows of a calendar. */
export interface CalendarSpan {
  readonly calendar: string
  readonly from: string
  readonly to: string
}

/** The sessions of a calendar, oldest first. */
export interface SessionDays {
  readonly calendar: string
  readonly days: readonly string[]
}

/**
 * Runs of sessions without a current row, among those that `sessionsOf` gives for the days of each calendar. Null for a table
 * that expects none.
 */
export async function loadMissingSessions(
  sql: Sql,
  table: ReleaseTable,
  { knownAt, leftOut }: ReleaseScope,
  sessionsOf: (span: CalendarSpan) => SessionDays,
): Promise<Runs<MissingSessions> | null> {
  const statements = missingSessionsOf(table)
  if (statements === null) return null
  const sessions = (await sql.rows(statements.spans, [knownAt, leftOut])).map(sessionsOf)
  const rows = await sql.rows(statements.runs, [
    knownAt,
    leftOut,
    sessions.flatMap(({ calendar: code, days }) => days.map(() => code)),
    sessions.flatMap(({ days }) => days),
    sessions.flatMap(({ days }) => [...days.keys()]),
  ])
  const daysOf = new Map(sessions.map(({ calendar: code, days }) => [code, days]))
  const isOneSeries = table.expected?.series === null
  const runs = rows.map(({ series, calendar: code, before, place }): MissingSessions => {
    const missing = daysOf.get(code)?.slice(before + 1, place) ?? []
    return {
      series: isOneSeries ? null : series,
      calendar: code,
      from: missing[0] ?? '',
      to: missing.at(-1) ?? '',
      missing: missing.length,
    }
  })
  return { runs, total: rows[0]?.total ?? 0 }
}
