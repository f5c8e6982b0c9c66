import type { AsOf } from '../../../core/as-of.js'
import { ASSET, INSTRUMENT, INSTRUMENT_IDENTIFIER } from '../../../generated/columns.js'
import { asOfStatement } from '../../../platform/bi-temporal/as-of-statement.js'
import type { Sql } from '../../../platform/database/database.js'
import { only, type RowOf } from '../../../platform/database/statement.js'

const COLUMNS = {
  ...only(ASSET, 'assetId', 'slug', 'name', 'assetClass'),
  ...only(INSTRUMENT, 'figi', 'isin', 'cik', 'mic', 'exchange'),
  ...only(INSTRUMENT_IDENTIFIER, 'occurrence', 'validFrom', 'validTo', 'source'),
  ticker: 'text',
  successor: 'text?',
} as const

/** An asset of the instrument master and the days on which it had a ticker. */
export type MasterPeriod = RowOf<typeof COLUMNS>

// The successor is the ticker that the same security has from the day on which this one ended.
const selectPeriods = asOfStatement(
  'lacks newest per key',
  COLUMNS,
  1,
  null,
  (known) => `select p.* from unnest($1::text[]) with ordinality as requested(ticker, number)
   cross join lateral (
     select distinct on (t.asset_id, t.occurrence) t.value as ticker, t.occurrence, a.asset_id as "assetId", a.slug, a.name,
       a.asset_class as "assetClass", i.figi, i.isin, i.cik, i.mic, i.exchange, t.valid_from as "validFrom", t.valid_to as "validTo",
       (select n.value from instrument_identifier n
        where n.asset_id = t.asset_id and n.scheme = 'ticker' and n.valid_from = t.valid_to and ${known('n')}
        order by n.value limit 1) as successor,
       t.source
     from instrument_identifier t
     join asset a on a.asset_id = t.asset_id
     join instrument i on i.asset_id = t.asset_id and i.is_primary
     where t.scheme = 'ticker' and t.value = requested.ticker and ${known('t')}
     order by t.asset_id, t.occurrence, i.instrument_id
   ) as p
   order by requested.number, p."validTo" desc nulls first, p."assetId"`,
)

/** The periods of tickers in the instrument master, the latest first, in one statement. */
export function loadMasterPeriods(
  sql: Sql,
  tickers: readonly string[],
  asOf: AsOf | null,
): Promise<readonly MasterPeriod[]> {
  return selectPeriods(sql, [tickers], asOf)
}
