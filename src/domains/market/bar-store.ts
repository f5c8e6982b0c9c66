import { decimal } from '../../core/decimal.js'
import type { QuoteCurrency, VenueBar } from '../../core/venue-vwap.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import type { Timeframe } from './model.js'

export interface BarCounts {
  readonly added: number
  readonly revised: number
  readonly unchanged: number
  /** Starts of the hours that hold an added or revised bar. */
  readonly changedHours: readonly Date[]
}

const FIGURES = ['open', 'high', 'low', 'close', 'base_volume', 'quote_volume', 'vwap'] as const

const figures = (row: string) => FIGURES.map((name) => `${row}.${name}`).join()

/**
 * One statement per batch. The current bars are read by the range of the batch, so only its partitions are
 * touched. The insert waits for the count of closed rows, since two bars of one minute may not both be current. A revision
 * is known at least 1 ms after what it revises, even if clocks differ.
 */
const WRITE_BARS = `
  with incoming as (
    select distinct on (venue, ts) * from (
      select venue, ts, quote_currency, ${FIGURES.map((name) => `${name}::numeric(65, 30)`).join()}, place
      from unnest($2::text[], $3::timestamptz[], $4::text[], ${FIGURES.map((_, at) => `$${at + 5}::text[]`).join()})
        with ordinality as given(venue, ts, quote_currency, ${FIGURES.join()}, place)
    ) as typed
    order by venue, ts, place desc
  ), existing as materialized (
    select b.venue, b.ts, b.quote_currency, ${figures('b')}, b.known_from from venue_bar as b
    where b.asset_id = $1 and b.ts between $12 and $13 and b.known_to is null
  ), compared as (
    select i.*, s.known_from as existing_from,
      greatest($14::timestamptz, s.known_from + interval '1 millisecond') as known_at,
      (i.quote_currency, ${figures('i')}) is distinct from (s.quote_currency, ${figures('s')}) as differs
    from incoming as i left join existing as s on s.venue = i.venue and s.ts = i.ts
  ), closed as (
    update venue_bar as b set known_to = c.known_at from compared as c
    where b.asset_id = $1 and b.ts between $12 and $13 and b.known_to is null
      and b.venue = c.venue and b.ts = c.ts and c.differs and c.existing_from is not null
    returning 1
  ), written as (
    insert into venue_bar (asset_id, venue, ts, quote_currency, ${FIGURES.join()}, known_from)
    select $1, venue, ts, quote_currency, ${FIGURES.join()}, known_at from compared
    where differs and (select count(*) from closed) >= 0
  )
  select count(*) filter (where existing_from is null)::int as added,
    count(*) filter (where differs and existing_from is not null)::int as revised,
    count(*) filter (where not differs)::int as unchanged,
    coalesce(array_agg(distinct date_trunc('hour', ts, 'UTC')) filter (where differs), '{}') as "changedHours"
  from compared`

/**
 * Adds one-minute bars that are new and revises those that differ from the current one: that row is closed and the new
 * one added. Of two bars of one venue and minute in a batch the last counts. Callers see to it that no two
 * transactions write bars of an asset at once.
 */
export async function writeBars(
  tx: Transaction,
  assetId: number,
  bars: readonly VenueBar[],
  known: { readonly knownAt: Date },
): Promise<BarCounts> {
  const starts = bars.map((bar) => bar.ts.getTime())
  const nothing: BarCounts = { added: 0, revised: 0, unchanged: 0, changedHours: [] }
  if (starts.length === 0) return nothing
  const [counts] = await tx.rows<BarCounts>(WRITE_BARS, [
    assetId,
    bars.map((bar) => bar.venue),
    bars.map((bar) => bar.ts),
    bars.map((bar) => bar.quoteCurrency),
    bars.map((bar) => bar.open.toFixed()),
    bars.map((bar) => bar.high.toFixed()),
    bars.map((bar) => bar.low.toFixed()),
    bars.map((bar) => bar.close.toFixed()),
    bars.map((bar) => bar.baseVolume.toFixed()),
    bars.map((bar) => bar.quoteVolume?.toFixed() ?? null),
    bars.map((bar) => bar.vwap?.toFixed() ?? null),
    // Not spread into Math.min: a month of minutes is too many arguments.
    new Date(starts.reduce((least, start) => Math.min(least, start))),
    new Date(starts.reduce((most, start) => Math.max(most, start))),
    known.knownAt,
  ])
  return counts ?? nothing
}

