import { DAY_MS } from '../../core/time.js'
import { column, type RowOf } from '../../platform/database/statement.js'
import { type Timeframe, WINDOW_MS } from './model.js'

/** The newest consensus of an asset and its current supply; null where there is none. */
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

/** A supply and whose it is. */
export interface AssetSupplyFigure extends SupplyFigure {
  readonly assetId: number
}

/** A card shows no price older than this; the bound keeps the read to the newest partitions. */
const LATEST_WITHIN_MS = 400 * DAY_MS

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

/** What `NEWEST_OF` joins. Of a candle there are all columns but its price or none, and so of a supply. */
export const LATEST_COLUMNS = {
  timeframe: column<Timeframe | null>('timeframe?'),
  endsAt: 'timestamptz?',
  vwapUsd: 'numeric?',
  exchangesCount: 'int2?',
  methodologyVersion: 'text?',
  supply: 'numeric?',
  supplySource: 'text?',
  observedAt: 'timestamptz?',
} as const

export type LatestRow = RowOf<typeof LATEST_COLUMNS>

/** Start of the hour, epoch milliseconds: windows begin on the hour, so what is the latest is the same until it ends. */
export function latestHour(now: Date): number {
  return now.getTime() - (now.getTime() % WINDOW_MS['1h'])
}

/** Start of the oldest window that a card shows, and of the newest hour and day that have ended. */
export function latestBounds(now: Date): readonly Date[] {
  const hour = latestHour(now)
  return [LATEST_WITHIN_MS, WINDOW_MS['1h'], WINDOW_MS['1d']].map((ms) => new Date(hour - ms))
}

export function toLatestFigures(row: LatestRow): LatestFigures {
  const { supply, supplySource: source, observedAt } = row
  return {
    candle: isOfCandle(row) ? row : null,
    supply: supply === null || source === null || observedAt === null ? null : { supply, source, observedAt },
  }
}

function isOfCandle(row: LatestRow): row is LatestRow & LatestCandle {
  return row.timeframe !== null
}
