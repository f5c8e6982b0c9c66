import type { Sql } from '../database/database.js'
import { type ColumnTable, type PlainSqlCase, type RowOf, statement } from '../database/statement.js'

/** SQL that is true if the named row is current, or was current at the requested instant. */
export type KnownAt = (row: string) => string

/** Reads what is known now (`asOf` null) or was known at that instant. */
export type AsOfRead<Row> = (
  sql: Sql,
  parameters: readonly unknown[],
  asOf: Date | null,
) => Promise<readonly Row[]>

/**
 * A statement over bi-temporal rows, as a pair from one text: the current rows, which partial indexes hold, and the rows
 * that were current at an instant. `taken` is the number of parameters in the text; the instant comes after them.
 */
export function asOfStatement<const Table extends ColumnTable>(
  plainSql: PlainSqlCase,
  columns: Table,
  parameterCount: number,
  text: (known: KnownAt) => string,
): AsOfRead<RowOf<Table>>
export function asOfStatement<const Table extends ColumnTable>(
  columns: Table,
  parameterCount: number,
  text: (known: KnownAt) => string,
): AsOfRead<RowOf<Table>>
export function asOfStatement(
  ...given:
    | [PlainSqlCase, ColumnTable, number, (known: KnownAt) => string]
    | [ColumnTable, number, (known: KnownAt) => string]
): AsOfRead<RowOf<ColumnTable>> {
  const [columns, parameterCount, text] = given.length === 4 ? [given[1], given[2], given[3]] : given
  const instant = `$${parameterCount + 1}::timestamptz`
  const now = statement(
    columns,
    text((row) => `${row}.known_to is null`),
  )
  const past = statement(
    columns,
    text(
      (row) =>
        `${row}.known_from <= ${instant} and (${row}.known_to is null or ${row}.known_to > ${instant})`,
    ),
  )
  return (sql, parameters, asOf) =>
    asOf === null ? sql.rows(now, parameters) : sql.rows(past, [...parameters, asOf])
}
