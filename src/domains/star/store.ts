import type { IsoDate } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import {
  type ColumnTable,
  column,
  type Statement,
  statement,
  statements,
} from '../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../platform/database/where-given.js'
import { dayConditions } from './day-conditions.js'
import { isCountedByHour, type ServedTable, type StarColumn, type StarType, utcDay } from './table.js'
import { SERVED_TABLES } from './tables.js'

/** A row of a view by the names of its columns; numbers are the doubles nearest to the stored decimals. */
export type StarRow = Readonly<Record<string, unknown>>

const READ_AS: Readonly<Record<StarType, string>> = {
  text: 'text',
  int: 'int4',
  smallint: 'int2',
  bigint: 'float8',
  numeric: 'float8',
  boolean: 'bool',
  date: 'date',
  timestamptz: 'timestamptz',
  'text[]': '_text',
  jsonb: 'jsonb',
}

const isCast = ({ type }: StarColumn) => type === 'bigint' || type === 'numeric'

/** How a row of a view is parsed. */
function columnsOf({ columns }: ServedTable): ColumnTable {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type, isNullable }]) => [
      name,
      column(`${READ_AS[type]}${isNullable ? '?' : ''}`),
    ]),
  )
}

function selectOf({ columns }: ServedTable): string {
  return Object.entries(columns)
    .map(([name, own]) => (isCast(own) ? `"${name}"::float8 as "${name}"` : `"${name}"`))
    .join(', ')
}

const relationOf = ({ view }: Pick<ServedTable, 'view'>) => `star_public.${view}`

/** The statements of a view, created once. */
interface ViewStatements {
  readonly page: (where: string) => Statement<StarRow>
  /** A page of one asset. All matching rows are found first, because they are scattered in the order. */
  readonly ofAsset: (where: string) => Statement<StarRow>
  /** The same; skipped rows are read by their order alone, and the page from where they end. */
  readonly later: (where: string) => Statement<StarRow>
  /**
   * A page of a fact with many rows per day. Whole hours of the first day, a parameter, are skipped by their
   * counts.
   */
  readonly laterByHour: ((where: string) => Statement<StarRow>) | null
  readonly byKey: (key: string) => Statement<StarRow>
  readonly total: (where: string) => Statement<{ readonly total: number }>
  readonly outline: (where: string) => Statement<OutlineRow>
}

const OUTLINE_COLUMNS = { days: '_int4?', counts: '_int4?' } as const

interface OutlineRow {
  /** Days from 1970-01-01, ascending; null without any. */
  readonly days: readonly number[] | null
  readonly counts: readonly number[] | null
}

const outlineText = (days: string) =>
  `select array_agg(day - date '1970-01-01' order by day) as days, array_agg(row_count order by day) as counts
   from (${days}) as counted`

/** SQL: the page that begins with the row `start`, which is `offset` rows after the beginning of `from`. */
function laterText(table: ServedTable, where: string, from: string, offset: string): string {
  const { order } = table.endpoint
  const orderOf = (relation: string) => order.map((name) => `${relation}.${name}`).join(', ')
  return `
    start as (
      select ${order.join(', ')} from ${relationOf(table)} where ${from}
      order by ${order.join(', ')} limit 1 offset ${offset}
    )
    select page.* from start cross join lateral (
      select ${selectOf(table)} from ${relationOf(table)} as v
      where ${where} and v.${order[0]} >= start.${order[0]} and (${orderOf('v')}) >= (${orderOf('start')})
      order by ${orderOf('v')} limit $1
    ) as page order by ${orderOf('page')}`
}

/** The last hour of the day from $3 on before which no more than $2 rows are, and how many those are. */
const hourText = ({ view }: ServedTable) => `
    counted as (
      select hour, sum(row_count) over (order by hour) - row_count as before from star_hour_total
      where fact = '${view}' and hour >= $3::timestamptz and hour < $3::timestamptz + interval '1 day'
    ), place as (select hour, before from counted where before <= $2 order by hour desc limit 1)`

function laterByHourText(table: ServedTable, time: string, where: string): string {
  const from = `${where} and ${time} >= coalesce((select hour from place), $3::timestamptz)`
  const offset = '$2 - coalesce((select before from place), 0)'
  return `with ${hourText(table)}, ${laterText(table, where, from, offset)}`
}

// Plain SQL, because Prisma does not know the views and a page is read in the order of an index.
function statementsOf(table: ServedTable): ViewStatements {
  const { endpoint, columns } = table
  const time = endpoint.time
  const [key = ''] = table.key
  const day = time?.kind === 'instant' ? utcDay(time.name) : time?.name
  const select = `select ${selectOf(table)} from ${relationOf(table)}`
  const own = columnsOf(table)
  const order = endpoint.order.join(', ')
  const keyType = (name: string) => (columns[name]?.type === 'int' ? 'int[]' : 'text[]')
  return {
    page: statements(
      'lacks view',
      own,
      (where: string) => `${select} where ${where} order by ${order} limit $1 offset $2`,
      'true',
    ),
    ofAsset: statements(
      'lacks view',
      own,
      (where: string) =>
        `select * from (${select} where ${where} offset 0) as found order by ${order} limit $1 offset $2`,
      'true',
    ),
    later: statements(
      'lacks view',
      own,
      (where: string) => `with ${laterText(table, where, where, '$2')}`,
      'true',
    ),
    laterByHour:
      time === undefined || !isCountedByHour(table)
        ? null
        : statements('lacks view', own, (where: string) => laterByHourText(table, time.name, where), 'true'),
    byKey: statements(
      'lacks view',
      own,
      (name: string) => `${select} where ${name} = any($1::${keyType(name)})`,
      key,
    ),
    total: statements(
      'lacks view',
      { total: 'int4' },
      (where: string) => `select count(*)::int as total from ${relationOf(table)} where ${where}`,
      'true',
    ),
    outline: statements(
      'lacks view',
      OUTLINE_COLUMNS,
      (where: string) =>
        outlineText(
          `select ${day ?? 'null::date'} as day, count(*)::int as row_count from ${relationOf(table)} where ${where} group by 1`,
        ),
      'true',
    ),
  }
}

