import type { QuoteCurrency, VenueBar } from '../../core/consensus/venue-vwap.js'
import { type Decimal, decimal } from '../../core/decimal.js'
import { groupBy } from '../../core/group-by.js'
import type { WriteCounts } from '../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import { loadCompactSince } from './compact/form-store.js'
import { moveBars } from './compact/old-bar-store.js'
import { type BarFigures, packBar, unpackBar } from './compact/packed-bar.js'
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

/** Both forms of a bar have these columns. */
const keyOfBar = (venueType: 'venue' | 'text') =>
  [
    { name: 'asset_id', type: 'int', sentAs: 'int', of: ({ assetId }: AssetBar) => assetId },
    { name: 'venue', type: venueType, of: ({ venue }: AssetBar) => venue },
    { name: 'ts', type: 'timestamptz', sentAs: 'timestamptz', of: ({ ts }: AssetBar) => ts },
  ] as const

const CHANGED_HOURS = {
  columns: { changedHours: column<readonly Date[]>('_timestamptz') },
  text: `coalesce(array_agg(distinct date_trunc('hour', ts, 'UTC'))
    filter (where is_revised or existing_from is null), '{}') as "changedHours"`,
} as const

const writeCompactBars = seriesWriter({
  name: 'minute_bar',
  key: keyOfBar('venue'),
  values: [{ name: 'figures', type: 'bytea', sentAs: 'bytea', of: packBar }],
  notes: [],
  rangeOf: 'ts',
  summary: CHANGED_HOURS,
})

/** The form that nodes of the version before the compact one can read. */
const writeOldBars = seriesWriter({
  name: 'venue_bar',
  key: keyOfBar('text'),
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
  summary: CHANGED_HOURS,
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
  const known = { knownAt, source: '' }
  if ((await loadCompactSince(tx)) === null) return writeOldBars(tx, rows, known)
  for (const [venue, own] of groupBy(bars, (bar) => bar.venue)) {
    const starts = own.map(({ ts }) => ts.getTime()).sort((a, b) => a - b)
    const [first, last] = [new Date(starts[0] ?? 0), new Date(starts.at(-1) ?? 0)]
    // So that a written bar is compared with the current one in one form.
    await moveBars(tx, { assetId, venue, first, last })
  }
  return writeCompactBars(tx, rows, known)
}

// Plain SQL here and below: the transaction that computes candles reads millions of bars. Each statement reads both forms.

/** SQL condition that lets an index by asset, venue and time serve all venues. */
const ANY_VENUE = 'venue = any(enum_range(null::venue))'

/** The figures of a bar that is not converted yet, as text: those of `OldFigures`, in its order. */
const OLD_FIGURES = `array[quote_currency, trim_scale(open)::text, trim_scale(high)::text, trim_scale(low)::text,
  trim_scale(close)::text, trim_scale(base_volume)::text, trim_scale(quote_volume)::text, trim_scale(vwap)::text]`

type OldFigures = readonly [
  quoteCurrency: QuoteCurrency,
  ...prices: [open: string, high: string, low: string, close: string],
  baseVolume: string,
  quoteVolume: string | null,
  vwap: string | null,
]

/** One statement, because a bar that moves between two would be in neither or in both. */
const BARS = statement(
  { venue: 'text', ts: 'timestamptz', figures: 'bytea?', old: column<OldFigures | null>('_text?') },
  `select * from (
     select venue::text as venue, ts, figures, null::text[] as old from minute_bar
     where asset_id = $1 and ${ANY_VENUE} and ts >= $2 and ts < $3 and known_to is null
     union all
     select venue, ts, null::bytea as figures, ${OLD_FIGURES} as old from venue_bar
     where asset_id = $1 and ts >= $2 and ts < $3 and known_to is null
   ) as bars order by ts, venue`,
)

/** The current bars of all venues that start in [from, to), sorted by time and venue. */
export async function loadBars(
  sql: Sql,
  wanted: { readonly assetId: number; readonly from: Date; readonly to: Date },
): Promise<readonly VenueBar[]> {
  const rows = await sql.rows(BARS, [wanted.assetId, wanted.from, wanted.to])
  return rows.map(({ venue, ts, figures, old }) => ({ venue, ts, ...figuresOf(figures, old) }))
}

function figuresOf(figures: Buffer | null, old: OldFigures | null): BarFigures {
  if (figures !== null) return unpackBar(figures)
  if (old === null) throw new Error('a bar has no figures')
  const [quoteCurrency, open, high, low, close, baseVolume, quoteVolume, vwap] = old
  return {
    quoteCurrency,
    open: decimal(open),
    high: decimal(high),
    low: decimal(low),
    close: decimal(close),
    baseVolume: decimal(baseVolume),
    quoteVolume: quoteVolume === null ? null : decimal(quoteVolume),
    vwap: vwap === null ? null : decimal(vwap),
  }
}

const FIRST = statement(
  { ts: 'timestamptz?' },
  `select least(
     (select min(first.ts) from unnest(enum_range(null::venue)) as v(venue) cross join lateral (
        select ts from minute_bar as b where b.asset_id = $1 and b.venue = v.venue and b.known_to is null
        order by b.ts limit 1
      ) as first),
     (select ts from venue_bar where asset_id = $1 and known_to is null order by ts limit 1)) as ts`,
)

/** Start of the oldest current bar of an asset. Null without a bar. */
export async function loadFirstBar(sql: Sql, assetId: number): Promise<Date | null> {
  const [first] = await sql.rows(FIRST, [assetId])
  return first?.ts ?? null
}

const NEWEST = statement(
  { venue: 'text', ts: 'timestamptz' },
  `select newest.venue, newest.ts from (
     select v.venue, greatest(
       (select b.ts from minute_bar as b
        where b.asset_id = $1 and b.venue = v.venue::venue and b.known_to is null order by b.ts desc limit 1),
       (select b.ts from venue_bar as b where b.asset_id = $1 and b.venue = v.venue order by b.ts desc limit 1)) as ts
     from unnest($2::text[]) as v(venue)
   ) as newest where newest.ts is not null`,
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
