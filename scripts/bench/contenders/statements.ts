import pg from 'pg'

/** A statement that is prepared once per connection under its name. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/** The default number of connections of a gateway process. */
const POOL_SIZE = 10

/** The gateway's setting. By default PostgreSQL plans a read of partitions again each time. */
const OPTIONS = '-c plan_cache_mode=force_generic_plan'

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: POOL_SIZE,
  options: OPTIONS,
})

/** `Row` is the caller's type for the columns of the statement. */
export async function rowsOf<Row extends object>(
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values: [...values] })).rows
}

/** An asset with its newest consensus; prices in USD. */
export interface CardRow {
  readonly asset_id: number
  readonly ticker: string
  readonly name: string
  readonly tier: number | null
  readonly confirmed_at: Date
  readonly vwap_usd: number | null
  readonly market_cap_usd: number | null
  /** End of the newest window; null without a window. */
  readonly ends_at: Date | null
  readonly exchanges_count: number | null
  readonly methodology_version: string | null
}

// The gateway's statement for a page, with figures as doubles: src/domains/market/latest-model.ts and
// src/domains/asset-cards/store.ts.
const NEWEST = `
  left join lateral (
    select newest.ends_at, newest.vwap_usd::float8, newest.exchanges_count, newest.methodology_version,
      (newest.vwap_usd * s.supply)::float8 as market_cap_usd
    from (select 1) as one
    left join lateral (
      (select c.timeframe, c.vwap_usd, c.exchanges_count, c.methodology_version, c.ts + interval '1 hour' as ends_at
       from candle as c
       where c.asset_id = a.asset_id and c.timeframe = '1h' and c.known_to is null
         and c.ts >= $1::timestamptz and c.ts <= $2::timestamptz
       order by c.ts desc limit 1)
      union all
      (select c.timeframe, c.vwap_usd, c.exchanges_count, c.methodology_version, c.ts + interval '1 day' as ends_at
       from candle as c
       where c.asset_id = a.asset_id and c.timeframe = '1d' and c.known_to is null
         and c.ts >= $1::timestamptz and c.ts <= $3::timestamptz
       order by c.ts desc limit 1)
      order by ends_at desc, timeframe limit 1
    ) as newest on true
    left join asset_supply as s on s.asset_id = a.asset_id and s.known_to is null
    where a.asset_class = 'crypto'
  ) as newest on true`

const CARD = 'a.asset_id, a.ticker, a.name, a.tier, a.last_updated as confirmed_at, newest.*'

const DAY_MS = 86_400_000
const OLDEST_MS = 400 * DAY_MS
const HOUR_MS = 3_600_000

/** The first three parameters of cards: start of the oldest window, and the newest finished hour and day. */
export function cardBounds(): readonly Date[] {
  return [OLDEST_MS, HOUR_MS, DAY_MS].map((ms) => new Date(Date.now() - ms))
}

/** Bounds, class, limit, offset. */
export const ASSET_PAGE: Statement = {
  name: 'asset-page',
  text: `select ${CARD} from (
      select * from asset a where a.asset_class = $4::asset_class order by a.asset_id limit $5 offset $6
    ) a ${NEWEST} order by a.asset_id`,
}

/** Class. */
export const ASSET_COUNT: Statement = {
  name: 'asset-count',
  text: 'select count(*)::int as total from asset where asset_class = $1::asset_class',
}

/** Bounds, slug. */
export const ASSET: Statement = {
  name: 'asset',
  text: `select ${CARD} from asset a ${NEWEST} where a.slug = $4`,
}

export interface RateRow {
  readonly date: string
  readonly rate: number
}

/** Currency, first and last day. */
export const RATES: Statement = {
  name: 'rates',
  text: `select date::text, rate::float8 from forex_rate
    where quote = $1 and date between $2 and $3 and known_to is null order by date`,
}

export interface CandleRow {
  readonly asset_id: number
  readonly ticker: string
  readonly tier: number | null
  readonly ts: Date
  readonly vwap_usd: number | null
  readonly volume_usd: number | null
  readonly exchanges_count: number
  readonly max_source_weight_pct: number | null
}

const CANDLE = `a.asset_id, a.ticker, a.tier, c.ts, c.vwap_usd::float8, c.volume_usd::float8, c.exchanges_count,
  c.max_source_weight::float8 as max_source_weight_pct`

const IN_RANGE = `c.asset_id = a.asset_id and c.timeframe = $2::timeframe and c.ts >= $3 and c.ts < $4
  and c.known_to is null`

/** Slug, timeframe, first window, end. */
export const CANDLES: Statement = {
  name: 'candles',
  text: `select ${CANDLE} from asset a join candle c on ${IN_RANGE} where a.slug = $1 order by c.ts`,
}

/** Keys of assets, timeframe, first window, end. */
export const CANDLES_OF_ASSETS: Statement = {
  name: 'candles-of-assets',
  text: `select ${CANDLE} from asset a
    cross join lateral (select * from candle c where ${IN_RANGE} order by c.ts) c
    where a.asset_id = any($1::int[])`,
}

export interface SnapshotRow {
  readonly asset_id: number
  readonly slug: string
  readonly ticker: string
  readonly tier: number | null
  readonly snapshot_id: string
  readonly analysis_type: string
  readonly generated_at: Date
  /** JSON text. */
  readonly content: string
  readonly content_hash: string
  readonly signature: string | null
  readonly model_id: string
  readonly methodology_version: string
  readonly prompt_version: string | null
  readonly prompt_hash: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly data_window_from: Date | null
  readonly data_window_to: Date | null
  readonly source: string
}

/** The newest uncorrected snapshots of type $2 and source $3. */
const snapshots = (
  limit: string,
) => `select a.asset_id, a.slug, a.ticker, a.tier, s.snapshot_id, s.analysis_type,
    s.generated_at, s.content, s.content_hash, s.signature, s.model_id, s.methodology_version, s.prompt_version,
    s.prompt_hash, s.input_tokens, s.output_tokens, s.data_window_from, s.data_window_to, s.source
  from asset a cross join lateral (
    select * from analysis_snapshot s
    where s.asset_id = a.asset_id and s.analysis_type = $2::analysis_type and s.source = $3
      and s.known_from <= now() and not exists (
        select 1 from analysis_snapshot n where n.supersedes = s.snapshot_id and n.known_from <= now())
    order by s.generated_at desc, s.sequence desc limit ${limit}
  ) s`

/** Slug, type, source. */
export const LATEST: Statement = { name: 'latest', text: `${snapshots('1')} where a.slug = $1` }

/** Keys of assets, type, source, snapshots per asset. */
export const HISTORIES: Statement = {
  name: 'histories',
  text: `${snapshots('$4')} where a.asset_id = any($1::int[])`,
}
