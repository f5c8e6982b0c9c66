import type { Sql, Transaction } from '../../platform/database/database.js'
import type { Timeframe } from './model.js'

/** A venue's part in a candle, exactly as the consensus published it; decimals as text. */
export interface StoredSource {
  readonly venue: string
  readonly vwapUsd: string | null
  readonly volumeUsd: string | null
  readonly weight: string | null
  readonly exclusion: string | null
  readonly deviation: string | null
}

/** A consensus candle as it is written; prices and volumes in USD, decimals as text. */
export interface CandleRow {
  readonly assetId: number
  readonly timeframe: Timeframe
  /** Start of the window, UTC. */
  readonly ts: Date
  /** Null with too few venues, as are volume and weight. */
  readonly vwapUsd: string | null
  readonly volumeUsd: string | null
  readonly exchangesCount: number
  /** Fraction of at most 0.5. */
  readonly maxSourceWeight: string | null
  readonly methodologyVersion: string
  readonly sources: readonly StoredSource[]
}

/** Units of an asset in circulation. */
export interface SupplyRow {
  readonly assetId: number
  /** Decimal text, above zero. */
  readonly supply: string
  readonly observedAt: Date
}

interface Known {
  readonly knownAt: Date
  /** Provider of the rows, or seed. */
  readonly source: string
}

interface WriteCounts {
  readonly added: number
  readonly revised: number
  readonly unchanged: number
}

const FIGURES = 'vwap_usd, volume_usd, exchanges_count, max_source_weight, methodology_version, sources'

const figures = (row: string) =>
  FIGURES.split(', ')
    .map((name) => `${row}.${name}`)
    .join(', ')

/**
 * One statement per batch. Each candle finds the current one by an index lookup of its own and closes it by its
 * place (a row's number is unique within its partition only): a plan that does not depend on statistics, which a
 * bulk load has not got yet. The insert waits for the count of closed rows, since two candles of one window may not
 * both be current. A revision is known at least 1 ms after what it revises, even if clocks differ.
 */
const WRITE_CANDLES = `
  with incoming as (
    select distinct on (asset_id, timeframe, ts) * from (
      select asset_id, timeframe::timeframe, ts, vwap_usd::numeric(65, 30), volume_usd::numeric(65, 30),
        exchanges_count::smallint, max_source_weight::numeric(11, 10), methodology_version, sources::jsonb, place
      from unnest($1::int[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::int[], $7::text[],
        $8::text[], $9::text[]) with ordinality as given(asset_id, timeframe, ts, ${FIGURES}, place)
    ) as typed
    order by asset_id, timeframe, ts, place desc
  ), compared as (
    select i.*, s.partition, s.row_place, s.known_from as existing_from,
      greatest($10::timestamptz, s.known_from + interval '1 millisecond') as known_at,
      (${figures('i')}) is distinct from (${figures('s')}) as differs
    from incoming as i left join lateral (
      select c.tableoid as partition, c.ctid as row_place, c.known_from, ${figures('c')} from candle as c
      where c.asset_id = i.asset_id and c.timeframe = i.timeframe and c.ts = i.ts and c.known_to is null limit 1
    ) as s on true
  ), revised as (
    select partition, row_place, known_at from compared where differs and existing_from is not null
  ), closed as (
    update candle as c set known_to = r.known_at from revised as r
    where c.ctid = any(array(select row_place from revised)) and c.ctid = r.row_place and c.tableoid = r.partition
    returning 1
  ), written as (
    insert into candle (asset_id, timeframe, ts, ${FIGURES}, known_from, source)
    select asset_id, timeframe, ts, ${FIGURES}, known_at, $11 from compared
    where differs and (select count(*) from closed) >= 0
  )
  select count(*) filter (where existing_from is null)::int as added,
    count(*) filter (where differs and existing_from is not null)::int as revised,
    count(*) filter (where not differs)::int as unchanged
  from compared`

/**
 * Adds candles that are new and revises those whose figures, method or sources differ from the current one: that
 * row is closed and the new one added. Of two candles of one window in a batch the last counts. Callers see to it
 * that no two transactions write at once (the run of a feed holds its dataset's lock).
 */
