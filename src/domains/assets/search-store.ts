import type { Asset } from '../../generated/prisma/client.js'
import type { Sql } from '../../platform/database/database.js'
import { selectList, statement } from '../../platform/database/statement.js'
import { ASSET_COLUMNS, type AssetClass } from './model.js'

export interface FoundAssets {
  /** The best first. */
  readonly assets: readonly Asset[]
  /** All that match. */
  readonly total: number
}

/**
 * Every word of the text is somewhere in slug, ticker or name, or the text is the integer key. Order: the whole text is
 * key, slug, ticker or name; one of them begins with it; a word of them does; they hold it in one piece; they hold its
 * words. Among equals the higher rank tier, then the lower key. `offset 0` keeps the texts from being made again for
 * each comparison.
 *
 * Plain SQL: Prisma's client has no order by such a rule. It reads the whole master, which needs no index: of 10,000
 * assets it takes 10 to 15 ms for a word and 45 ms for a single letter (PostgreSQL and PGlite alike, on two shared cores).
 */
const SEARCH = statement(
  { ...ASSET_COLUMNS, total: 'int8' },
  `select ${selectList(ASSET_COLUMNS, 'a')}, count(*) over () as total
   from (
     select *, lower(slug || ' ' || ticker || ' ' || name) as whole, lower(ticker) as low_ticker, lower(name) as low_name
     from asset where $1::asset_class is null or asset_class = $1::asset_class offset 0
   ) as a
   where a.asset_id = $2::int or a.whole like all ($3::text[])
   order by case
     when a.asset_id = $2::int or $4::text in (a.slug, a.low_ticker, a.low_name) then 0
     when starts_with(a.slug, $4) or starts_with(a.low_ticker, $4) or starts_with(a.low_name, $4) then 1
     when a.whole like any ($5::text[]) then 2
     when strpos(a.whole, $4) > 0 then 3
     else 4 end, a.tier nulls last, a.asset_id
   limit $6`,
)

/** One statement. */
export async function searchAssets(
  sql: Sql,
  wanted: {
    /** Lower case, words with one blank between. */
    readonly text: string
    readonly assetId: number | null
    readonly assetClass: AssetClass | null
    readonly limit: number
  },
): Promise<FoundAssets> {
  const { text, assetId, assetClass, limit } = wanted
  const pattern = text.replace(/[\\%_]/g, '\\$&')
  const words = pattern.split(' ').map((word) => `%${word}%`)
  // Words of a slug are joined by hyphens.
  const beginnings = [`% ${pattern}%`, `%-${pattern}%`]
  const rows = await sql.rows(SEARCH, [assetClass, assetId, words, text, beginnings, limit])
  return { assets: rows, total: rows[0]?.total ?? 0 }
}
