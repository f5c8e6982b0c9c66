import type { Venue } from '../../core/consensus/venue-symbols.js'
import type { VenueBar } from '../../core/consensus/venue-vwap.js'
import { MINUTE_BAR } from '../../generated/columns.js'
import { storedColumn, storedColumns, type WriteCounts } from '../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Database, Sql, Transaction } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { packBar, unpackBar } from './compact/packed-bar.js'
import type { Timeframe } from './model.js'

interface ChangedHours {
  /** Starts of the hours with an added or revised bar. */
  readonly changedHours: readonly Date[]
}

export type BarCounts = WriteCounts & ChangedHours

type AssetBar = VenueBar & { readonly assetId: number }

const CHANGED_HOURS = {
  columns: { changedHours: '_timestamptz' },
  text: `coalesce(array_agg(distinct date_trunc('hour', ts, 'UTC'))
    filter (where is_revised or existing_from is null), '{}') as "changedHours"`,
} as const

const writeRows = seriesWriter({
  name: 'minute_bar',
  key: storedColumns(MINUTE_BAR, 'assetId', 'venue', 'ts'),
  values: [storedColumn(MINUTE_BAR, 'figures', (bar: AssetBar) => packBar(bar))],
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
  return writeRows(tx, rows, { knownAt, source: '' })
}

// Plain SQL here and below: the transaction that computes candles reads millions of bars.

/** SQL condition that lets an index by asset, venue and time serve all venues. */
const ANY_VENUE = 'venue = any(enum_range(null::venue))'

const BARS = statement(
  'lacks computed order',
  { venue: 'text', ts: 'timestamptz', figures: 'bytea' },
  `select venue::text as venue, ts, figures from minute_bar
   where asset_id = $1 and ${ANY_VENUE} and ts >= $2 and ts < $3 and known_to is null
   order by ts, venue::text`,
)

/** The current bars of all venues that start in [from, to), sorted by time and venue. */
export async function loadBars(
  sql: Sql,
  wanted: { readonly assetId: number; readonly from: Date; readonly to: Date },
): Promise<readonly VenueBar[]> {
  const rows = await sql.rows(BARS, [wanted.assetId, wanted.from, wanted.to])
  return rows.map(({ venue, ts, figures }) => ({ venue, ts, ...unpackBar(figures) }))
}

const FIRST = statement(
  'lacks newest per key',
  { ts: 'timestamptz?' },
  `select min(first.ts) as ts from unnest(enum_range(null::venue)) as v(venue) cross join lateral (
     select ts from minute_bar as b where b.asset_id = $1 and b.venue = v.venue and b.known_to is null
     order by b.ts limit 1
   ) as first`,
)

/** Start of the oldest current bar of an asset. Null without a bar. */
export async function loadFirstBar(sql: Sql, assetId: number): Promise<Date | null> {
  const [first] = await sql.rows(FIRST, [assetId])
  return first?.ts ?? null
}

/** By venue, the start of its newest bar. Venues without a bar are missing. */
export async function loadNewestBars(
  { prisma }: Pick<Database, 'prisma'>,
  assetId: number,
  venues: readonly Venue[],
): Promise<ReadonlyMap<string, Date>> {
  const newest = venues.map((venue) =>
    prisma.minuteBar.findFirst({ where: { assetId, venue, knownTo: null }, orderBy: { ts: 'desc' } }),
  )
  return new Map((await Promise.all(newest)).flatMap((bar) => (bar === null ? [] : [[bar.venue, bar.ts]])))
}

const MISSING = statement(
  'lacks join without a relation',
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