const STATEMENTS = new Map(SERVED_TABLES.map((table) => [table.view, statementsOf(table)]))

function statementsFor({ view }: ServedTable): ViewStatements {
  const own = STATEMENTS.get(view)
  if (own === undefined) throw new Error(`${view} is not served`)
  return own
}

const COUNTED_CHOICE = new Map(
  SERVED_TABLES.flatMap(({ view, endpoint }) =>
    Object.entries(endpoint.choice?.dayCounts ?? {}).map(([value, days]) => [
      `${view} ${value}`,
      statement('lacks view', OUTLINE_COLUMNS, outlineText(days)),
    ]),
  ),
)

function loadCounts(sql: Sql, { view }: ServedTable, { choice }: FactFilter): Promise<readonly OutlineRow[]> {
  const ofChoice = COUNTED_CHOICE.get(`${view} ${choice}`)
  return ofChoice === undefined ? sql.rows(COUNTED, [view]) : sql.rows(ofChoice)
}

const COUNTED = statement(
  'lacks window function',
  OUTLINE_COLUMNS,
  outlineText('select day, row_count from star_total where fact = $1 and row_count > 0'),
)

/** Selects rows of a view by conditions, in its order. */
export interface StarPage {
  readonly conditions: readonly Condition[]
  readonly limit: number
  readonly offset: number
}

/** One page of a view in one statement. */
export function loadStarPage(
  sql: Sql,
  table: ServedTable,
  { conditions, limit, offset }: StarPage,
): Promise<readonly StarRow[]> {
  const { where, parameters } = whereGiven(conditions, 2)
  return sql.rows(statementsFor(table).page(where), [limit, offset, ...parameters])
}

/** Selects rows of a fact. */
export interface FactFilter {
  /** All assets if null. */
  readonly assetId: number | null
  /** Value of the column that callers can filter by; all if null. */
  readonly choice: string | null
}

/** Part of a fact: rows of the days from one to another, both included. */
export interface FactPart extends FactFilter {
  readonly days: { readonly first: IsoDate; readonly last: IsoDate }
  readonly limit: number
  /** Rows of the first day to skip. */
  readonly offset: number
}

/** A part of a fact in its order, in one statement that reads little more than that part. */
export function loadFactPart(
  sql: Sql,
  table: ServedTable,
  { assetId, choice, days, limit, offset }: FactPart,
): Promise<readonly StarRow[]> {
  const { page, ofAsset, later, laterByHour } = statementsFor(table)
  const conditions: readonly Condition[] = [
    ...filterConditions(table, { assetId, choice }),
    // Both bounds, so that the planner knows the size and the partitions.
    ...dayConditions(table, days.first, days.last),
  ]
  if (assetId === null && choice === null && offset > 0 && laterByHour !== null) {
    const { where, parameters } = whereGiven(conditions, 3)
    return sql.rows(laterByHour(where), [limit, offset, new Date(days.first), ...parameters])
  }
  const { where, parameters } = whereGiven(conditions, 2)
  const text = assetId !== null ? ofAsset(where) : offset > 0 ? later(where) : page(where)
  return sql.rows(text, [limit, offset, ...parameters])
}

/** Counts the rows that match the conditions. It reads all of them, so it is for dimensions only. */
export async function loadStarTotal(
  sql: Sql,
  table: ServedTable,
  conditions: readonly Condition[],
): Promise<number> {
  const { where, parameters } = whereGiven(conditions)
  const [row] = await sql.rows(statementsFor(table).total(where), parameters)
  return row?.total ?? 0
}

function filterConditions({ endpoint }: ServedTable, { assetId, choice }: FactFilter): readonly Condition[] {
  const ofAsset: Condition = ['asset_id = ?::int', assetId]
  return endpoint.choice === undefined ? [ofAsset] : [ofAsset, [`${endpoint.choice.column} = ?`, choice]]
}

/** Rows of a fact per day: stored counts for all assets, computed ones for a single asset. */
export async function loadStarDays(
  sql: Sql,
  table: ServedTable,
  filter: FactFilter,
): Promise<{ readonly days: readonly number[]; readonly counts: readonly number[] }> {
  const isCounted = filter.assetId === null && table.counts !== undefined
  const { where, parameters } = whereGiven(filterConditions(table, filter))
  const [row] = isCounted
    ? await loadCounts(sql, table, filter)
    : await sql.rows(statementsFor(table).outline(where), parameters)
  return { days: row?.days ?? [], counts: row?.counts ?? [] }
}

/** Rows of a dimension by key as text, in one statement. */
export async function loadStarRows(
  sql: Sql,
  table: ServedTable,
  key: string,
  values: readonly (string | number)[],
): Promise<ReadonlyMap<string, StarRow>> {
  const rows = await sql.rows(statementsFor(table).byKey(key), [values])
  return new Map(rows.map((row) => [String(row[key]), row]))
}
