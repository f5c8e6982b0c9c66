import type { Sql } from '../../platform/database/database.js'
import {
  type ColumnTable,
  column,
  type Statement,
  statement,
  statements,
} from '../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../platform/database/where-given.js'
import { type ServedTable, type StarColumn, type StarType, utcDay } from './table.js'
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

/** What a row of a view is read as. */
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

/** The statements of a view, declared once. */
interface ViewStatements {
  readonly page: (where: string) => Statement<StarRow>
  /** The same; skipped rows are read by their order alone, and the page from where they end. */
  readonly later: (where: string) => Statement<StarRow>
  readonly byKey: (key: string) => Statement<StarRow>
  readonly total: (where: string) => Statement<{ readonly total: number }>
  readonly outline: (where: string) => Statement<OutlineRow>
}

const OUTLINE_COLUMNS = { days: '_int4?', counts: '_int4?' } as const

interface OutlineRow {
  /** Days since 1970-01-01, in order; null without any. */
  readonly days: readonly number[] | null
  readonly counts: readonly number[] | null
}

const outlineText = (days: string) =>
  `select array_agg(day - date '1970-01-01' order by day) as days, array_agg(row_count order by day) as counts
   from (${days}) as counted`

// Plain SQL: Prisma does not know the views, and a page of them is read in the order of an index.
function statementsOf(table: ServedTable): ViewStatements {
  const { endpoint, columns } = table
  const time = endpoint.time
  const [key = ''] = table.key
  const day = time?.kind === 'instant' ? utcDay(time.name) : time?.name
  const select = `select ${selectOf(table)} from ${relationOf(table)}`
  const own = columnsOf(table)
  const order = endpoint.order.join(', ')
  const orderOf = (relation: string) => endpoint.order.map((name) => `${relation}.${name}`).join(', ')
  const keyType = (name: string) => (columns[name]?.type === 'int' ? 'int[]' : 'text[]')
  return {
    page: statements(
      own,
      (where: string) => `${select} where ${where} order by ${order} limit $1 offset $2`,
      'true',
    ),
    later: statements(
      own,
      (where: string) => `
        with start as (
          select ${order} from ${relationOf(table)} where ${where} order by ${order} limit 1 offset $2
        )
        select page.* from start cross join lateral (
          select ${selectOf(table)} from ${relationOf(table)} as v
          where ${where} and v.${endpoint.order[0]} >= start.${endpoint.order[0]}
            and (${orderOf('v')}) >= (${orderOf('start')})
          order by ${orderOf('v')} limit $1
        ) as page order by ${orderOf('page')}`,
      'true',
    ),
    byKey: statements(own, (name: string) => `${select} where ${name} = any($1::${keyType(name)})`, key),
    total: statements(
      { total: 'int4' },
      (where: string) => `select count(*)::int as total from ${relationOf(table)} where ${where}`,
      'true',
    ),
    outline: statements(
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

const COUNTED = statement(
  OUTLINE_COLUMNS,
  outlineText('select day, row_count from star_total where fact = $1 and row_count > 0'),
)

/** Part of a view: rows that fulfil the conditions, in its order. */
export interface StarPage {
  readonly conditions: readonly Condition[]
  readonly limit: number
  readonly offset: number
}

/** One page of a view; one statement. */
export function readStarPage(
  sql: Sql,
  table: ServedTable,
  { conditions, limit, offset }: StarPage,
): Promise<readonly StarRow[]> {
  const { where, parameters } = whereGiven(conditions, 2)
  const { page, later } = statementsFor(table)
  const text = offset > 0 && table.kind === 'fact' ? later(where) : page(where)
  return sql.rows(text, [limit, offset, ...parameters])
}

/** How many rows fulfil the conditions; reads all of them, so it is for dimensions. */
export async function readStarTotal(
  sql: Sql,
  table: ServedTable,
  conditions: readonly Condition[],
): Promise<number> {
  const { where, parameters } = whereGiven(conditions)
  const [row] = await sql.rows(statementsFor(table).total(where), parameters)
  return row?.total ?? 0
}

/** Rows of each day of a fact: of all assets as they were counted when they were written, of one asset counted here. */
export async function readStarDays(
  sql: Sql,
  table: ServedTable,
  assetId: number | null,
): Promise<{ readonly days: readonly number[]; readonly counts: readonly number[] }> {
  const isCounted = assetId === null && table.counts !== undefined
  const { where, parameters } = whereGiven([['asset_id = ?::int', assetId]])
  const [row] = isCounted
    ? await sql.rows(COUNTED, [table.view])
    : await sql.rows(statementsFor(table).outline(where), parameters)
  return { days: row?.days ?? [], counts: row?.counts ?? [] }
}

/** Rows of a dimension whose key is among these, by key as text; one statement. */
export async function readStarRows(
  sql: Sql,
  table: ServedTable,
  key: string,
  values: readonly (string | number)[],
): Promise<ReadonlyMap<string, StarRow>> {
  const rows = await sql.rows(statementsFor(table).byKey(key), [values])
  return new Map(rows.map((row) => [String(row[key]), row]))
}
