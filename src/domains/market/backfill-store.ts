import type { Sql, Transaction } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import { unpackSources } from './compact/packed-sources-model.js'
import type { StoredSource, Timeframe } from './model.js'

// Plain SQL: one statement reads two tables by asset and day.
const DONE = statement(
  { assetId: 'int4', venues: '_text?', packed: 'bytea?' },
  `select w.asset_id as "assetId", b.venues, c.sources as packed
   from unnest($1::int[]) as w(asset_id)
   left join candle_backfill as b on b.asset_id = w.asset_id and b.day = ($2::timestamptz at time zone 'UTC')::date
   left join candle as c on c.asset_id = w.asset_id and c.timeframe = '1d' and c.ts = $2::timestamptz
     and c.known_to is null and c.source = $3`,
)

/**
 * By asset, the venues that need no backfill for that UTC day, in one statement: those in its day candle of that source, and
 * those whose bars were requested by an earlier backfill, with or without a result.
 */
export async function loadDoneVenues(
  sql: Sql,
  assetIds: readonly number[],
  day: Date,
  source: string,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const rows = await sql.rows(DONE, [assetIds, day, source])
  return new Map(
    rows.map(({ assetId, venues, packed }) => {
      const used = packed === null ? [] : unpackSources(packed).map(({ venue }) => venue)
      return [assetId, new Set([...(venues ?? []), ...used])]
    }),
  )
}

/** Adds these venues to those that need no backfill for that UTC day. */
export async function recordDoneVenues(
  tx: Transaction,
  assetId: number,
  day: Date,
  venues: readonly string[],
): Promise<void> {
  await tx.rows(
    `insert into candle_backfill (asset_id, day, venues)
     values ($1, ($2::timestamptz at time zone 'UTC')::date, $3::text[])
     on conflict (asset_id, day) do update
     set venues = array(select distinct unnest(candle_backfill.venues || excluded.venues) order by 1)`,
    [assetId, day, venues],
  )
}

/** A current candle with the venues it was computed from. */
export interface StoredCandle {
  readonly timeframe: Timeframe
  /** Start of the window, UTC. */
  readonly ts: Date
  /** Provider of the row. */
  readonly source: string
  readonly sources: readonly StoredSource[]
}

const OF_DAY = statement(
  {
    timeframe: column<Timeframe>('timeframe'),
    ts: 'timestamptz',
    source: 'text',
    packed: 'bytea',
  },
  `select c.timeframe, c.ts, c.source, c.sources as packed
   from candle as c
   where c.asset_id = $1 and c.timeframe in ('1h', '1d') and c.ts >= $2::timestamptz
     and c.ts < $2::timestamptz + interval '24 hours' and c.known_to is null`,
)

/** The current candles of an asset that start on that UTC day: the hours and the day. */
export async function loadCandlesOfDay(
  sql: Sql,
  assetId: number,
  day: Date,
): Promise<readonly StoredCandle[]> {
  const rows = await sql.rows(OF_DAY, [assetId, day])
  return rows.map(({ packed, ...candle }) => ({ ...candle, sources: unpackSources(packed) }))
}
