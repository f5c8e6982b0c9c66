import type { ColumnTable } from '../database/statement.js'

/** Written into each row: since when it is known here, and from whom. */
export interface Known {
  readonly knownAt: Date
  /** Provider of the rows, or seed. */
  readonly source: string
}

/** What became of rows: each of them counts once. */
export interface WriteCounts {
  readonly added: number
  readonly revised: number
  readonly unchanged: number
}

/** What became of rows, and what changed with them. */
export interface WrittenRows extends WriteCounts {
  /** Rows that changed beside those given: withdrawn, derived, or parts of one; left out: none. */
  readonly alsoChanged?: number
}

/** What several writers did together. */
export function sumOfCounts(...counts: readonly WriteCounts[]): WriteCounts {
  const sum = (of: keyof WriteCounts) => counts.reduce((total, each) => total + each[of], 0)
  return { added: sum('added'), revised: sum('revised'), unchanged: sum('unchanged') }
}

/** A column whose value each row gives. */
export interface RowColumn<Row> {
  readonly name: string
  /** SQL type that values are compared and stored in. */
  readonly type: string
  /** SQL type that values are sent in; text when left out. */
  readonly sentAs?: string
  readonly of: (row: Row) => unknown
}

/** A column with one value for all rows of a batch. */
export interface KnownColumn {
  readonly name: string
  readonly type: string
  readonly ofKnown: (known: Known) => unknown
}

export type SeriesColumn<Row> = RowColumn<Row> | KnownColumn

/**
 * A bi-temporal table: `known_from` and `known_to` beside the columns named here, and a unique index over the key of the
 * current rows (`known_to is null`).
 */
export interface SeriesTable<Row, Summary extends ColumnTable = ColumnTable> {
  readonly name: string
  /** What a row is about. */
  readonly key: readonly RowColumn<Row>[]
  /** A change of any of these is a revision. */
  readonly values: readonly SeriesColumn<Row>[]
  /** Stored with a row, but no reason for a revision. */
  readonly notes: readonly KnownColumn[]
  /** A value that only rises: a row below the current one changes nothing, and of one key in a batch the highest counts. */
  readonly monotonicBy?: string
  /** A key column by whose range a batch touches few partitions. */
  readonly rangeOf?: string
  /** More columns of the result, and their SQL over `compared`. */
  readonly summary?: { readonly columns: Summary; readonly text: string }
  /** Whether rows can be withdrawn: the table then has `is_withdrawn`, and values that may be null. */
  readonly isWithdrawable?: boolean
}

/** Whom a row comes from. */
export const SOURCE_COLUMN: KnownColumn = {
  name: 'source',
  type: 'text',
  ofKnown: ({ source }) => source,
}

export function isKnownColumn<Row>(column: SeriesColumn<Row>): column is KnownColumn {
  return 'ofKnown' in column
}

/** Column names, each of the row of that name. */
export function columnList(columns: readonly { readonly name: string }[], row?: string): string {
  return columns.map(({ name }) => (row === undefined ? name : `${row}.${name}`)).join(', ')
}

/** SQL: whether two rows have the same key. */
export function sameKey(key: readonly { readonly name: string }[], a: string, b: string): string {
  return key.map(({ name }) => `${a}.${name} = ${b}.${name}`).join(' and ')
}
