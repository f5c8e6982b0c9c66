import type { Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { declareForTables } from './tables/release-statements.js'
import { type ReleaseTable, releaseColumns } from './tables/release-table.js'

/** Rows of a release: known at the instant, and not of a provider that is left out. */
export interface ReleaseScope {
  readonly knownAt: Date
  readonly leftOut: readonly string[]
}

/** SQL condition of a row that the release has. $1 is its instant, $2 the providers that are left out. */
export function inScope(table: ReleaseTable): string {
  return `known_from <= $1 and not ${isLeftOut(table)}`
}

function isLeftOut({ derivedFrom }: ReleaseTable): string {
  return `(array[${['source', ...(derivedFrom?.columns ?? [])].join(', ')}] && $2::text[])`
}

/** The rows of a table; all SQL over them names them t. */
export function fromRows({ table }: ReleaseTable): string {
  return `${table} as t`
}

/** The rows of one file. */
export interface Partition {
  /** 2026, or 2026-11. */
  readonly name: string
  readonly rows: number
  /** First and last day (YYYY-MM-DD) or instant (ISO 8601 in UTC). */
  readonly first: string
  readonly last: string
}

const partitionsOf = declareForTables((table) => {
  const { period, partition } = table
  const at = inUtc(period)
  return statement(
    'lacks computed value',
    { name: 'text', rows: 'int8', first: 'text', last: 'text' },
    `select to_char(${at}, '${partition === 'month' ? 'YYYY-MM' : 'YYYY'}') as name, count(*) as rows,
       ${periodSqlText(`min(${at})`, period)} as first, ${periodSqlText(`max(${at})`, period)} as last
     from ${fromRows(table)} where ${inScope(table)} group by 1 order by 1`,
  )
})

/** The partitions of a table, oldest first. */
export function loadPartitions(
  sql: Sql,
  table: ReleaseTable,
  { knownAt, leftOut }: ReleaseScope,
): Promise<readonly Partition[]> {
  return sql.rows(partitionsOf(table), [knownAt, leftOut])
}

const sourceCountsOf = declareForTables((table) =>
  statement(
    'lacks computed value',
    { source: 'text', rows: 'int8', leftOut: 'int8' },
    `select source, count(*) filter (where ${inScope(table)}) as rows,
       count(*) filter (where ${isLeftOut(table)}) as "leftOut"
     from ${fromRows(table)} where known_from <= $1 group by source order by source collate "C"`,
  ),
)

/** Rows of each provider of a table, in the order of their names. */
export function loadSourceCounts(
  sql: Sql,
  table: ReleaseTable,
  { knownAt, leftOut }: ReleaseScope,
): Promise<readonly { readonly source: string; readonly rows: number; readonly leftOut: number }[]> {
  return sql.rows(sourceCountsOf(table), [knownAt, leftOut])
}

const methodologyVersionsOf = declareForTables((table) =>
  table.methodology === undefined
    ? null
    : statement(
        'lacks computed value',
        { version: 'text' },
        `select distinct ${table.methodology} collate "C" as version from ${fromRows(table)}
         where ${inScope(table)} order by 1`,
      ),
)

/** Versions of the rules that made rows, in order. */
export async function loadMethodologyVersions(
  sql: Sql,
  table: ReleaseTable,
  { knownAt, leftOut }: ReleaseScope,
): Promise<readonly string[]> {
  const versions = methodologyVersionsOf(table)
  if (versions === null) return []
  const rows = await sql.rows(versions, [knownAt, leftOut])
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
    `select ${[...columns, ...places].join(', ')} from ${fromRows(table)}
     where ${inScope(table)} and t.${table.period.column} >= $3::${table.period.type}
       and t.${table.period.column} < $4::${table.period.type} ${after}
     order by ${keys.join(', ')} limit ${BATCH_ROWS}`
  const after = `and (${keys.join(', ')}) > (${keys.map((_, index) => `$${index + 5}`).join(', ')})`
  const read = readerOf(table)
  let last: readonly unknown[] | null = null
  do {
    const values: readonly unknown[] = [knownAt, leftOut, from, to, ...(last ?? [])]
    const rows: readonly Readonly<Record<string, unknown>>[] = (await sql.rows(
      text(last === null ? '' : after),
      values,
    )) as readonly Readonly<Record<string, unknown>>[] // columns are named above
    if (rows.length > 0) yield read === null ? rows : rows.map(read)
    const end = rows.at(-1)
    last = rows.length < BATCH_ROWS || end === undefined ? null : keys.map((_, index) => end[`key ${index}`])
  } while (last !== null)
}

/** Replaces the values of columns that are stored in another form; null if no column is. */
function readerOf(table: ReleaseTable) {
  const changed = releaseColumns(table).flatMap(({ name, read }) =>
    read === undefined ? [] : [{ name, read }],
  )
  if (changed.length === 0) return null
  return (row: Readonly<Record<string, unknown>>) => ({
    ...row,
    // The SQL of such a column gives bytes.
    ...Object.fromEntries(changed.map(({ name, read }) => [name, read(row[name] as Buffer)])),
  })
}

/** First instant of the partition, and of the next one. */
function rangeOf({ partition, period }: ReleaseTable, name: string): { from: string; to: string } {
  const [year = 0, month = 1] = name.split('-').map(Number)
  const next = partition === 'month' && month < 12 ? [year, month + 1] : [year + 1, 1]
  const text = ([y = 0, m = 1]: readonly number[]) => {
    const day = `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-01`
    return period.type === 'date' ? day : `${day}T00:00:00Z`
  }
  return { from: text([year, month]), to: text(next) }
}

/** SQL of the period as a date, or as a timestamp in UTC. */
export function inUtc({ column: name, type }: ReleaseTable['period']): string {
  return type === 'date' ? `t.${name}` : `t.${name} at time zone 'UTC'`
}

/** SQL of a period as text: YYYY-MM-DD, or ISO 8601 in UTC. */
export function periodSqlText(period: string, { type }: ReleaseTable['period']): string {
  return `to_char(${period}, '${type === 'date' ? 'YYYY-MM-DD' : 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'}')`
}
