import type { Database } from '../../../src/platform/database/database.js'

/**
 * Empties tables that refuse it, as those do that are only added to: their triggers do not run meanwhile. Tables that refer to
 * them are emptied too.
 */
export async function emptied(database: Database, tables: readonly string[]): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.rows('set local session_replication_role = replica')
    await tx.rows(`truncate ${tables.join(', ')} cascade`)
  })
}

/**
 * Empties tables of few rows, in any order. To truncate them makes new files for each table and index, which takes up to
 * ten times as long.
 */
export async function emptiedOfFew(database: Database, tables: readonly string[]): Promise<void> {
  const deletions = tables.map((table) => `delete from ${table}`)
  await database.transaction((tx) =>
    tx.script(['set local session_replication_role = replica', ...deletions].join('; ')),
  )
}
