import type { Sql } from '../database/database.js'
import { statement } from '../database/statement.js'

// Plain SQL: the table of the migrations is no model of Prisma's schema.
const INSTALLED_AT = statement(
  'lacks table of migrations',
  { at: 'timestamptz?' },
  'select min(finished_at) as at from "_prisma_migrations"',
)

/** When the database got its first migration. Nothing was due before. */
export async function loadInstalledAt(sql: Sql): Promise<Date | null> {
  const [row] = await sql.rows(INSTALLED_AT)
  return row?.at ?? null
}
