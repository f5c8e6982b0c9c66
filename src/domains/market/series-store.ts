import { stands } from '../../platform/bi-temporal.js'
import type { Sql } from '../../platform/database.js'
import { type Timeframe, WINDOW_MS } from './model.js'
import type { StoredSource } from './store.js'

/** A candle as it is served: prices and volumes in USD, the doubles nearest to the stored decimals. */
export interface CandleFigures {
  /** Start of the window, UTC. */
  readonly ts: Date
  /** Null with too few venues, as are volume and weight. */
  readonly vwapUsd: number | null
  readonly volumeUsd: number | null
  readonly exchangesCount: number
  /** Fraction of at most 0.5. */
  readonly maxSourceWeight: number | null
}

/** The newest consensus of an asset and the supply that stands; null where there is none. */
export interface LatestFigures {
  readonly candle: LatestCandle | null
  readonly supply: SupplyFigure | null
}

export interface LatestCandle {
  readonly timeframe: Timeframe
  /** End of the window, UTC. */
  readonly endsAt: Date
  /** Decimal text, USD; null with too few venues. */
  readonly vwapUsd: string | null
  readonly exchangesCount: number
  readonly methodologyVersion: string
}

export interface SupplyFigure {
  /** Units of the asset, decimal text. */
  readonly supply: string
  readonly source: string
  readonly observedAt: Date
}

/** Everything a candle was made of; decimals as text. */
export interface CandleInputs {
  readonly vwapUsd: string | null
  readonly methodologyVersion: string
  readonly sources: readonly StoredSource[]
  readonly knownFrom: Date
}

/**
 * The assets one by one through `candle_standing`, which holds all that is read. The inner `order by` keeps PostgreSQL
 * from turning the join round into a scan of everybody's candles.
 */
const SELECT_CANDLES = (asOf: string | null) => `
  select wanted.asset_id as "assetId", c.* from unnest($1::int[]) as wanted(asset_id)
  cross join lateral (
    select c.ts, c.vwap_usd::float8 as "vwapUsd", c.volume_usd::float8 as "volumeUsd",
      c.exchanges_count as "exchangesCount", c.max_source_weight::float8 as "maxSourceWeight"
    from candle as c
    where c.asset_id = wanted.asset_id and c.timeframe = $2::timeframe
      and c.ts >= $3::timestamptz and c.ts < $4::timestamptz and ${stands('c', asOf)}
    order by c.ts
  ) as c`

const CANDLES_NOW = SELECT_CANDLES(null)
const CANDLES_AS_OF = SELECT_CANDLES('$5')

/**
 * The candles of assets whose windows start in [first, end), oldest first; an asset without any maps to an empty
 * list. One statement. `asOf` gives what was known at that instant, null what is known now.
 */
export async function readCandles(
  sql: Sql,
  assetIds: readonly number[],
  wanted: {
    readonly timeframe: Timeframe
    readonly first: Date
    readonly end: Date
    readonly asOf: Date | null
  },
): Promise<ReadonlyMap<number, readonly CandleFigures[]>> {
  const range = [assetIds, wanted.timeframe, wanted.first, wanted.end]
  const rows = await sql.rows<CandleFigures & { assetId: number }>(
    wanted.asOf === null ? CANDLES_NOW : CANDLES_AS_OF,
    wanted.asOf === null ? range : [...range, wanted.asOf],
  )
  const byAsset = new Map<number, CandleFigures[]>(assetIds.map((assetId) => [assetId, []]))
  for (const row of rows) byAsset.get(row.assetId)?.push(row)
  return byAsset
}

/** A card shows no price older than this; the bound keeps the read to the newest partitions. */
const LATEST_WITHIN_MS = 400 * 86_400_000

/**
 * Joins the newest candle and the supply of the assets in a relation, which has `asset_id` and `asset_class`; only
 * crypto assets have a consensus. Parameters $1 to $3 are `latestBounds`. Of an hour and a day that end together the
 * hour is the newer price; the enum has it first.
 */
