import { groupBy } from '../../core/group-by.js'
import type { OffsetPage } from '../../core/page.js'
import type { Sql } from '../../platform/database/database.js'
import { column, orNull, selectList, statement, statements } from '../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../platform/database/where-given.js'
import { type FormerListing, LISTING_COLUMNS, type Listing, type StockFilter } from './model.js'

const { ofAsset, ofListing } = LISTING_COLUMNS
const LISTING = { ...ofAsset, ...ofListing, issuerSlug: 'text?' } as const
const LISTINGS = `${selectList(ofAsset, 'a')}, ${selectList(ofListing, 'i')},
  (select m.slug from asset m where m.asset_id = i.issuer_asset_id) as "issuerSlug"
  from instrument i join asset a on a.asset_id = i.asset_id`

// Plain SQL: lists of cards and discover wait for these reads. Prisma's client takes two statements for each, three for a page
// of stocks, and 3.4 to 5.1 times the CPU for 20 listings (bench sql).
const BY_TICKER = statement(
  'hot 3.4',
  LISTING,
  `select ${LISTINGS} where i.ticker = any($1::text[]) order by i.instrument_id`,
)

/** All listings of each ticker, in the order of their keys. A ticker without a listing is not in the map. */
export async function loadListingsByTicker(
  sql: Sql,
  tickers: readonly string[],
): Promise<ReadonlyMap<string, readonly Listing[]>> {
  const rows = await sql.rows(BY_TICKER, [tickers])
  return groupBy<Listing>(rows, ({ ticker }) => ticker)
}

const PRIMARY = statement(
  'hot 3.4',
  LISTING,
  `select distinct on (i.asset_id) ${LISTINGS} where i.asset_id = any($1::int[]) and i.is_primary
   order by i.asset_id, i.instrument_id`,
)

/** The primary listing of each asset, by the key of the asset as text. If it has several, the one with the lowest key. */
export async function loadPrimaryListings(
  sql: Sql,
  assetIds: readonly number[],
): Promise<ReadonlyMap<string, Listing>> {
  const rows = await sql.rows(PRIMARY, [assetIds])
  return new Map(rows.map((row) => [String(row.assetId), row]))
}

// `+ 0` gives the column a type without null: it is nullable, but not in these rows.
const FORMER = statement(
  {
    formerTicker: 'text',
    ticker: 'text',
    since: column<FormerListing['since']>('date'),
    name: 'text',
    mic: 'text?',
    assetClass: column<FormerListing['assetClass']>('asset_class'),
  },
  `select f.value as "formerTicker", i.ticker, f.valid_to + 0 as since, a.name, i.mic, a.asset_class as "assetClass"
   from instrument_identifier f join instrument i on i.asset_id = f.asset_id and i.is_primary
   join asset a on a.asset_id = f.asset_id
   where f.value = any($1::text[]) and f.scheme = 'ticker' and f.valid_to is not null and f.known_to is null
   order by f.valid_to desc, f.asset_id`,
)

/** The current listings of former tickers, the latest change first. A ticker that is not a former one is not in the map. */
export async function loadFormerListings(
  sql: Sql,
  tickers: readonly string[],
): Promise<ReadonlyMap<string, readonly FormerListing[]>> {
  const rows = await sql.rows(FORMER, [tickers])
  return groupBy<FormerListing>(rows, ({ formerTicker }) => formerTicker)
}

/** An empty page is a single row without a listing. */
const STOCKS = statements(
  'hot 3.3',
  { ...orNull(LISTING), total: 'int4' },
  (where: string) => `select counted.total, page.*
    from (
      select count(*)::int as total from instrument i join asset a on a.asset_id = i.asset_id
      where a.asset_class = 'stock' and ${where}
    ) as counted
    left join lateral (
      select ${LISTINGS} where a.asset_class = 'stock' and ${where} order by i.instrument_id limit $1 offset $2
    ) as page on true
    order by page."assetId", page.mic`,
  'true',
)

export interface StockPage {
  readonly stocks: readonly Listing[]
  /** Number of listings on all pages. */
  readonly total: number
}

/** A page of the listings of stocks in the order of their keys, in one statement. */
export async function loadStocks(
  sql: Sql,
  { mic, sector }: StockFilter,
  { limit, offset }: OffsetPage,
): Promise<StockPage> {
  const conditions: readonly Condition[] = [
    ['i.mic = ?', mic],
    ['i.sector_gics = ?', sector],
  ]
  const { where, parameters } = whereGiven(conditions, 2)
  const rows = await sql.rows(STOCKS(where), [limit, offset, ...parameters])
  return { stocks: rows.filter(isListing), total: rows[0]?.total ?? 0 }
}

/** The columns of a listing are either all set or all null. */
function isListing<Row extends { readonly assetId: number | null }>(row: Row): row is Row & Listing {
  return row.assetId !== null
}
