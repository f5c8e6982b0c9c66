import type { ChangePosition } from '../../core/change-position.js'
import { ASSET } from '../../generated/columns.js'
import { type ColumnTable, selectList, snakeCase, statement, statements } from '../database/statement.js'
import { type Condition, whereGiven } from '../database/where-given.js'
import { type ChangeTable, NEWEST_CHANGES_FIRST, positionAfter, positionBefore } from './change-order.js'

/** The columns that changes of every feed have. */
const EVERY_CHANGE = { diffId: 'int8', computedAt: 'timestamptz' } as const

/** Approximate size of a change in memory, without the name of its asset. */
const ROW_BYTES = 500

interface StatementsOf {
  readonly table: ChangeTable
  readonly columns: ColumnTable
  readonly kinds: readonly [string, string]
  readonly isOfOneSource: boolean
}

/** A filter of changes with the values of its kinds by name; null and missing values mean no filter. */
export interface ChangeSelection {
  readonly since: Date | null
  readonly assetIds?: readonly number[] | null
  readonly source?: string
  readonly [kind: string]: unknown
}

/** The statements that read a table of changes `c` with their assets `a`, each with the parameters of a selection. */
export function createChangeStatements({ table, columns, kinds, isOfOneSource }: StatementsOf) {
  const all: ColumnTable = { ...EVERY_CHANGE, ...columns, ...ASSET, provider: 'text' }
  const names = Object.keys(all).map((name) => `"${name}"`)
  const list = `${selectList({ ...EVERY_CHANGE, ...columns }, 'c')}, ${selectList(ASSET, 'a')}, c.source as provider`
  const from = `from ${table} c join asset a on a.asset_id = c.asset_id`
  // Plain SQL: the position is a comparison of rows, which Prisma does not have; and a page of 20 takes 1.8 to 3.7 times the
  // CPU through Prisma's client (bench sql).
  const before = statements(
    'lacks comparison of rows',
    all,
    (where: string) => `select ${list} ${from} where ${where} ${NEWEST_CHANGES_FIRST} limit $1`,
    'true',
  )
  const after = statements(
    'lacks window function',
    all,
    (where: string) => `select ${names.join(', ')} from (
        select ${list}, row_number() over place as number,
          sum(${ROW_BYTES} + octet_length(a.name)) over place as bytes
        ${from} where ${where} window place as (order by c.computed_at, c.diff_id)
        order by c.computed_at, c.diff_id limit $1
      ) as page where number = 1 or bytes <= coalesce($2::int, bytes) order by number`,
    'true',
  )
  const ofAssets = statements(
    'lacks page per key',
    all,
    (where: string) => `select ${list} from unnest($1::int[]) as wanted(asset_id)
      cross join lateral (
        select c.* from ${table} c where c.asset_id = wanted.asset_id and ${where} ${NEWEST_CHANGES_FIRST} limit $2
      ) as c
      join asset a on a.asset_id = c.asset_id
      ${NEWEST_CHANGES_FIRST}`,
    'true',
  )
  const each = statements(
    'lacks comparison of rows',
    { total: 'int8' },
    (where: string) => `select count(*) as total from ${table} c where ${where}`,
    'true',
  )
  const [one, other] = kinds
  const enums = [enumOf(columns, one), enumOf(columns, other)] as const
  const places = statement('lacks newest per key', { total: 'int8' }, placesText(table, enums, isOfOneSource))
  const conditionsOf = (selection: ChangeSelection): readonly Condition[] => [
    ['c.source = ?', selection.source ?? null],
    ['c.computed_at >= ?::timestamptz', selection.since],
    ...enums.map(({ kind, name, type }): Condition => [`c.${name} = ?::${type}`, selection[kind] ?? null]),
    isOfAssets(selection.assetIds ?? null),
  ]
  return {
    /** `$1`: the limit. */
    before(selection: ChangeSelection, position: ChangePosition | null) {
      const { where, parameters } = whereGiven([...conditionsOf(selection), positionBefore(position)], 1)
      return { text: before(where), parameters }
    },
    /** `$1`: the limit; `$2`: the most bytes. */
    after(selection: ChangeSelection, position: ChangePosition | null) {
      const { where, parameters } = whereGiven([...conditionsOf(selection), positionAfter(position)], 2)
      return { text: after(where), parameters }
    },
    /** `$1`: the assets; `$2`: the limit for each. */
    ofAssets(selection: ChangeSelection, position: ChangePosition | null) {
      const { where, parameters } = whereGiven([...conditionsOf(selection), positionBefore(position)], 2)
      return { text: ofAssets(where), parameters }
    },
    /** `$1`: the numbers of the changes. */
    byId: statement('lacks table by name', all, `select ${list} ${from} where c.diff_id = any($1::int8[])`),
    /** Counts the changes of named assets, which are few, one by one, and any number of others by their places. */
    total(selection: ChangeSelection) {
      if (selection.assetIds != null) {
        const { where, parameters } = whereGiven(conditionsOf(selection))
        return { text: each(where), parameters }
      }
      const chosen = enums.map(({ kind, values }) => [selection[kind] ?? values].flat())
      const { since, source } = selection
      return { text: places, parameters: [...chosen, since, ...(isOfOneSource ? [source] : [])] }
    },
  }
}

interface KindColumn {
  readonly kind: string
  readonly name: string
  readonly type: string
  readonly values: readonly string[]
}

function enumOf(columns: ColumnTable, kind: string): KindColumn {
  const column = columns[kind]
  if (typeof column !== 'object' || !('values' in column))
    throw new Error(`${kind} is not a column of an enum`)
  return { kind, name: snakeCase(kind), type: column.type, values: column.values }
}

/** An index on the asset and the position has the order of one asset alone. */
function isOfAssets(assetIds: readonly number[] | null): Condition {
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
  isOfOneSource: boolean,
): string {
  const newest = (more: string) => `
    select c.place from ${table} c
    where ${isOfOneSource ? 'c.source = $4 and ' : ''}c.${one.name} = one.kind and c.${other.name} = other.kind${more}
    ${NEWEST_CHANGES_FIRST} limit 1`
  return `select coalesce(sum(newest.place - coalesce(earlier.place, 0)), 0)::int8 as total
    from unnest($1::${one.type}[]) as one(kind) cross join unnest($2::${other.type}[]) as other(kind)
    cross join lateral (${newest('')}) as newest
    left join lateral (${newest(' and c.computed_at < $3::timestamptz')}) as earlier on true`
}
