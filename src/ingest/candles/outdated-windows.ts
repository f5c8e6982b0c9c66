import type { Sql } from '../../platform/database/database.js'
import { arraysOf, statement } from '../../platform/database/statement.js'
import { CONSENSUS_SOURCE } from '../datasets/market/candles-policy.js'
import { endOfWindow, type Window } from '../datasets/market/roll-up.js'
import { STABLECOINS } from './usd-rates.js'

// Plain SQL: the transaction that computes candles reads bars of an hour or a day without loading them.
const OUTDATED = statement(
  'lacks join without a relation',
  { number: 'int4' },
  `select w.number::int as number
   from unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) with ordinality as w(timeframe, ts, ends, number)
   join candle as c on c.asset_id = $1 and c.timeframe = w.timeframe::timeframe and c.ts = w.ts
     and c.known_to is null and c.source = $5
   where exists (
     select from asset as a
     cross join lateral (
       select from minute_bar as b where b.asset_id = a.asset_id and b.venue = any(enum_range(null::venue))
         and b.ts >= w.ts and b.ts < w.ends and b.known_to is null
         and b.known_from > greatest(c.known_from, $7::timestamptz)
       limit 1
     ) as newer
     where a.slug = any($6::text[])
   )
   order by w.number`,
)

/**
 * Those of the windows whose candle is older than a bar of a stablecoin in the window, which may change the rate that
 * converted it. `since`: only bars that are known since then count; null: all.
 */
export async function loadOutdatedWindows(
  sql: Sql,
  assetId: number,
  windows: readonly Window[],
  since: Date | null,
): Promise<readonly Window[]> {
  if (windows.length === 0) return []
  const rows = await sql.rows(OUTDATED, [
    assetId,
    ...arraysOf(windows, 'timeframe', 'ts'),
    windows.map(endOfWindow),
    CONSENSUS_SOURCE,
    STABLECOINS.map(({ slug }) => slug),
    since,
  ])
  return rows.flatMap(({ number }) => windows[number - 1] ?? [])
}
