import type { Sql } from '../../../platform/database/database.js'
import { type RowIn, statement } from '../../../platform/database/statement.js'
import { LISTED_EXCHANGES } from './listed-symbols-model.js'

/** An error that is found once is likely in many rows; a ledger needs the first of them. */
const MAX_CONTRADICTIONS = 100

const OVERLAPS = `(t.valid_from is null or o.valid_to is null or t.valid_from < o.valid_to)
  and (o.valid_from is null or t.valid_to is null or o.valid_from < t.valid_to)`

// Each table is compared with itself and with the other. The tickers that have several holders are found by grouping,
// because statistics may not exist yet and a join of ten thousand tickers without them takes minutes.
const CONTRADICTIONS = statement(
  'lacks join without a relation',
  { ticker: 'text', market: 'text', one: 'text', other: 'text' },
  `with master as materialized (
     select t.value as ticker, i.mic, t.asset_id, t.valid_from, t.valid_to, a.name
     from instrument_identifier as t join instrument as i on i.asset_id = t.asset_id and i.is_primary
     join asset as a on a.asset_id = t.asset_id
     where t.scheme = 'ticker' and t.known_to is null and i.mic is not null
   ), listed as materialized (
     select ticker, exchange, cik, name, valid_from, valid_to from listed_symbol where known_to is null
   ), held as materialized (
     select replace(i.ticker, '.', '-') as ticker, market.exchange, i.cik, a.name
     from instrument as i join unnest($1::text[], $2::text[]) as market(exchange, mic) on market.mic = i.mic
     join asset as a on a.asset_id = i.asset_id where i.cik is not null
   ), among_masters as (
     select ticker, mic from master group by ticker, mic having count(distinct asset_id) > 1
   ), among_listed as (
     select ticker, exchange from listed group by ticker, exchange having count(distinct cik) > 1
   ), between_both as (
     select ticker, exchange from (
       select ticker, exchange, cik from listed where valid_to is null union all select ticker, exchange, cik from held
     ) as any_holder group by ticker, exchange having count(distinct cik) > 1
   )
   select ticker, mic || '' as market, t.name as one, o.name as other
   from among_masters join master as t using (ticker, mic) join master as o using (ticker, mic)
   where o.asset_id > t.asset_id and ${OVERLAPS}
   union
   select ticker, exchange, t.name || ' (CIK ' || t.cik || ')', o.name || ' (CIK ' || o.cik || ')'
   from among_listed join listed as t using (ticker, exchange) join listed as o using (ticker, exchange)
   where o.cik > t.cik and ${OVERLAPS}
   union
   select ticker, exchange, t.name || ' (CIK ' || t.cik || ')', i.name || ' (CIK ' || i.cik || ')'
   from between_both join listed as t using (ticker, exchange) join held as i using (ticker, exchange)
   where i.cik <> t.cik and t.valid_to is null
   order by 1, 2, 3 limit ${MAX_CONTRADICTIONS}`,
)

/** Two securities that have one ticker on one market on the same day. */
export type TickerContradiction = RowIn<typeof CONTRADICTIONS>

const MARKETS = LISTED_EXCHANGES.flatMap(({ exchange, markets }) => markets.map((mic) => ({ exchange, mic })))

/** The contradictions of the stored tickers: among assets, among the lists, and between both. At most 100. */
export function loadTickerContradictions(sql: Sql): Promise<readonly TickerContradiction[]> {
  return sql.rows(CONTRADICTIONS, [MARKETS.map(({ exchange }) => exchange), MARKETS.map(({ mic }) => mic)])
}
