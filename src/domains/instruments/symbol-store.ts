import { groupBy } from '../../core/group-by.js'
import type { IsoDate } from '../../core/time.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import type { Sql } from '../../platform/database/database.js'
import { column, type RowOf } from '../../platform/database/statement.js'
import { ASSET_COLUMNS } from '../assets/model.js'

const COLUMNS = {
  ticker: 'text',
  assetId: ASSET_COLUMNS.assetId,
  slug: ASSET_COLUMNS.slug,
  name: ASSET_COLUMNS.name,
  assetClass: ASSET_COLUMNS.assetClass,
  figi: 'text?',
  isin: 'text?',
  mic: 'text?',
  validFrom: column<IsoDate | null>('date?'),
  validTo: column<IsoDate | null>('date?'),
  successor: 'text?',
  source: 'text',
} as const

/** A security and the days on which it had a ticker. */
export type SymbolPeriod = RowOf<typeof COLUMNS>

/** The most periods of a ticker in a response, the latest first. */
export const MAX_PERIODS = 200

// Plain SQL: one statement reads the first periods of several tickers; the successor is the ticker that the same security has
// from the day on which this one ended.
const selectPeriods = asOfStatement(
  COLUMNS,
  1,
  (known) => `select p.* from unnest($1::text[]) with ordinality as requested(ticker, number)
   cross join lateral (
     select distinct on (t.asset_id, t.occurrence) t.value as ticker, a.asset_id as "assetId", a.slug, a.name,
       a.asset_class as "assetClass", i.figi, i.isin, i.mic, t.valid_from as "validFrom", t.valid_to as "validTo",
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

/** The periods of each ticker, the latest first, in one statement. A ticker that no security had is not in the map. */
export async function loadSymbolPeriods(
  sql: Sql,
  tickers: readonly string[],
  asOf: Date | null,
): Promise<ReadonlyMap<string, readonly SymbolPeriod[]>> {
  const rows = await selectPeriods(sql, [tickers], asOf)
  const byTicker = groupBy<SymbolPeriod>(rows, ({ ticker }) => ticker)
  return new Map([...byTicker].map(([ticker, own]) => [ticker, own.slice(0, MAX_PERIODS)]))
}
