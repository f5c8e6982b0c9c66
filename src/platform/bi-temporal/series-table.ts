import { type ColumnTable, type ColumnType, snakeCase, typeOf } from '../database/statement.js'

/** Stored with each row: since when it is known here, and its source. */
export interface Known {
  readonly knownAt: Date
  /** Provider of the rows, or seed. */
  readonly source: string
  /**
   * Rows that are new here count as known since their fact could be learned (`learnedAt`), but not before this instant. By
   * default they are known since the run.
   */
  readonly knownSince?: Date
}

/** The outcome of rows; each row counts once. */
export interface WriteCounts {
  readonly added: number
  readonly revised: number
  readonly unchanged: number
}

/** The outcome of rows, and of rows that changed with them. */
export interface WrittenRows extends WriteCounts {
  /** Other rows that changed: withdrawn, derived, or parts of a row; none by default. */
  readonly alsoChanged?: number
}

/** The sum of several outcomes. */
export function sumOfCounts(...counts: readonly WriteCounts[]): WriteCounts {
  const sum = (of: keyof WriteCounts) => counts.reduce((total, each) => total + each[of], 0)
  return { added: sum('added'), revised: sum('revised'), unchanged: sum('unchanged') }
}

/** A column with a value per row. */
export interface RowColumn<Row> {
  readonly name: string
  /** SQL type that values are compared and stored in. */
  readonly type: string
  /** SQL type in which values are sent; text by default. */
  readonly sentAs?: string
  readonly of: (row: Row) => unknown
  /** Null states nothing: a row that equals the current one in all other values keeps its value here. */
  readonly mayBeUnstated?: true
}

/** A column with one value for all rows of a batch. */
export interface KnownColumn {
  readonly name: string
  readonly type: string
  readonly ofKnown: (known: Known) => unknown
}

export type SeriesColumn<Row> = RowColumn<Row> | KnownColumn

/** Types whose values are sent as they are. Others are sent as text, such as decimals and days. */
const SENT_AS_TYPED: ReadonlySet<string> = new Set(['bool', 'bytea', 'int2', 'int4', 'timestamptz'])

/** A column of a table with a value that is computed from a row. */
export function storedColumn<const Name extends string, Row>(
  columns: { readonly [Each in NoInfer<Name>]: ColumnType },
  name: Name,
  of: (row: Row) => unknown,
): RowColumn<Row> {
  const type = typeOf(columns[name])
  return { name: snakeCase(name), type, sentAs: SENT_AS_TYPED.has(type) ? type : 'text', of }
}

/** Columns of a table whose values are the members of a row with the same names. */
export function storedColumns<const Name extends string>(
  columns: { readonly [Each in NoInfer<Name>]: ColumnType },
  ...names: readonly Name[]
): readonly RowColumn<{ readonly [Each in Name]: unknown }>[] {
  return names.map((name) => storedColumn(columns, name, (row) => row[name]))
}

/** The same column, whose null states nothing. */
export function unstatable<Row>(column: RowColumn<Row>): RowColumn<Row> {
  return { ...column, mayBeUnstated: true }
}

/**
 * A bi-temporal table: `known_from` and `known_to` beside the columns named here, and a unique index over the key of the
 * current rows (`known_to is null`).
 */
export interface SeriesTable<Row, Summary extends ColumnTable = ColumnTable> {
  readonly name: string
  readonly key: readonly RowColumn<Row>[]
  /** A change of any of these is a revision. */
  readonly values: readonly SeriesColumn<Row>[]
  /** Stored with a row; a change of these is not a revision. */
  readonly notes: readonly KnownColumn[]
  /** A value that only rises. A row below the current one changes nothing; of one key in a batch the highest wins. */
  readonly monotonicBy?: string
  /** A key column whose range limits a batch to few partitions. */
  readonly rangeOf?: string
  /** SQL over the incoming row `i`: when its fact could be learned. */
  readonly learnedAt?: string
  /** More columns of the result, and their SQL over `compared`. */
  readonly summary?: { readonly columns: Summary; readonly text: string }
  /** Whether rows can be withdrawn. The table then has `is_withdrawn`, and its values may be null. */
  readonly isWithdrawable?: boolean
}

/** The source of a row. */
export const SOURCE_COLUMN: KnownColumn = {
  name: 'source',
  type: 'text',
  ofKnown: ({ source }) => source,
}

export function isKnownColumn<Row>(column: SeriesColumn<Row>): column is KnownColumn {
  return 'ofKnown' in column
}

/** Column names, prefixed by the name of a row. */
export function columnList(columns: readonly { readonly name: string }[], row?: string): string {
  return columns.map(({ name }) => (row === undefined ? name : `${row}.${name}`)).join(', ')
}

/** SQL: the values of an incoming row beside the current one, whose unstated values it may keep. One text per column. */
export function valuesBeside<Row>(
  values: readonly SeriesColumn<Row>[],
  incoming: string,
  current: string,
): readonly string[] {
  const isUnstatable = (column: SeriesColumn<Row>) => !isKnownColumn(column) && column.mayBeUnstated === true
  const stated = values.filter((column) => !isUnstatable(column))
  const same = `(${columnList(stated, incoming)}) is not distinct from (${columnList(stated, current)})`
  return values.map((column) => {
    const { name } = column
    return isUnstatable(column)
      ? `case when ${same} then coalesce(${incoming}.${name}, ${current}.${name}) else ${incoming}.${name} end`
      : `${incoming}.${name}`
  })
}

/** SQL: the same as columns with their names. */
export function namedValuesBeside<Row>(
  values: readonly SeriesColumn<Row>[],
  incoming: string,
  current: string,
): string {
  const texts = valuesBeside(values, incoming, current)
  return values.map(({ name }, at) => `${texts[at]} as ${name}`).join(', ')
}

/** SQL: keys that are sent as one array per column, from this parameter on. */
export function givenKeys<Key>(key: readonly RowColumn<Key>[], firstParameter: number): string {
  const typed = key.map(({ name, type }) => `given.${name}::${type} as ${name}`)
  const arrays = key.map(({ sentAs = 'text' }, at) => `$${firstParameter + at}::${sentAs}[]`)
  return `select distinct ${typed.join(', ')} from unnest(${arrays.join(', ')}) as given(${columnList(key)})`
}

/** The parameters of `givenKeys`. */
export function keyArrays<Key>(key: readonly RowColumn<Key>[], keys: readonly Key[]): readonly unknown[] {
  return key.map(({ of }) => keys.map(of))
}

/** SQL: whether two rows have the same key. */
export function sameKey(key: readonly { readonly name: string }[], a: string, b: string): string {
  return key.map(({ name }) => `${a}.${name} = ${b}.${name}`).join(' and ')
}
