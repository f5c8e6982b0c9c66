import { groupBy } from '../../core/group-by.js'
import type { OffsetPage } from '../../core/page.js'
import { toIsoDate } from '../../core/time.js'
import type { Queries, Sql } from '../../platform/database/database.js'
import { orNull, selectList, statement, statements } from '../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../platform/database/where-given.js'
import { type FormerListing, LISTING_COLUMNS, type Listing, type StockFilter } from './model.js'

const { ofAsset, ofListing } = LISTING_COLUMNS
const LISTING = { ...ofAsset, ...ofListing, issuerSlug: 'text?' } as const
const LISTINGS = `${selectList(ofAsset, 'a')}, ${selectList(ofListing, 'i')},
  (select m.slug from asset m where m.asset_id = i.issuer_asset_id) as "issuerSlug"
  from instrument i join asset a on a.asset_id = i.asset_id`

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

/** The current listings of former tickers, the latest change first. A ticker that is not a former one is not in the map. */
export async function loadFormerListings(
  { prisma }: Pick<Queries, 'prisma'>,
  tickers: readonly string[],
): Promise<ReadonlyMap<string, readonly FormerListing[]>> {
  const former = await prisma.instrumentIdentifier.findMany({
    where: { scheme: 'ticker', value: { in: [...tickers] }, validTo: { not: null }, knownTo: null },
    orderBy: [{ validTo: 'desc' }, { assetId: 'asc' }],
  })
  const listings = await prisma.instrument.findMany({
    where: { assetId: { in: former.map(({ assetId }) => assetId) }, isPrimary: true },
    select: { assetId: true, ticker: true, mic: true, asset: { select: { name: true, assetClass: true } } },
  })
  const changes = former.flatMap(({ assetId, value, validTo }) =>
    listings.flatMap(({ asset, ticker, mic, ...listing }) =>
      listing.assetId === assetId && validTo !== null
        ? { formerTicker: value, ticker, since: toIsoDate(validTo), ...asset, mic }
        : [],
    ),
  )
  return groupBy<FormerListing>(changes, ({ formerTicker }) => formerTicker)
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
