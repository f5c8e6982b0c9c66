import type { Known, WrittenRows } from '../../../platform/bi-temporal/series-table.js'
import type { Sql, Transaction } from '../../../platform/database/database.js'
import { arraysOf, type RowIn, statement } from '../../../platform/database/statement.js'

/** A coin about which venues agree, and the venues that trade another one under its ticker. */
export interface ConfirmedCoin {
  readonly assetId: number
  readonly others: readonly { readonly venue: string; readonly reason: string }[]
}

const UNCONFIRMED = statement(
  'lacks aggregate of a join',
  { assetId: 'int4', slug: 'text' },
  `select a.asset_id as "assetId", a.slug from instrument as i join asset as a on a.asset_id = i.instrument_id
   where not i.is_confirmed and i.inactive_since is null
     and 2 <= (select count(*) from venue_coverage as c where c.asset_id = a.asset_id and c.covered_to is not null)
   order by a.asset_id limit $1`,
)

/** A coin of the lists whose venues do not agree yet. */
export type UnconfirmedCoin = RowIn<typeof UNCONFIRMED>

/** Coins that wait for a confirmation and that two venues have answered for, by key. */
export function loadUnconfirmedCoins(sql: Sql, limit: number): Promise<readonly UnconfirmedCoin[]> {
  return sql.rows(UNCONFIRMED, [limit])
}

const EXCLUDE = statement(
  'bulk',
  { assetId: 'int4' },
  `with other as (
     select s.asset_id, s.venue, s.symbol, o.reason from unnest($1::int[], $2::text[], $3::text[]) as o(asset_id, venue, reason)
     join venue_symbol as s using (asset_id, venue) where s.symbol is not null
   ), noted as (
     insert into excluded_listing (asset_id, venue, symbol, reason, excluded_at)
     select asset_id, venue, symbol, reason, $4::timestamptz from other on conflict do nothing
   )
   update venue_symbol as s set symbol = null from other as o where s.asset_id = o.asset_id and s.venue = o.venue
   returning s.asset_id as "assetId"`,
)

/** Confirms coins, and requests no more bars from venues that trade another coin under their ticker. */
export async function writeConfirmedCoins(
  tx: Transaction,
  coins: readonly ConfirmedCoin[],
  { knownAt }: Known,
): Promise<WrittenRows> {
  const confirmed = await tx.prisma.instrument.updateMany({
    where: { instrumentId: { in: coins.map(({ assetId }) => assetId) }, isConfirmed: false },
    data: { isConfirmed: true },
  })
  const others = coins.flatMap(({ assetId, others: own }) => own.map((other) => ({ assetId, ...other })))
  const excluded = await tx.rows(EXCLUDE, [...arraysOf(others, 'assetId', 'venue', 'reason'), knownAt])
  const unchanged = coins.length - confirmed.count
  return { added: 0, revised: confirmed.count, unchanged, alsoChanged: excluded.length }
}
