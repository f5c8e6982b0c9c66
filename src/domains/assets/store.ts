import type { Asset } from '../../generated/prisma/client.js'
import type { Sql } from '../../platform/database/database.js'

const COLUMNS = `a.asset_id as "assetId", a.slug, a.ticker, a.name, a.asset_class as "assetClass", a.tier,
  a.last_updated as "lastUpdated", a.source`

export async function readAssetsBySlug(
  sql: Sql,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, Asset>> {
  const rows = await sql.rows<Asset>(`select ${COLUMNS} from asset a where a.slug = any($1::text[])`, [slugs])
  return new Map(rows.map((row) => [row.slug, row]))
}
