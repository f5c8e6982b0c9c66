import type { Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { LISTED_EXCHANGES } from './listed-symbols-model.js'

/** Two securities that have one ticker on one market on the same day. */
export interface TickerContradiction {
  readonly ticker: string
  readonly market: string
  readonly one: string
  readonly other: string
}

/** An error that is found once is likely in many rows; a ledger needs the first of them. */
const MAX_CONTRADICTIONS = 100

const OVERLAPS = `(t.valid_from is null or o.valid_to is null or t.valid_from < o.valid_to)
  and (o.valid_from is null or t.valid_to is null or o.valid_from < t.valid_to)`

// Plain SQL: the table is joined with itself.
const CONTRADICTIONS = statement(
  { ticker: 'text', market: 'text', one: 'text', other: 'text' },
  `select t.value as ticker, i.mic || '' as market, a.name as one, b.name as other
   from instrument_identifier as t
   join instrument_identifier as o on o.value = t.value and o.scheme = t.scheme and o.asset_id > t.asset_id
     and o.known_to is null and ${OVERLAPS}
   join instrument as i on i.asset_id = t.asset_id and i.is_primary
   join instrument as j on j.asset_id = o.asset_id and j.is_primary and j.mic = i.mic
   join asset as a on a.asset_id = t.asset_id join asset as b on b.asset_id = o.asset_id
   where t.scheme = 'ticker' and t.known_to is null
   union
   select t.ticker, t.exchange, t.name || ' (CIK ' || t.cik || ')', o.name || ' (CIK ' || o.cik || ')'
   from listed_symbol as t join listed_symbol as o on o.ticker = t.ticker and o.exchange = t.exchange and o.cik > t.cik
     and o.known_to is null and ${OVERLAPS}
   where t.known_to is null
   union
   select t.ticker, t.exchange, t.name || ' (CIK ' || t.cik || ')', a.name || ' (CIK ' || i.cik || ')'
   from listed_symbol as t
   join unnest($1::text[], $2::text[]) as market(exchange, mic) on market.exchange = t.exchange
   join instrument as i on replace(i.ticker, '.', '-') = t.ticker and i.mic = market.mic and i.cik <> t.cik
   join asset as a on a.asset_id = i.asset_id
   where t.known_to is null and t.valid_to is null
   order by 1, 2, 3 limit ${MAX_CONTRADICTIONS}`,
)

const MARKETS = LISTED_EXCHANGES.flatMap(({ exchange, markets }) => markets.map((mic) => ({ exchange, mic })))

/** The contradictions of the stored tickers: among assets, among the lists, and between both. At most 100. */
export function loadTickerContradictions(sql: Sql): Promise<readonly TickerContradiction[]> {
  return sql.rows(CONTRADICTIONS, [MARKETS.map(({ exchange }) => exchange), MARKETS.map(({ mic }) => mic)])
}