export const NEWEST_OF = (assets: string) => `
  left join lateral (
    select newest.timeframe, newest.ends_at as "endsAt", trim_scale(newest.vwap_usd) as "vwapUsd",
      newest.exchanges_count as "exchangesCount", newest.methodology_version as "methodologyVersion",
      trim_scale(s.supply) as supply, s.source as "supplySource", s.observed_at as "observedAt"
    from (select 1) as one
    left join lateral (
      (select c.timeframe, c.vwap_usd, c.exchanges_count, c.methodology_version, c.ts + interval '1 hour' as ends_at
       from candle as c
       where c.asset_id = ${assets}.asset_id and c.timeframe = '1h' and c.known_to is null
         and c.ts >= $1::timestamptz and c.ts <= $2::timestamptz
       order by c.ts desc limit 1)
      union all
      (select c.timeframe, c.vwap_usd, c.exchanges_count, c.methodology_version, c.ts + interval '1 day' as ends_at
       from candle as c
       where c.asset_id = ${assets}.asset_id and c.timeframe = '1d' and c.known_to is null
         and c.ts >= $1::timestamptz and c.ts <= $3::timestamptz
       order by c.ts desc limit 1)
      order by ends_at desc, timeframe limit 1
    ) as newest on true
    left join asset_supply as s on s.asset_id = ${assets}.asset_id and s.known_to is null
    where ${assets}.asset_class = 'crypto'
  ) as newest on true`

const LATEST = `
  select wanted.asset_id as "assetId", newest.*
  from (select asset_id, 'crypto' as asset_class from unnest($4::int[]) as given(asset_id)) as wanted
  ${NEWEST_OF('wanted')}`

export type LatestRow = { readonly supplySource: string } & (LatestCandle | { readonly timeframe: null }) &
  ({ readonly supply: string; readonly observedAt: Date } | { readonly supply: null })

/** Start of the oldest window that a card shows, and of the newest hour and day that have ended. */
export function latestBounds(now: Date): readonly Date[] {
  return [LATEST_WITHIN_MS, WINDOW_MS['1h'], WINDOW_MS['1d']].map((ms) => new Date(now.getTime() - ms))
}

export function latestFiguresOf(row: LatestRow): LatestFigures {
  const { supply } = row
  return {
    candle: row.timeframe === null ? null : row,
    supply: supply === null ? null : { supply, source: row.supplySource, observedAt: row.observedAt },
  }
}

/**
 * The newest candle of a finished window of each asset, of either timeframe and with or without a price, and its
 * supply, by the asset's key as text. One statement.
 */
export async function readLatest(
  sql: Sql,
  assetIds: readonly number[],
  now: Date,
): Promise<ReadonlyMap<string, LatestFigures>> {
  const rows = await sql.rows<LatestRow & { assetId: number }>(LATEST, [...latestBounds(now), assetIds])
  return new Map(rows.map((row) => [String(row.assetId), latestFiguresOf(row)]))
}

const SELECT_INPUTS = (asOf: string | null) => `
  select trim_scale(c.vwap_usd) as "vwapUsd", c.methodology_version as "methodologyVersion", c.sources,
    c.known_from as "knownFrom"
  from candle as c
  where c.asset_id = $1 and c.timeframe = $2::timeframe and c.ts = $3 and ${stands('c', asOf)}`

const INPUTS_NOW = SELECT_INPUTS(null)
const INPUTS_AS_OF = SELECT_INPUTS('$4')

/** What the candle of a window was made of, now or as it was known at `asOf`; null when there is none. */
export async function readCandleInputs(
  sql: Sql,
  wanted: {
    readonly assetId: number
    readonly timeframe: Timeframe
    readonly ts: Date
    readonly asOf: Date | null
  },
): Promise<CandleInputs | null> {
  const window = [wanted.assetId, wanted.timeframe, wanted.ts]
  const [inputs] = await sql.rows<CandleInputs>(
    wanted.asOf === null ? INPUTS_NOW : INPUTS_AS_OF,
    wanted.asOf === null ? window : [...window, wanted.asOf],
  )
  return inputs ?? null
}
