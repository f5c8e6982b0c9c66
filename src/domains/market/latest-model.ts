import { DAY_MS } from '../../core/time.js'
import { column, type RowOf } from '../../platform/database/statement.js'
import { type Timeframe, WINDOW_MS } from './model.js'

/** The newest consensus of an asset and its current supply, each null without one. */
export interface LatestFigures {
  readonly candle: LatestCandle | null
  readonly supply: SupplyFigure | null
}

export interface LatestCandle {
  readonly timeframe: Timeframe
  /** End of the window, UTC. */
  readonly endsAt: Date
  /** Decimal text, USD. Null with too few venues. */
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

export interface AssetSupplyFigure extends SupplyFigure {
  readonly assetId: number
}

/** A card shows no older price. The bound limits the read to the newest partitions. */
const LATEST_WITHIN_MS = 400 * DAY_MS

/**
 * Joins the newest candle and the supply to the assets of a relation with `asset_id` and `asset_class`. Only crypto assets
 * have a consensus. Parameters $1 to $3 are `latestBounds`. If an hour and a day end together, the hour has the newer price:
 * the order by `timeframe` puts it first, as the enum does.
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

/**
 * The columns that `NEWEST_OF` joins. Those of the candle, except its price, are either all null or all set. The same holds
 * for those of the supply.
 */
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

/** Start of the hour in epoch milliseconds. Windows end on the hour, so the latest window is the same within an hour. */
export function latestHour(now: Date): number {
  return now.getTime() - (now.getTime() % WINDOW_MS['1h'])
}

/** Starts of the oldest window that a card shows, of the newest finished hour and of the newest finished day. */
export function latestBounds(now: Date): readonly Date[] {
  const hour = latestHour(now)
  return [LATEST_WITHIN_MS, WINDOW_MS['1h'], WINDOW_MS['1d']].map((ms) => new Date(hour - ms))
}

export function toLatestFigures(row: LatestRow): LatestFigures {
  const { supply, supplySource: source, observedAt } = row
  return {
    candle: hasCandle(row) ? row : null,
    supply: supply === null || source === null || observedAt === null ? null : { supply, source, observedAt },
  }
}

function hasCandle(row: LatestRow): row is LatestRow & LatestCandle {
  return row.timeframe !== null
}
