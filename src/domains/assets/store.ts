import type { Asset } from '../../generated/prisma/client.js'
import type { Sql } from '../../platform/database.js'
import type { AssetFilter } from './model.js'

const COLUMNS = `a.asset_id as "assetId", a.slug, a.ticker, a.name, a.asset_class as "assetClass", a.tier,
  a.last_updated as "lastUpdated", a.source`

export interface AssetPage {
  readonly assets: readonly Asset[]
  /** Matching assets before paging. */
  readonly total: number
}

/** One page in the order of asset_id, with the total in the same statement. */
export async function readAssetPage(
  sql: Sql,
  filter: AssetFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<AssetPage> {
  const rows = await sql.rows<Asset & { total: number }>(
    `with matching as (
       select a.* from asset a
       where ($1::int is null or a.tier = $1) and ($2::text is null or a.asset_class::text = $2)
         and ($3::text is null or exists (select 1 from instrument i where i.asset_id = a.asset_id and i.mic = $3))
     )
     select counted.total, ${COLUMNS}
     from (select count(*) as total from matching) counted
     left join (select * from matching order by asset_id limit $4 offset $5) a on true
     order by a.asset_id`,
    [filter.tier, filter.assetClass, filter.mic, page.limit, page.offset],
  )
  // Beyond the last page the join leaves one row that holds the total alone.
  const assets = rows.filter((row) => row.assetId !== null)
  return { assets, total: rows[0]?.total ?? 0 }
}

export async function readAssetsBySlug(
  sql: Sql,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, Asset>> {
  const rows = await sql.rows<Asset>(`select ${COLUMNS} from asset a where a.slug = any($1::text[])`, [slugs])
  return new Map(rows.map((row) => [row.slug, row]))
}
