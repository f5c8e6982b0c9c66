import type { IsoDate } from '../../core/time.js'
import { INSTRUMENT } from '../../generated/columns.js'
import type { Sql } from '../../platform/database/database.js'
import { arraysOf, only, type RowIn, statement } from '../../platform/database/statement.js'
import { LIST_SOURCES } from '../instruments/model.js'

const LISTINGS = statement(
  'lacks newest per key',
  { ...only(INSTRUMENT, 'assetId', 'instrumentId', 'ticker'), newestDay: 'date?' },
  `select i.asset_id as "assetId", i.instrument_id as "instrumentId", i.ticker, p.date as "newestDay"
   from instrument as i join asset as a using (asset_id)
   left join lateral (
     select d.date from daily_price as d where d.instrument_id = i.instrument_id and d.known_to is null and d.source = $1
     order by d.date desc limit 1
   ) as p on true
   where a.asset_class in ('stock', 'etf')
     and case when cardinality($4::text[]) = 0 then i.mic = any($2::text[]) and not a.source = any($3::text[])
       else i.inactive_since is null and (i.mic = any($2::text[]) or i.mic is null and i.exchange = any($4::text[])) end
   order by p.date nulls first, i.instrument_id`,
)

/** A listing that a provider has prices of, with the newest day that it stated. */
export type ProviderListing = RowIn<typeof LISTINGS>

/**
 * The listings of followed stocks and ETFs (see `LIST_SOURCES`) on these markets, those with the oldest prices of the provider
 * first. With names of exchanges as lists write them, all active listings of these markets and exchanges.
 */
export function loadProviderListings(
  sql: Sql,
  source: string,
  mics: readonly string[],
  exchanges: readonly string[] = [],
): Promise<readonly ProviderListing[]> {
  return sql.rows(LISTINGS, [source, mics, LIST_SOURCES, exchanges])
}

/** Days of a listing that another source stated. */
interface StatedElsewhere {
  readonly splits: ReadonlySet<IsoDate>
  readonly dividends: ReadonlySet<IsoDate>
}

const DAYS = '_date'

// Withdrawn rows count: what a source took back must not return from another one.
const STATED = statement(
  'lacks array of rows',
  { splits: DAYS, dividends: DAYS },
  `select
     array(select a.ex_date from corporate_action as a
       where a.asset_id = l.asset_id and a.known_to is null and a.ex_date >= l.first_day and not a.source = any($1::text[])
         and a.action_type in ('split', 'reverse_split')) as splits,
     array(select v.ex_date from dividend as v
       where v.asset_id = l.asset_id and v.known_to is null and v.ex_date >= l.first_day and not v.source = any($1::text[])) as dividends
   from unnest($2::int[], $3::date[]) with ordinality as l(asset_id, first_day, number)
   order by l.number`,
)

/** Adds to each listing the days on which sources other than these stated splits or dividends, since its `from`, in one statement. */
export async function withStatedElsewhere<
  Requested extends Pick<ProviderListing, 'assetId'> & { readonly from: IsoDate },
>(
  sql: Sql,
  listings: readonly Requested[],
  sources: readonly string[],
): Promise<readonly (Requested & { readonly statedElsewhere: StatedElsewhere })[]> {
  const rows = await sql.rows(STATED, [sources, ...arraysOf(listings, 'assetId', 'from')])
  return listings.map((listing, at) => {
    const row = rows[at] // one per listing
    const [splits, dividends] = [new Set(row?.splits), new Set(row?.dividends)]
    return { ...listing, statedElsewhere: { splits, dividends } }
  })
}