export async function writeCandles(
  tx: Transaction,
  rows: readonly CandleRow[],
  known: Known,
): Promise<WriteCounts> {
  const [counts] = await tx.rows<WriteCounts>(WRITE_CANDLES, [
    rows.map((row) => row.assetId),
    rows.map((row) => row.timeframe),
    rows.map((row) => row.ts),
    rows.map((row) => row.vwapUsd),
    rows.map((row) => row.volumeUsd),
    rows.map((row) => row.exchangesCount),
    rows.map((row) => row.maxSourceWeight),
    rows.map((row) => row.methodologyVersion),
    rows.map((row) => JSON.stringify(row.sources)),
    known.knownAt,
    known.source,
  ])
  return counts ?? { added: 0, revised: 0, unchanged: 0 }
}

/** Removes all candles of a source, closed ones too, and says how many they were. */
export function removeCandles(tx: Transaction, source: string): Promise<number> {
  return removeOf(tx, 'candle', source)
}

async function removeOf(tx: Transaction, table: 'candle' | 'asset_supply', source: string): Promise<number> {
  const [removed] = await tx.rows<{ count: number }>(
    `with removed as (delete from ${table} where source = $1 returning 1)
     select count(*)::int as count from removed`,
    [source],
  )
  return removed?.count ?? 0
}

/** End of the newest window of any asset that has a candle; null when there is none. Its cost is the number of assets. */
export async function readLatestCandleEnd(sql: Sql): Promise<Date | null> {
  const [newest] = await sql.rows<{ end: Date | null }>(
    `with recursive assets as (
       (select asset_id from candle where known_to is null order by asset_id limit 1)
       union all
       select (select c.asset_id from candle as c where c.asset_id > assets.asset_id and c.known_to is null
         order by c.asset_id limit 1)
       from assets where assets.asset_id is not null
     )
     select max(newest.ts + frame.length) as end from assets
     cross join (values ('1h'::timeframe, interval '1 hour'), ('1d', interval '1 day')) as frame(timeframe, length)
     cross join lateral (
       select c.ts from candle as c
       where c.asset_id = assets.asset_id and c.timeframe = frame.timeframe and c.known_to is null
       order by c.ts desc limit 1
     ) as newest`,
  )
  return newest?.end ?? null
}

/**
 * One current row per asset. A figure observed later replaces the current one; one observed earlier
 * changes nothing.
 */
const WRITE_SUPPLIES = `
  with incoming as (
    select distinct on (asset_id) asset_id, supply::numeric(65, 30) as supply, observed_at
    from unnest($1::int[], $2::text[], $3::timestamptz[]) with ordinality as given(asset_id, supply, observed_at, place)
    order by asset_id, observed_at desc, place desc
  ), compared as (
    select i.*, s.known_from as existing_from,
      greatest($4::timestamptz, s.known_from + interval '1 millisecond') as known_at,
      s.known_from is not null and i.observed_at >= s.observed_at
        and (i.supply, i.observed_at, $5::text) is distinct from (s.supply, s.observed_at, s.source) as is_revised
    from incoming as i left join asset_supply as s on s.asset_id = i.asset_id and s.known_to is null
  ), closed as (
    update asset_supply as s set known_to = c.known_at from compared as c
    where s.asset_id = c.asset_id and s.known_to is null and c.is_revised
    returning 1
  ), written as (
    insert into asset_supply (asset_id, supply, source, observed_at, known_from)
    select asset_id, supply, $5, observed_at, known_at from compared
    where (is_revised or existing_from is null) and (select count(*) from closed) >= 0
  )
  select count(*) filter (where existing_from is null)::int as added,
    count(*) filter (where is_revised)::int as revised,
    count(*) filter (where existing_from is not null and not is_revised)::int as unchanged
  from compared`

/** Adds supplies that are new and revises the current ones by what was observed later; the caller's duty is the same as for candles. */
export async function writeSupplies(
  tx: Transaction,
  rows: readonly SupplyRow[],
  known: Known,
): Promise<WriteCounts> {
  const [counts] = await tx.rows<WriteCounts>(WRITE_SUPPLIES, [
    rows.map((row) => row.assetId),
    rows.map((row) => row.supply),
    rows.map((row) => row.observedAt),
    known.knownAt,
    known.source,
  ])
  return counts ?? { added: 0, revised: 0, unchanged: 0 }
}

/** Removes all supplies of a source, closed ones too, and says how many they were. */
export function removeSupplies(tx: Transaction, source: string): Promise<number> {
  return removeOf(tx, 'asset_supply', source)
}
