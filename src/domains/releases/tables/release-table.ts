import type { DatasetName } from '../../../core/datasets.js'
import type { FileColumn } from '../../../platform/columnar/columns.js'

export interface ReleaseColumn extends FileColumn {
  readonly sql: string
  /** What the column has for a value of the SQL; the value itself if absent. */
  readonly read?: (value: Buffer) => string
  /** Unit of the values; null for a name, a key or an instant. */
  readonly unit: string | null
  readonly description: string
}

/** Bi-temporal rows with `known_from`, `known_to` and `source`, and how a release shows them. */
export interface ReleaseTable {
  readonly dataset: string
  /** The dataset of the gateway that the rows belong to. Its last commit and its terms are those of the release. */
  readonly partOf: DatasetName
  /** A table, or a select statement in parentheses. */
  readonly table: string
  /** Without `known_from`, `known_to` and `source`, which each table has. */
  readonly columns: readonly ReleaseColumn[]
  /**
   * Key of a row together with `known_from`, as SQL over the table `t` that sorts alike in every database. Rows are in this
   * order; that of an enum is the order of its values. None is null.
   */
  readonly key: readonly string[]
  /** The day or instant that a row is about; `known_from` for a row that is about none. */
  readonly period: { readonly column: string; readonly type: 'date' | 'timestamptz' }
  /** A file has the rows of one month; absent: of one year. */
  readonly partition?: 'month'
  /** Column with the version of the rules that made a row; absent if a provider made it. */
  readonly methodology?: string
  /** Periods that should be there; absent if none are expected. */
  readonly expected?: ExpectedSteps | ExpectedSessions
  /**
   * Columns with providers of figures that a row was derived from, and the datasets with their terms. The row is left out
   * if one of them forbids passing on.
   */
  readonly derivedFrom?: { readonly columns: readonly string[]; readonly datasets: readonly DatasetName[] }
}

/** Each series has a row for every step between its first and its last one. */
export interface ExpectedSteps {
  /** SQL of the name of a series. */
  readonly series: string
  /** SQL of an interval: whole months, or less than one. Null: no periods are expected. */
  readonly step: string
  /** SQL condition of a row that states a value. */
  readonly isPresent: string
}

/** Each series has a row for every session of a calendar between its first and its last one. */
export interface ExpectedSessions {
  /** SQL of the name of a series; null if the whole dataset is one. */
  readonly series: string | null
  /** SQL of the code of a calendar. No sessions are expected for an unknown or a null one. */
  readonly calendar: string
}

type Constructor = (name: string, description: string, sql?: string) => ReleaseColumn
type FigureConstructor = (name: string, unit: string, description: string) => ReleaseColumn

function constructorOf(type: ReleaseColumn['type'], isList = false): Constructor {
  return (name, description, sql = name) => ({ name, type, isList, sql, unit: null, description })
}

/** Columns by type. The SQL is the name if none is given. */
export const releaseColumn = {
  text: constructorOf('text'),
  texts: constructorOf('text', true),
  integer: constructorOf('integer'),
  flag: constructorOf('boolean'),
  date: constructorOf('date'),
  timestamp: constructorOf('timestamp'),
  /** A figure as a double: it holds the 15 digits that prices are published with, and any magnitude. */
  number: ((name, unit, description) => {
    return { name, type: 'number', sql: name, unit, description }
  }) satisfies FigureConstructor as FigureConstructor,
  /** A whole number of up to 38 digits. */
  count: ((name, unit, description) => {
    return { name, type: 'decimal', sql: `${name}::text`, unit, description }
  }) satisfies FigureConstructor as FigureConstructor,
  /** An exact figure with 8 places after the point, which the stored column has too. */
  decimal: ((name, unit, description) => {
    return { name, type: 'decimal', scale: 8, sql: name, unit, description }
  }) satisfies FigureConstructor as FigureConstructor,
} as const

/** Columns that each release has after its own. */
const COMMON_COLUMNS: readonly ReleaseColumn[] = [
  releaseColumn.text('source', 'Provider of the row; seed is synthetic.'),
  releaseColumn.timestamp('known_from', 'When the gateway learned the row.'),
  releaseColumn.timestamp(
    'known_to',
    'When a revision replaced the row; null if it was current at known_at of the release.',
    // $1 is the instant of the release. A later revision is not known then.
    'case when known_to <= $1 then known_to end',
  ),
]

/** All columns of a release, in order. */
export function releaseColumns({ columns }: ReleaseTable): readonly ReleaseColumn[] {
  return [...columns, ...COMMON_COLUMNS]
}
