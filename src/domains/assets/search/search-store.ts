import { ASSET } from '../../../generated/columns.js'
import type { Asset } from '../../../generated/prisma/client.js'
import type { Sql } from '../../../platform/database/database.js'
import { selectList, statement } from '../../../platform/database/statement.js'
import type { AssetClass } from '../model.js'

export interface FoundAssets {
  /** Best match first. */
  readonly assets: readonly Asset[]
  /** Number of all matches. */
  readonly total: number
  /** Whether the text is, or begins, a slug, ticker, name, code or word of the best match. */
  readonly isWordFound: boolean
}

/** The ranks of `SEARCH` in which the text is or begins something. */
const LAST_WORD_RANK = 2

/**
 * An asset matches if its slug, ticker or name contains every word of the text, or if the text is its integer key, or the
 * ISIN, FIGI or LEI of one of its listings, or if the caller found that the text means it. Order: the text equals key, code, slug,
 * ticker or name; one of them begins with it; a word of them begins with it; it is meant; they contain the whole text;
 * they contain its words. Ties are sorted by the order of the meant ones, by rank tier, then by key. `offset 0` keeps PostgreSQL from
 * computing the texts again for each comparison.
 *
 * The statement reads the whole master without an index: with 10,000 assets it takes 10 to 15 ms for a word and 45 ms for a
 * single letter (on PostgreSQL and on PGlite, on two shared cores).
 */
const SEARCH = statement(
  'lacks computed order',
  { ...ASSET, total: 'int8', rank: 'int4' },
  `select ${selectList(ASSET, 'a')}, count(*) over () as total, case
     when a.has_code or $4 in (a.slug, a.low_ticker, a.low_name) then 0
     when starts_with(a.slug, $4) or starts_with(a.low_ticker, $4) or starts_with(a.low_name, $4) then 1
     when a.whole like any ($5::text[]) then 2
     when a.meant is not null then 3
     when strpos(a.whole, $4) > 0 then 4
     else 5 end as rank
   from (
     select *, lower(slug || ' ' || ticker || ' ' || name) as whole, lower(ticker) as low_ticker, lower(name) as low_name,
       asset_id = $2::int or asset_id in (select asset_id from instrument where upper($4::text) in (isin, figi, lei)) as has_code,
       array_position($7::int[], asset_id) as meant
     from asset where $1::asset_class is null or asset_class = $1::asset_class offset 0
   ) as a
   where a.has_code or a.meant is not null or a.whole like all ($3::text[])
   order by rank, a.meant nulls last, a.tier nulls last, a.asset_id
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
    /** Keys of the assets that the text means in other words, best first. */
    readonly meant: readonly number[]
  },
): Promise<FoundAssets> {
  const { text, assetId, assetClass, limit, meant } = wanted
  const pattern = text.replace(/[\\%_]/g, '\\$&')
  const words = pattern.split(' ').map((word) => `%${word}%`)
  // A word begins after a blank, or after a hyphen within a slug.
  const wordStarts = [`% ${pattern}%`, `%-${pattern}%`]
  const rows = await sql.rows(SEARCH, [assetClass, assetId, words, text, wordStarts, limit, meant])
  const [best] = rows
  return {
    assets: rows,
    total: best?.total ?? 0,
    isWordFound: best !== undefined && best.rank <= LAST_WORD_RANK,
  }
}
