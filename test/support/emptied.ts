import type { Database } from '../../src/platform/database/database.js'

/** Empties tables that refuse it, as those do that are only added to: their triggers do not run meanwhile. */
export async function emptied(database: Database, tables: readonly string[]): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.rows('set local session_replication_role = replica')
    await tx.rows(`truncate ${tables.join(', ')}`)
  })
}
