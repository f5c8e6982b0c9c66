import type { Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'

// Plain SQL: a read of answers that are kept, which sees one state of the data with the others.
const BEST_TIER = statement({ tier: 'int4?' }, 'select min(tier) as tier from asset')

/** The tier of the best-ranked asset; null: there is none. A dataset that goes by tier is due as often as this one. */
export async function readBestTier(sql: Sql): Promise<number | null> {
  const [row] = await sql.rows(BEST_TIER)
  return row?.tier ?? null
}
