import type { AsOf, KnowledgeBasis } from '../../core/as-of.js'
import { type Decimal, decimal } from '../../core/decimal.js'
import { ASSET } from '../../generated/columns.js'
import type { Asset } from '../../generated/prisma/client.js'
import { asOfStatement, type KnownAt } from '../../platform/bi-temporal/as-of-statement.js'
import { CANDLE_PUBLISHED } from '../../platform/bi-temporal/published-rules.js'
import type { Sql } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { column, type RowOf, selectList, statement } from '../../platform/database/statement.js'
import {
  LATEST_COLUMNS,
  type LatestFigures,
  latestBounds,
  NEWEST_OF,
  toLatestFigures,
} from './latest-model.js'
import { STORED_TIMEFRAMES, TIMEFRAME_OF, type Timeframe } from './model.js'

/** A candle as served. Prices and volumes are in USD, as the doubles nearest to the stored decimals. */
export interface CandleFigures {
  /** Start of the window, UTC. */
  readonly ts: Date
  /** Price, volume and weight are null with too few venues. */
  readonly vwapUsd: number | null
  readonly volumeUsd: number | null
  readonly exchangesCount: number
  /** Fraction of at most 0.5. */
  readonly maxSourceWeight: number | null
}

/** The candles of one asset as arrays, which are all null without candles. */
const CANDLE_ARRAYS = {
  assetId: 'int4',
  seconds: '_float8?',
  vwapUsd: column<readonly (number | null)[] | null>('_float8?'),
  volumeUsd: column<readonly (number | null)[] | null>('_float8?'),
  exchangesCount: '_int2?',
  maxSourceWeight: column<readonly (number | null)[] | null>('_float8?'),
} as const

type CandlesRow = RowOf<typeof CANDLE_ARRAYS>

/**
 * Plain SQL: one row per asset with its candles in arrays is read three times faster than one row per candle. The lateral join
 * reads asset by asset through `candle_standing`, an index that covers every column read here. The inner `order by` keeps
 * PostgreSQL from inverting the join, which would scan the candles of all assets. Prisma's client takes 3 to 3.7 times the
 * CPU for 21 days of hours (bench sql).
 */
const candlesOf =
  (wanted: string, first: string, end: string): ((known: KnownAt) => string) =>
  (known) =>
    `
  select wanted.asset_id as "assetId", c.* from ${wanted}
  cross join lateral (
    select array_agg(extract(epoch from c.ts)::float8) as seconds, array_agg(c.vwap_usd::float8) as "vwapUsd",
      array_agg(c.volume_usd::float8) as "volumeUsd", array_agg(c.exchanges_count) as "exchangesCount",
      array_agg(c.max_source_weight::float8) as "maxSourceWeight"
    from (
      select * from candle as c
      where c.asset_id = wanted.asset_id and c.timeframe = $2::timeframe
        and c.ts >= ${first} and c.ts < ${end} and ${known('c')}
      order by c.ts
    ) as c
  ) as c`

const selectCandles = asOfStatement(
  'lacks array of rows',
  CANDLE_ARRAYS,
  4,
  CANDLE_PUBLISHED,
  candlesOf('unnest($1::int[]) as wanted(asset_id)', '$3::timestamptz', '$4::timestamptz'),
)

const selectPanel = asOfStatement(
  'lacks array of rows',
  CANDLE_ARRAYS,
  4,
  CANDLE_PUBLISHED,
  candlesOf(
    'unnest($1::int[], $3::timestamptz[], $4::timestamptz[]) as wanted(asset_id, first, "end")',
    'wanted.first',
    'wanted."end"',
  ),
)

/**
 * The candles of assets whose windows start in [first, end), oldest first, in one statement. An asset without candles maps
 * to an empty list. `asOf` selects what was known at that instant, null what is known now.
 */
export async function loadStoredCandles(
  sql: Sql,
  assetIds: readonly number[],
  wanted: {
    readonly timeframe: Timeframe
    readonly first: Date
    readonly end: Date
    readonly asOf: AsOf | null
  },
): Promise<ReadonlyMap<number, readonly CandleFigures[]>> {
  const range = [assetIds, wanted.timeframe, wanted.first, wanted.end]
  const rows = await selectCandles(sql, range, wanted.asOf)
  return new Map(rows.map((row) => [row.assetId, candlesOfRow(row)]))
}

