import type { QuoteCurrency, VenueBar } from '../../core/consensus/venue-vwap.js'
import { type Decimal, decimal } from '../../core/decimal.js'
import type { WriteCounts } from '../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import type { Timeframe } from './model.js'

interface ChangedHours {
  /** Starts of the hours with an added or revised bar. */
  readonly changedHours: readonly Date[]
}

export type BarCounts = WriteCounts & ChangedHours

type AssetBar = VenueBar & { readonly assetId: number }

const figure = (name: string, of: (bar: VenueBar) => Decimal | null) => ({
  name,
  type: 'numeric(65, 30)',
  of: (bar: VenueBar) => of(bar)?.toFixed() ?? null,
})

const writeAssetBars = seriesWriter({
  name: 'venue_bar',
  key: [
    { name: 'asset_id', type: 'int', sentAs: 'int', of: ({ assetId }: AssetBar) => assetId },
    { name: 'venue', type: 'text', of: ({ venue }) => venue },
    { name: 'ts', type: 'timestamptz', sentAs: 'timestamptz', of: ({ ts }) => ts },
  ],
  values: [
    { name: 'quote_currency', type: 'text', of: ({ quoteCurrency }) => quoteCurrency },
    figure('open', ({ open }) => open),
    figure('high', ({ high }) => high),
    figure('low', ({ low }) => low),
    figure('close', ({ close }) => close),
    figure('base_volume', ({ baseVolume }) => baseVolume),
    figure('quote_volume', ({ quoteVolume }) => quoteVolume),
    figure('vwap', ({ vwap }) => vwap),
  ],
  notes: [],
  rangeOf: 'ts',
  summary: {
    columns: { changedHours: column<readonly Date[]>('_timestamptz') },
    text: `coalesce(array_agg(distinct date_trunc('hour', ts, 'UTC'))
      filter (where is_revised or existing_from is null), '{}') as "changedHours"`,
  },
})

/** Adds and revises one-minute bars of an asset. See `seriesWriter`. */
export async function writeBars(
  tx: Transaction,
  assetId: number,
  bars: readonly VenueBar[],
  { knownAt }: { readonly knownAt: Date },
): Promise<BarCounts> {
  if (bars.length === 0) return { added: 0, revised: 0, unchanged: 0, changedHours: [] }
  const rows = bars.map((bar) => ({ ...bar, assetId }))
  return writeAssetBars(tx, rows, { knownAt, source: '' })
}

// Plain SQL here and below: the transaction that computes candles reads millions of bars.
const BARS = statement(
  {
    venue: 'text',
    ts: 'timestamptz',
    open: 'numeric',
    high: 'numeric',
    low: 'numeric',
    close: 'numeric',
    baseVolume: 'numeric',
    quoteVolume: 'numeric?',
    vwap: 'numeric?',
    /** The cast is safe: only writeBars writes this column. */
    quoteCurrency: column<QuoteCurrency>('text'),
  },
  `select venue, ts, trim_scale(open) as open, trim_scale(high) as high, trim_scale(low) as low,
     trim_scale(close) as close, trim_scale(base_volume) as "baseVolume",
     trim_scale(quote_volume) as "quoteVolume", trim_scale(vwap) as vwap, quote_currency as "quoteCurrency"
   from venue_bar where asset_id = $1 and ts >= $2 and ts < $3 and known_to is null order by ts, venue`,
)

/** The current bars of all venues that start in [from, to), sorted by time and venue. */
export async function loadBars(
  sql: Sql,
  wanted: { readonly assetId: number; readonly from: Date; readonly to: Date },
): Promise<readonly VenueBar[]> {
  const rows = await sql.rows(BARS, [wanted.assetId, wanted.from, wanted.to])
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

const FIRST = statement(
  { ts: 'timestamptz' },
  'select ts from venue_bar where asset_id = $1 and known_to is null order by ts limit 1',
)

/** Start of the oldest current bar of an asset. Null without a bar. */
export async function loadFirstBar(sql: Sql, assetId: number): Promise<Date | null> {
  const [first] = await sql.rows(FIRST, [assetId])
  return first?.ts ?? null
}

const NEWEST = statement(
  { venue: 'text', ts: 'timestamptz' },
  `select v.venue, newest.ts from unnest($2::text[]) as v(venue)
   cross join lateral (
     select b.ts from venue_bar as b where b.asset_id = $1 and b.venue = v.venue order by b.ts desc limit 1
   ) as newest`,
)

/** By venue, the start of its newest bar. Venues without a bar are missing. */
export async function loadNewestBars(
  sql: Sql,
  assetId: number,
  venues: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql.rows(NEWEST, [assetId, venues])
  return new Map(rows.map(({ venue, ts }) => [venue, ts]))
}

const MISSING = statement(
  { number: 'int4' },
  `select w.number::int as number
   from unnest($2::text[], $3::timestamptz[]) with ordinality as w(timeframe, ts, number)
   where not exists (
     select 1 from candle as c where c.asset_id = $1 and c.timeframe = w.timeframe::timeframe and c.ts = w.ts
       and c.known_to is null and c.source = $4
   )
   order by w.number`,
)

/** Those of the windows that have no candle of that source. */
export async function loadMissingWindows<W extends { readonly timeframe: Timeframe; readonly ts: Date }>(
  sql: Sql,
  assetId: number,
  source: string,
  windows: readonly W[],
): Promise<readonly W[]> {
  if (windows.length === 0) return []
  const timeframes = windows.map(({ timeframe }) => timeframe)
  const starts = windows.map(({ ts }) => ts)
  const missing = await sql.rows(MISSING, [assetId, timeframes, starts, source])
  return missing.flatMap(({ number }) => windows[number - 1] ?? [])
}

const DAYS_OF = statement(
  { ts: 'timestamptz' },
  `select ts from candle where asset_id = $1 and timeframe = '1d' and source = $2 and known_to is null`,
)

/** Starts of the days whose current candle is from that source. */
export async function loadDaysOf(sql: Sql, assetId: number, source: string): Promise<readonly Date[]> {
  const rows = await sql.rows(DAYS_OF, [assetId, source])
  return rows.map(({ ts }) => ts)
}
