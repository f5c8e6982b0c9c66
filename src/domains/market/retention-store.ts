import { DAY_MS } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { statement, statements } from '../../platform/database/statement.js'

/** Rows that expire, and how many of an asset one statement deletes. */
interface ExpiringRows {
  readonly table: 'minute_bar' | 'candle'
  readonly condition: string
  /** A statement deletes about 6,000 bars (a day) or 750 candles (a month), so that it holds its locks only briefly. */
  readonly sliceMs: number
}

const BARS: ExpiringRows = {
  table: 'minute_bar',
  condition: 'venue = any(enum_range(null::venue))', // their indexes have the venue before the time
  sliceMs: DAY_MS,
}
const HOUR_CANDLES: ExpiringRows = { table: 'candle', condition: `timeframe = '1h'`, sliceMs: 31 * DAY_MS }

/**
 * Deletes the bars that start before the instant, closed ones too, and returns their number. Partitions of months that end
 * before it are truncated, which frees their disk space. The other rows are deleted by asset and day.
 */
export async function deleteBarsBefore(sql: Sql, before: Date): Promise<number> {
  const removed = await emptyOldMonths(sql, before)
  return removed + (await deleteInSlices(sql, BARS, before))
}

/** Deletes the hour candles that start before the instant, closed ones too, by asset and month. */
export function deleteHourCandlesBefore(sql: Sql, before: Date): Promise<number> {
  return deleteInSlices(sql, HOUR_CANDLES, before)
}

// Plain SQL: Prisma's client does not support partitions.
const MONTHS = statement(
  'lacks catalogue',
  { name: 'text' },
  `select c.relname::text as name from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
   where i.inhparent = $1::regclass and c.relname ~ '_\\d{4}_\\d{2}$' order by 1`,
)

const ROWS_IN = statements(
  'lacks catalogue',
  { rows: 'int8' },
  (table: string) => `select count(*) as rows from ${table}`,
  'minute_bar',
)

async function emptyOldMonths(sql: Sql, before: Date): Promise<number> {
  const partitions = await sql.rows(MONTHS, [BARS.table])
  let removed = 0
  for (const { name } of partitions) {
    const [year = 0, month = 0] = name.split('_').slice(-2).map(Number)
    if (Date.UTC(year, month) > before.getTime()) continue // months count from 0, so this is the start of the next month
    const [held] = await sql.rows(ROWS_IN(name))
    if (held === undefined || held.rows === 0) continue
    await sql.rows(`truncate ${name}`)
    removed += held.rows
  }
  return removed
}

/** Current and closed rows have an index each, and no index has both. */
const DELETE_SLICE = statements(
  'bulk',
  { rows: 'int8' },
  ({ table, condition }: ExpiringRows, state: 'null' | 'not null') => `with removed as (
     delete from ${table}
     where asset_id = $1 and ts >= $2 and ts < $3 and ${condition} and known_to is ${state} returning 1
   ) select count(*) as rows from removed`,
  HOUR_CANDLES,
  'null',
)

async function deleteInSlices(sql: Sql, series: ExpiringRows, before: Date): Promise<number> {
  let removed = 0
  for (const assetId of await loadAssetIds(sql, series)) {
    let from = await loadFirst(sql, series, assetId)
    while (from !== null && from < before) {
      const to = new Date(Math.min(from.getTime() + series.sliceMs, before.getTime()))
      // Closed rows first: their current row, which is what is searched, shows after an interruption that they are left.
      for (const state of ['not null', 'null'] as const) {
        const [slice] = await sql.rows(DELETE_SLICE(series, state), [assetId, from, to])
        removed += slice?.rows ?? 0
      }
      from = await loadFirst(sql, series, assetId)
    }
  }
  return removed
}

/** Jumps from asset to asset in the index of current rows instead of scanning all rows. */
const ASSET_IDS = statements(
  'lacks recursion',
  { assetId: 'int4' },
  ({ table }: ExpiringRows) => `with recursive assets as (
     (select asset_id from ${table} where known_to is null order by asset_id limit 1)
     union all
     select (
       select t.asset_id from ${table} as t
       where t.asset_id > assets.asset_id and t.known_to is null order by t.asset_id limit 1
     ) from assets where assets.asset_id is not null
   ) select asset_id as "assetId" from assets where asset_id is not null`,
  BARS,
)

async function loadAssetIds(sql: Sql, series: ExpiringRows): Promise<readonly number[]> {
  const rows = await sql.rows(ASSET_IDS(series))
  return rows.map(({ assetId }) => assetId)
}

/** Reads only current rows: each closed row has a current row with the same start. */
const FIRST = statements(
  'lacks table by name',
  { ts: 'timestamptz' },
  ({ table, condition }: ExpiringRows) =>
    `select ts from ${table} where asset_id = $1 and ${condition} and known_to is null order by ts limit 1`,
  HOUR_CANDLES,
)

async function loadFirst(sql: Sql, series: ExpiringRows, assetId: number): Promise<Date | null> {
  const [first] = await sql.rows(FIRST(series), [assetId])
  return first?.ts ?? null
}
