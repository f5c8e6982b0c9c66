import type { ReleaseTable } from './release-table.js'
import { RELEASE_TABLES } from './release-tables.js'

/** Declares the statements of each released table, once, and returns those of one. */
export function declareForTables<Statements>(
  statementsOf: (table: ReleaseTable) => Statements,
): (table: ReleaseTable) => Statements {
  const declared = new Map(RELEASE_TABLES.map((table) => [table, statementsOf(table)]))
  return (table) => {
    const found = declared.get(table)
    if (found === undefined) throw new Error(`${table.dataset} is not in RELEASE_TABLES`)
    return found
  }
}
