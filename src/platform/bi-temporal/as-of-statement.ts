import type { AsOf } from '../../core/as-of.js'
import type { Sql } from '../database/database.js'
import { type ColumnTable, type PlainSqlCase, type RowOf, statement } from '../database/statement.js'
import type { PublishedRule } from './published-rules.js'

/** SQL that is true if the named row is current, or was current at the requested instant. */
export type KnownAt = (row: string) => string

/** Reads what is known now (`asOf` null) or was known at an instant, by observation or by publication. */
export type AsOfRead<Row> = (
  sql: Sql,
  parameters: readonly unknown[],
  asOf: AsOf | null,
) => Promise<readonly Row[]>

/**
 * A statement over bi-temporal rows, as several from one text: the current rows, which partial indexes hold, the rows that were
 * current at an instant, and, by the rule of the table, those that were published then. Without a rule (null) no published
 * question may be asked. `parameterCount` is the number of parameters in the text; the instant comes after them.
 */
export function asOfStatement<const Table extends ColumnTable>(
  plainSql: PlainSqlCase,
  columns: Table,
  parameterCount: number,
  rule: PublishedRule | null,
  text: (known: KnownAt) => string,
): AsOfRead<RowOf<Table>> {
  const instant = `$${parameterCount + 1}::timestamptz`
  const declare = (known: KnownAt) => statement(plainSql, columns, text(known))
  const now = declare((row) => `${row}.known_to is null`)
  const observed = declare(
    (row) => `${row}.known_from <= ${instant} and (${row}.known_to is null or ${row}.known_to > ${instant})`,
  )
  const published = rule && declare((row) => wasPublished(row, rule, instant))
  return async (sql, parameters, asOf) => {
    if (asOf === null) return sql.rows(now, parameters)
    const past = asOf.basis === 'observed' ? observed : published
    if (past === null) throw new Error('a table without a published instant was read by it')
    return sql.rows(past, [...parameters, asOf.at])
  }
}

/**
 * SQL that is true for the version of a row that was published at an instant. The first version counts from the instant of the rule, a
 * later one from when this gateway learned it, unless each version states its instant.
 */
export function wasPublished(row: string, rule: PublishedRule, instant: string): string {
  const { table, key, isPublished, isOfVersion } = rule
  const isOther = (other: string) => key.map((name) => `${other}.${name} = ${row}.${name}`).join(' and ')
  const isCurrent = `${isPublished(row, instant)} and (${row}.known_to is null or ${row}.known_to > ${instant})`
  if (isOfVersion)
    return `${isCurrent} and not exists (select from ${table} as later where ${isOther('later')}
      and later.known_from > ${row}.known_from and ${isPublished('later', instant)})`
  // An earlier version is always closed; large tables have an index of the closed ones.
  return `${isCurrent} and (${row}.known_from <= ${instant} or not exists (select from ${table} as earlier
    where ${isOther('earlier')} and earlier.known_from < ${row}.known_from and earlier.known_to is not null))`
}
