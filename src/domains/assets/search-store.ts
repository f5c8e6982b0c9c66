import type { Asset } from '../../generated/prisma/client.js'
import type { Sql } from '../../platform/database/database.js'
import { selectList, statement } from '../../platform/database/statement.js'
import { ASSET_COLUMNS, type AssetClass } from './model.js'

export interface FoundAssets {
  /** Best match first. */
  readonly assets: readonly Asset[]
  /** Number of all matches. */
  readonly total: number
}

/**
 * An asset matches if its slug, ticker or name contains every word of the text, or if the text is its integer key, or the
 * ISIN or FIGI of one of its listings. Order: the text equals key, code, slug, ticker or name; one of them begins with it; a word of them begins with it; they contain the
 * whole text; they contain its words. Ties are sorted by rank tier, then by key. `offset 0` keeps PostgreSQL from
 * computing the texts again for each comparison.
 *
 * Plain SQL: Prisma's client cannot express this order. The statement reads the whole master without an index: with 10,000
 * assets it takes 10 to 15 ms for a word and 45 ms for a single letter (on PostgreSQL and on PGlite, on two shared cores).
 */
const SEARCH = statement(
  { ...ASSET_COLUMNS, total: 'int8' },
  `select ${selectList(ASSET_COLUMNS, 'a')}, count(*) over () as total
   from (
     select *, lower(slug || ' ' || ticker || ' ' || name) as whole, lower(ticker) as low_ticker, lower(name) as low_name,
       asset_id = $2::int or asset_id in (select asset_id from instrument where upper($4::text) in (isin, figi)) as has_code
     from asset where $1::asset_class is null or asset_class = $1::asset_class offset 0
   ) as a
   where a.has_code or a.whole like all ($3::text[])
   order by case
     when a.has_code or $4 in (a.slug, a.low_ticker, a.low_name) then 0
     when starts_with(a.slug, $4) or starts_with(a.low_ticker, $4) or starts_with(a.low_name, $4) then 1
     when a.whole like any ($5::text[]) then 2
     when strpos(a.whole, $4) > 0 then 3
     else 4 end, a.tier nulls last, a.asset_id
   limit $6`,
)

export async function searchAssets(
  sql: Sql,
  wanted: {
    /** Lower case, with one blank between words. */
    readonly text: string
    readonly assetId: number | null
    readonly assetClass: AssetClass | null
    readonly limit: number
  },
): Promise<FoundAssets> {
  const { text, assetId, assetClass, limit } = wanted
  const pattern = text.replace(/[\\%_]/g, '\\$&')
  const words = pattern.split(' ').map((word) => `%${word}%`)
  // A word begins after a blank, or after a hyphen within a slug.
  const wordStarts = [`% ${pattern}%`, `%-${pattern}%`]
  const rows = await sql.rows(SEARCH, [assetClass, assetId, words, text, wordStarts, limit])
  return { assets: rows, total: rows[0]?.total ?? 0 }
}