/** As `loadStoredCandles`, with a range per asset. */
export async function loadPanel(
  sql: Sql,
  ranges: readonly { readonly assetId: number; readonly first: Date; readonly end: Date }[],
  wanted: { readonly timeframe: Timeframe; readonly asOf: AsOf | null },
): Promise<ReadonlyMap<number, readonly CandleFigures[]>> {
  const ids = ranges.map(({ assetId }) => assetId)
  const firsts = ranges.map(({ first }) => first)
  const ends = ranges.map(({ end }) => end)
  const rows = await selectPanel(sql, [ids, wanted.timeframe, firsts, ends], wanted.asOf)
  return new Map(rows.map((row) => [row.assetId, candlesOfRow(row)]))
}

/** The arrays have one element per candle. Without candles they are null. */
function candlesOfRow(row: CandlesRow): readonly CandleFigures[] {
  const { seconds, vwapUsd, volumeUsd, exchangesCount, maxSourceWeight } = row
  return (seconds ?? []).map((second, at) => ({
    ts: new Date(second * 1_000),
    vwapUsd: vwapUsd?.[at] ?? null,
    volumeUsd: volumeUsd?.[at] ?? null,
    exchangesCount: exchangesCount?.[at] ?? 0,
    maxSourceWeight: maxSourceWeight?.[at] ?? null,
  }))
}

export interface AssetWindow {
  readonly assetId: number
  readonly timeframe: Timeframe
  readonly ts: Date
}

/** Names a window in maps. */
export function windowKey({ assetId, timeframe, ts }: AssetWindow): string {
  return `${assetId} ${timeframe} ${ts.getTime()}`
}

/** The current consensus prices of windows by `windowKey`, in one statement. A window without a price is not in the map. */
export async function loadWindowPrices(
  prisma: PrismaModels,
  windows: readonly AssetWindow[],
): Promise<ReadonlyMap<string, Decimal>> {
  const rows = await prisma.candle.findMany({
    where: {
      // The windows of a page are the same for nearly all assets, so few rows are read in vain.
      assetId: { in: [...new Set(windows.map(({ assetId }) => assetId))] },
      timeframe: { in: [...new Set(windows.map(({ timeframe }) => STORED_TIMEFRAMES[timeframe]))] },
      ts: { in: [...new Set(windows.map(({ ts }) => ts.getTime()))].map((ms) => new Date(ms)) },
      knownTo: null,
      vwapUsd: { not: null },
    },
    select: { assetId: true, timeframe: true, ts: true, vwapUsd: true },
  })
  return new Map(
    rows.flatMap(({ assetId, timeframe, ts, vwapUsd }) =>
      vwapUsd === null
        ? []
        : [[windowKey({ assetId, timeframe: TIMEFRAME_OF[timeframe], ts }), decimal(vwapUsd)] as const],
    ),
  )
}

/** A current candle with the time from which it was known. */
export interface KnownCandle extends CandleFigures {
  readonly knownFrom: Date
}

/** The current candles of an asset whose windows start at an instant or later, unordered. */
export async function loadKnownCandles(
  prisma: PrismaModels,
  {
    assetId,
    timeframe,
    first,
  }: { readonly assetId: number; readonly timeframe: Timeframe; readonly first: Date },
): Promise<readonly KnownCandle[]> {
  const rows = await prisma.candle.findMany({
    where: { assetId, timeframe: STORED_TIMEFRAMES[timeframe], ts: { gte: first }, knownTo: null },
    select: {
      ts: true,
      vwapUsd: true,
      volumeUsd: true,
      exchangesCount: true,
      maxSourceWeight: true,
      knownFrom: true,
    },
  })
  return rows.map(({ vwapUsd, volumeUsd, maxSourceWeight, ...row }) => ({
    ...row,
    vwapUsd: vwapUsd?.toNumber() ?? null,
    volumeUsd: volumeUsd?.toNumber() ?? null,
    maxSourceWeight: maxSourceWeight?.toNumber() ?? null,
  }))
}