interface BarRow extends Pick<VenueBar, 'venue' | 'ts'> {
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly baseVolume: string
  readonly quoteVolume: string | null
  readonly vwap: string | null
  readonly quoteCurrency: QuoteCurrency
}

/** The current bars of all venues that start in [from, to), by time and venue. */
export async function readBars(
  sql: Sql,
  wanted: { readonly assetId: number; readonly from: Date; readonly to: Date },
): Promise<readonly VenueBar[]> {
  const rows = await sql.rows<BarRow>(
    `select venue, ts, trim_scale(open) as open, trim_scale(high) as high, trim_scale(low) as low,
       trim_scale(close) as close, trim_scale(base_volume) as "baseVolume",
       trim_scale(quote_volume) as "quoteVolume", trim_scale(vwap) as vwap, quote_currency as "quoteCurrency"
     from venue_bar where asset_id = $1 and ts >= $2 and ts < $3 and known_to is null order by ts, venue`,
    [wanted.assetId, wanted.from, wanted.to],
  )
  return rows.map((row) => ({
    ...row,
    open: decimal(row.open),
    high: decimal(row.high),
    low: decimal(row.low),
    close: decimal(row.close),
    baseVolume: decimal(row.baseVolume),
    quoteVolume: row.quoteVolume === null ? null : decimal(row.quoteVolume),
    vwap: row.vwap === null ? null : decimal(row.vwap),
  }))
}

/** Start of the oldest current bar of an asset; null when there is none. */
export async function readFirstBar(sql: Sql, assetId: number): Promise<Date | null> {
  const [first] = await sql.rows<{ ts: Date }>(
    'select ts from venue_bar where asset_id = $1 and known_to is null order by ts limit 1',
    [assetId],
  )
  return first?.ts ?? null
}

/** Start of the newest bar of each of these venues that has one. */
export async function readNewestBars(
  sql: Sql,
  assetId: number,
  venues: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql.rows<{ venue: string; ts: Date }>(
    `select v.venue, newest.ts from unnest($2::text[]) as v(venue)
     cross join lateral (
       select b.ts from venue_bar as b where b.asset_id = $1 and b.venue = v.venue order by b.ts desc limit 1
     ) as newest`,
    [assetId, venues],
  )
  return new Map(rows.map(({ venue, ts }) => [venue, ts]))
}

/** Those of the windows that have no candle of that source yet. */
export async function readMissingWindows<W extends { readonly timeframe: Timeframe; readonly ts: Date }>(
  sql: Sql,
  assetId: number,
  source: string,
  windows: readonly W[],
): Promise<readonly W[]> {
  if (windows.length === 0) return []
  const missing = await sql.rows<{ place: number }>(
    `select w.place::int as place
     from unnest($2::text[], $3::timestamptz[]) with ordinality as w(timeframe, ts, place)
     where not exists (
       select 1 from candle as c where c.asset_id = $1 and c.timeframe = w.timeframe::timeframe and c.ts = w.ts
         and c.known_to is null and c.source = $4
     )
     order by w.place`,
    [assetId, windows.map(({ timeframe }) => timeframe), windows.map(({ ts }) => ts), source],
  )
  return missing.flatMap(({ place }) => windows[place - 1] ?? [])
}

/** Starts of the days whose current candle comes from that source. */
export async function readDaysOf(sql: Sql, assetId: number, source: string): Promise<readonly Date[]> {
  const rows = await sql.rows<{ ts: Date }>(
    `select ts from candle where asset_id = $1 and timeframe = '1d' and source = $2 and known_to is null`,
    [assetId, source],
  )
  return rows.map(({ ts }) => ts)
}
