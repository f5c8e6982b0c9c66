import type { Sql } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import { type ReleaseTable, releaseColumns } from './release-table.js'

// Plain SQL: tables and columns are data here, and a release reads every row of a table.

/** Rows of a release: known at the instant, and not of a provider that is left out. */
export interface ReleaseScope {
  readonly knownAt: Date
  readonly leftOut: readonly string[]
}

const IN_SCOPE = 'known_from <= $1 and not source = any($2::text[])'

/** The rows of one file. */
export interface Partition {
  /** 2026, or 2026-11. */
  readonly name: string
  readonly rows: number
  /** First and last day (YYYY-MM-DD) or instant (ISO 8601 in UTC). */
  readonly first: string
  readonly last: string
}

/** The partitions of a table, oldest first. */
export async function loadPartitions(
  sql: Sql,
  { table, period, partition }: ReleaseTable,
  { knownAt, leftOut }: ReleaseScope,
): Promise<readonly Partition[]> {
  const at = inUtc(period)
  const shown = period.type === 'date' ? 'YYYY-MM-DD' : 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
  const rows = await sql.rows(
    statement(
      { name: 'text', rows: 'int8', first: 'text', last: 'text' },
      `select to_char(${at}, '${partition === 'year' ? 'YYYY' : 'YYYY-MM'}') as name, count(*) as rows,
         to_char(min(${at}), '${shown}') as first, to_char(max(${at}), '${shown}') as last
       from ${table} where ${IN_SCOPE} group by 1 order by 1`,
    ),
    [knownAt, leftOut],
  )
  return rows
}

/** Rows of each provider of a table, in the order of their names. */
export function loadSourceCounts(
  sql: Sql,
  { table }: ReleaseTable,
  knownAt: Date,
): Promise<readonly { readonly source: string; readonly rows: number }[]> {
  return sql.rows(
    statement(
      { source: 'text', rows: 'int8' },
      `select source, count(*) as rows from ${table} where known_from <= $1 group by source order by source collate "C"`,
    ),
    [knownAt],
  )
}

/** Versions of the rules that made rows, in order. */
export async function loadMethodologyVersions(
  sql: Sql,
  { table, methodology }: ReleaseTable,
  { knownAt, leftOut }: ReleaseScope,
): Promise<readonly string[]> {
  if (methodology === null) return []
  const rows = await sql.rows(
    statement(
      { version: 'text' },
      `select distinct ${methodology} collate "C" as version from ${table} where ${IN_SCOPE} order by 1`,
    ),
    [knownAt, leftOut],
  )
  return rows.map(({ version }) => version)
}

/** Rows of one batch, which become one row group of the file. Memory holds one batch at a time. */
export const BATCH_ROWS = 4_000

/** The rows of a partition in the order of the key, in batches. Each batch continues behind the key of the one before. */
export async function* readRows(
  sql: Sql,
  table: ReleaseTable,
  partition: string,
  { knownAt, leftOut }: ReleaseScope,
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  const keys = [...table.key, 't.known_from']
  const columns = releaseColumns(table).map(({ name, sql: value }) => `${value} as "${name}"`)
  const places = keys.map((key, index) => `${key} as "key ${index}"`)
  const { from, to } = rangeOf(table, partition)
  const text = (after: string) =>
    `select ${[...columns, ...places].join(', ')} from ${table.table} as t
     where ${IN_SCOPE} and ${table.period.column} >= $3::${table.period.type}
       and ${table.period.column} < $4::${table.period.type} ${after}
     order by ${keys.join(', ')} limit ${BATCH_ROWS}`
  const after = `and (${keys.join(', ')}) > (${keys.map((_, index) => `$${index + 5}`).join(', ')})`
  let last: readonly unknown[] | null = null
  do {
    const values: readonly unknown[] = [knownAt, leftOut, from, to, ...(last ?? [])]
    const rows: readonly Readonly<Record<string, unknown>>[] = (await sql.rows(
      text(last === null ? '' : after),
      values,
    )) as readonly Readonly<Record<string, unknown>>[] // columns are named above
    if (rows.length > 0) yield rows
    const end = rows.at(-1)
    last = rows.length < BATCH_ROWS || end === undefined ? null : keys.map((_, index) => end[`key ${index}`])
  } while (last !== null)
}

/** First instant of the partition, and of the next one. */
function rangeOf({ partition, period }: ReleaseTable, name: string): { from: string; to: string } {
  const [year = 0, month = 1] = name.split('-').map(Number)
  const next = partition === 'year' ? [year + 1, 1] : month === 12 ? [year + 1, 1] : [year, month + 1]
  const text = ([y = 0, m = 1]: readonly number[]) => {
    const day = `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-01`
    return period.type === 'date' ? day : `${day}T00:00:00Z`
  }
  return { from: text([year, month]), to: text(next) }
}

function inUtc({ column: name, type }: ReleaseTable['period']): string {
  return type === 'date' ? name : `${name} at time zone 'UTC'`
}

/** A run of missing periods of a series; `from` and `to` are the stored periods around it. */
export interface MissingRun {
  readonly series: string
  readonly from: Date
  readonly to: Date
  readonly missing: number
}

/** Runs of missing periods of the current rows, at most `limit`, and their whole number. */
export async function loadMissingRuns(
  sql: Sql,
  { table, period, expected }: ReleaseTable,
  { knownAt, leftOut }: ReleaseScope,
  limit: number,
): Promise<{ readonly runs: readonly MissingRun[]; readonly total: number }> {
  if (expected === null || expected === 'TARGET') return { runs: [], total: 0 }
  const { series, step } = expected
  const rows = await sql.rows(
    statement(
      { series: 'text', from: 'timestamptz', to: 'timestamptz', missing: 'int8', total: 'int8' },
      `select series, before as "from", at as "to", missing, count(*) over () as total
       from (
         select series, at, before, (extract(epoch from at - before) / extract(epoch from step))::int8 - 1 as missing
         from (
           select ${series} as series, ${step} as step, ${period.column} as at,
             lag(${period.column}) over (partition by ${series} order by ${period.column}) as before
           from ${table} where ${IN_SCOPE} and (known_to is null or known_to > $1)
         ) as followed
       ) as counted
       where missing > 0 order by series collate "C", at limit ${limit}`,
    ),
    [knownAt, leftOut],
  )
  return { runs: rows, total: rows[0]?.total ?? 0 }
}

/** Distinct days of the current rows, in order. */
export async function loadDays(
  sql: Sql,
  { table, period }: ReleaseTable,
  { knownAt, leftOut }: ReleaseScope,
): Promise<readonly string[]> {
  const rows = await sql.rows(
    statement(
      { day: column<string>('date') },
      `select distinct ${period.column} as day from ${table}
       where ${IN_SCOPE} and (known_to is null or known_to > $1) order by 1`,
    ),
    [knownAt, leftOut],
  )
  return rows.map(({ day }) => day)
}