const LATEST_FIGURES = statement(
  'lacks newest per key',
  { assetId: 'int4', ...LATEST_COLUMNS },
  `
  select wanted.asset_id as "assetId", newest.*
  from (select asset_id, 'crypto' as asset_class from unnest($4::int[]) as given(asset_id)) as wanted
  ${NEWEST_OF('wanted')}`,
)

/**
 * By the asset's key as text, the supply and the newest candle of a finished window, in one statement. The candle may have
 * either timeframe and may lack a price.
 */
export async function loadLatestFigures(
  sql: Sql,
  assetIds: readonly number[],
  now: Date,
): Promise<ReadonlyMap<string, LatestFigures>> {
  const rows = await sql.rows(LATEST_FIGURES, [...latestBounds(now), assetIds])
  return new Map(rows.map((row) => [String(row.assetId), toLatestFigures(row)]))
}

/** The first window of an asset that was ever stored, withdrawn ones included. Two partial indexes find it. */
const firstOf = (timeframe: Timeframe, stored = '') => `least(
  (select min(c.ts) from candle as c
   where c.asset_id = a.asset_id and c.timeframe = '${timeframe}' and c.known_to is null ${stored}),
  (select min(c.ts) from candle as c
   where c.asset_id = a.asset_id and c.timeframe = '${timeframe}' and c.known_to is not null ${stored}))`

/** The windows that count as of an instant: those that were stored by then, or that had begun. */
const COUNTED = {
  observed: 'and c.known_from <= $2::timestamptz',
  published: 'and c.ts <= $2::timestamptz',
} as const

const FIRST_COLUMNS = { '1d': 'timestamptz?', '1h': 'timestamptz?' } as const
const FIRST_WINDOWS = `${firstOf('1d')} as "1d", ${firstOf('1h')} as "1h"`
const IS_TRADED = 'exists (select 1 from candle as c where c.asset_id = a.asset_id and c.known_to is null)'

/** The start of the first window of each length that an asset has; null without one. */
export type FirstWindows = Readonly<Record<Timeframe, Date | null>>

const HISTORIES = statement(
  'lacks newest per key',
  { assetId: 'int4', ...FIRST_COLUMNS },
  `select a.asset_id as "assetId", ${FIRST_WINDOWS} from unnest($1::int[]) as a(asset_id) where ${IS_TRADED}`,
)

const historiesBy = (basis: KnowledgeBasis) =>
  statement(
    'lacks newest per key',
    { assetId: 'int4', ...FIRST_COLUMNS },
    `select * from (
       select a.asset_id as "assetId", ${firstOf('1d', COUNTED[basis])} as "1d", ${firstOf('1h', COUNTED[basis])} as "1h"
       from unnest($1::int[]) as a(asset_id)
     ) as found where coalesce("1d", "1h") is not null`,
  )

const HISTORIES_BY = { observed: historiesBy('observed'), published: historiesBy('published') } as const

/**
 * The first windows of those of the assets that have a stored candle, by their key as text. As of an instant, only windows
 * that were known then count.
 */
export async function loadHistories(
  sql: Sql,
  assetIds: readonly number[],
  asOf: AsOf | null,
): Promise<ReadonlyMap<string, FirstWindows>> {
  const rows =
    asOf === null
      ? await sql.rows(HISTORIES, [assetIds])
      : await sql.rows(HISTORIES_BY[asOf.basis], [assetIds, asOf.at])
  return new Map(rows.map((row) => [String(row.assetId), row]))
}

const TRADED_ASSETS = statement(
  'lacks newest per key',
  { ...ASSET, ...FIRST_COLUMNS },
  `select ${selectList(ASSET, 'a')}, ${FIRST_WINDOWS}
   from asset as a where a.asset_class = 'crypto' and ${IS_TRADED}`,
)

/** An asset with candles, and its first windows. */
export type AssetWithHistory = Asset & FirstWindows

/** The assets that have a stored candle, in one statement. */
export function loadTradedAssets(sql: Sql): Promise<readonly AssetWithHistory[]> {
  return sql.rows(TRADED_ASSETS, [])
}
