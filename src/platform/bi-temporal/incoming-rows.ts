import {
  columnList,
  isKnownColumn,
  type Known,
  type KnownColumn,
  type RowColumn,
  type SeriesTable,
} from './series-table.js'

/** A value of the batch, and the parameter that carries it. */
interface Parameter<Row> {
  readonly place: string
  readonly of: (rows: readonly Row[], known: Known) => unknown
}

/** The parameters of a statement, in order. */
export interface Parameters<Row> {
  readonly all: readonly Parameter<Row>[]
  /** Adds a parameter and returns its number, such as `$1`. */
  readonly add: (of: Parameter<Row>['of']) => string
}

export function newParameters<Row>(): Parameters<Row> {
  const all: Parameter<Row>[] = []
  const add = (of: Parameter<Row>['of']) => {
    const place = `$${all.length + 1}`
    all.push({ place, of })
    return place
  }
  return { all, add }
}

/** SQL: since when an incoming row `i` is known, beside its current version `s`. */
export function knownFromText<Row>(
  { learnedAt }: Pick<SeriesTable<Row>, 'learnedAt'>,
  parameter: Parameters<Row>['add'],
): string {
  const knownAt = `${parameter((_rows, known) => known.knownAt)}::timestamptz`
  const revised = `greatest(${knownAt}, s.known_from + interval '1 millisecond')`
  if (learnedAt === undefined) return revised
  const since = `${parameter((_rows, known) => known.knownSince ?? known.knownAt)}::timestamptz`
  return `case when s.known_from is null then least(${knownAt}, greatest(${since}, ${learnedAt})) else ${revised} end`
}

/** SQL of a batch as typed rows, one per key. Of several rows with one key the last wins, or the highest by `monotonicBy`. */
export function incomingRows<Row>(table: SeriesTable<Row>, parameter: Parameters<Row>['add']): string {
  const { key, values, notes, monotonicBy } = table
  const given = [...key, ...values].filter((column): column is RowColumn<Row> => !isKnownColumn(column))
  const scalars = [...values, ...notes].filter((column): column is KnownColumn => isKnownColumn(column))
  const arrays = given.map(({ of, sentAs = 'text' }) => `${parameter((rows) => rows.map(of))}::${sentAs}[]`)
  const typed = given.map(({ name, type }) => `${name}::${type} as ${name}`).join(', ')
  const incoming = [
    ...given.map(({ name }) => name),
    ...scalars.map(
      ({ name, type, ofKnown }) => `${parameter((_rows, known) => ofKnown(known))}::${type} as ${name}`,
    ),
  ].join(', ')
  return `select distinct on (${columnList(key)}) ${incoming} from (
      select ${typed}, place
      from unnest(${arrays.join(', ')}) with ordinality as given(${columnList(given)}, place)
    ) as typed
    order by ${columnList(key)}, ${monotonicBy === undefined ? '' : `${monotonicBy} desc, `}place desc`
}
