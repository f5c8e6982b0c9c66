import { groupBy } from '../../core/group-by.js'
import { toIsoDate } from '../../core/time.js'
import type { Queries, Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { LISTING_ROW, LISTING_SELECT } from './listing-select-model.js'
import type { FormerListing, Listing } from './model.js'

const BY_TICKER = statement(
  'hot 3.4',
  LISTING_ROW,
  `select ${LISTING_SELECT} where i.ticker = any($1::text[]) order by i.instrument_id`,
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
  LISTING_ROW,
  `select distinct on (i.asset_id) ${LISTING_SELECT} where i.asset_id = any($1::int[]) and i.is_primary
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
