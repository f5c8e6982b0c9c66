import type { ChangePosition } from '../../core/change-position.js'
import { type ChangeTable, positionBefore } from './change-order.js'
import type { Sql } from './database.js'
import { type ColumnTable, type RowOf, statement, statements } from './statement.js'
import { type Condition, whereGiven } from './where-given.js'

interface ChangeColumns<Columns extends ColumnTable, Change> {
  readonly table: ChangeTable
  /** The columns of a change and of its asset. */
  readonly columns: Columns
  /** SQL: these columns, of the change `c` and its asset `a`. */
  readonly list: string
  /** The two columns by which places of changes are numbered, with their enums. */
  readonly kinds: readonly [KindColumn, KindColumn]
  /** Places are numbered for each source too. */
  readonly isBySource?: boolean
  toChange(row: RowOf<Columns>): Change
}

interface KindColumn {
  readonly name: string
  readonly type: string
  readonly values: readonly string[]
}

/** Selects changes; null means no filter. */
export interface ChangeSelection {
  /** Only changes that were recorded at or after this instant. */
  readonly since: Date | null
  /** A value of each kind. */
  readonly kinds: readonly [string | null, string | null]
  readonly assetIds?: readonly number[] | null
  readonly source?: string
}

export interface ChangesBefore {
  /** Null to start at the newest. */
  readonly before: ChangePosition | null
  readonly limit: number
}

/** Reads the changes of a table. */
export function readChangesOf<const Columns extends ColumnTable, Change>({
  table,
  columns,
  list,
  kinds,
  isBySource = false,
  toChange,
}: ChangeColumns<Columns, Change>) {
  const all = `select ${list} from ${table} c join asset a on a.asset_id = c.asset_id`
  // Plain SQL: the position is a comparison of rows, which Prisma does not have; and a page of 20 takes 1.8 to 3.7 times the
  // CPU through Prisma's client (bench sql).
  const pageBefore = statements(
    columns,
    (where: string) => `${all} where ${where} order by c.computed_at desc, c.diff_id desc limit $1`,
    'true',
  )
  const byId = statement(columns, `${all} where c.diff_id = any($1::int8[])`)
  const each = statements(
    { total: 'int8' },
    (where: string) => `select count(*) as total from ${table} c where ${where}`,
    'true',
  )
  const places = statement({ total: 'int8' }, placesText(table, kinds, isBySource))
  const conditionsOf = (selection: ChangeSelection): readonly Condition[] => [
    ['c.source = ?', selection.source ?? null],
    ['c.computed_at >= ?::timestamptz', selection.since],
    ...kinds.map(({ name, type }, at): Condition => [`c.${name} = ?::${type}`, selection.kinds[at] ?? null]),
    ofAssets(selection.assetIds ?? null),
  ]
  const countEach = (sql: Sql, selection: ChangeSelection) => {
    const { where, parameters } = whereGiven(conditionsOf(selection))
    return sql.rows(each(where), parameters)
  }
  const countPlaces = (sql: Sql, selection: ChangeSelection) => {
    const chosen = kinds.map(({ values }, at) => [selection.kinds[at] ?? values].flat())
    return sql.rows(places, [...chosen, selection.since, ...(isBySource ? [selection.source] : [])])
  }
  return {
    conditionsOf,
    /** Newest first: the changes before a place, from the newest on when it is null. */
    async loadBefore(
      sql: Sql,
      selection: ChangeSelection,
      { before, limit }: ChangesBefore,
    ): Promise<readonly Change[]> {
      const { where, parameters } = whereGiven([...conditionsOf(selection), positionBefore(before)], 1)
      return (await sql.rows(pageBefore(where), [limit, ...parameters])).map(toChange)
    },
    async loadById(sql: Sql, diffIds: readonly number[]): Promise<readonly Change[]> {
      return (await sql.rows(byId, [diffIds])).map(toChange)
    },
    /** Counts the changes of named assets, which are few, one by one, and any number of others by their places. */
    async count(sql: Sql, selection: ChangeSelection): Promise<number> {
      const rows = await (selection.assetIds == null ? countPlaces : countEach)(sql, selection)
      return rows[0]?.total ?? 0
    },
  }
}

/** An index on the asset and the position has the order of one asset alone. */
function ofAssets(assetIds: readonly number[] | null): Condition {
  return assetIds?.length === 1
    ? ['c.asset_id = ?::int', assetIds[0]]
    : ['c.asset_id = any(?::int[])', assetIds]
}

/**
 * Subtracts, for each pair of kinds, the place of the newest change before an instant from the place of the newest. This
 * needs two index look-ups per pair for any number of changes.
 */
function placesText(
  table: ChangeTable,
  [one, other]: readonly [KindColumn, KindColumn],
  isBySource: boolean,
): string {
  const newest = (more: string) => `
    select c.place from ${table} c
    where ${isBySource ? 'c.source = $4 and ' : ''}c.${one.name} = one.kind and c.${other.name} = other.kind${more}
    order by c.computed_at desc, c.diff_id desc limit 1`
  return `select coalesce(sum(newest.place - coalesce(earlier.place, 0)), 0)::int8 as total
    from unnest($1::${one.type}[]) as one(kind) cross join unnest($2::${other.type}[]) as other(kind)
    cross join lateral (${newest('')}) as newest
    left join lateral (${newest(' and c.computed_at < $3::timestamptz')}) as earlier on true`
}
