import { DAY_MS } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { statement, statements } from '../../platform/database/statement.js'

/** What grows old: a table, and how much of one asset goes in one statement. */
interface Series {
  readonly table: 'venue_bar' | 'candle'
  readonly only: string
  /** About 6,000 bars a day or 750 candles a month: no statement holds its locks for long. */
  readonly sliceMs: number
}

const BARS: Series = { table: 'venue_bar', only: 'true', sliceMs: DAY_MS }
const HOUR_CANDLES: Series = { table: 'candle', only: `timeframe = '1h'`, sliceMs: 31 * DAY_MS }

/**
 * Deletes the bars that start before the instant, closed ones too, and says how many they were. Months that lie
 * wholly before it are emptied at once, which gives their space back; the rest goes by asset and day.
 */
export async function deleteBarsBefore(sql: Sql, before: Date): Promise<number> {
  return (await emptyOldMonths(sql, before)) + (await deleteInSlices(sql, BARS, before))
}

/** Deletes the hour candles that start before the instant, closed ones too, by asset and month. */
export function deleteHourCandlesBefore(sql: Sql, before: Date): Promise<number> {
  return deleteInSlices(sql, HOUR_CANDLES, before)
}

// Plain SQL: Prisma's client knows no partitions.
const MONTHS = statement(
  { name: 'text' },
  `select c.relname::text as name from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
   where i.inhparent = 'venue_bar'::regclass and c.relname ~ '^venue_bar_\\d{4}_\\d{2}$' order by 1`,
)

const ROWS_IN = statements(
  { rows: 'int8' },
  (table: string) => `select count(*) as rows from ${table}`,
  'venue_bar',
)

async function emptyOldMonths(sql: Sql, before: Date): Promise<number> {
  const partitions = await sql.rows(MONTHS)
  let removed = 0
  for (const { name } of partitions) {
    const [year = 0, month = 0] = name.split('_').slice(2).map(Number)
    if (Date.UTC(year, month) > before.getTime()) continue // months count from 0: this is the start of the next
    const [held] = await sql.rows(ROWS_IN(name))
    if (held === undefined || held.rows === 0) continue
    await sql.rows(`truncate ${name}`)
    removed += held.rows
  }
  return removed
}

const DELETE_SLICE = statements(
  { rows: 'int8' },
  ({ table, only }: Series) => `with removed as (
     delete from ${table} where asset_id = $1 and ts >= $2 and ts < $3 and ${only} returning 1
   ) select count(*) as rows from removed`,
  HOUR_CANDLES,
)

async function deleteInSlices(sql: Sql, series: Series, before: Date): Promise<number> {
  let removed = 0
  for (const assetId of await readAssetIds(sql, series)) {
    let from = await readFirst(sql, series, assetId)
    while (from !== null && from < before) {
      const to = new Date(Math.min(from.getTime() + series.sliceMs, before.getTime()))
      const [slice] = await sql.rows(DELETE_SLICE(series), [assetId, from, to])
      removed += slice?.rows ?? 0
      from = await readFirst(sql, series, assetId)
    }
  }
  return removed
}

/** Jumps from asset to asset through the index. */
const ASSET_IDS = statements(
  { assetId: 'int4' },
  ({ table }: Series) => `with recursive assets as (
     (select asset_id from ${table} order by asset_id limit 1)
     union all
     select (select t.asset_id from ${table} as t where t.asset_id > assets.asset_id order by t.asset_id limit 1)
     from assets where assets.asset_id is not null
   ) select asset_id as "assetId" from assets where asset_id is not null`,
  BARS,
)

async function readAssetIds(sql: Sql, series: Series): Promise<readonly number[]> {
  const rows = await sql.rows(ASSET_IDS(series))
  return rows.map(({ assetId }) => assetId)
}

/** A closed row has a current one of the same start, so the first is found among the current ones, which have an index. */
const FIRST = statements(
  { ts: 'timestamptz' },
  ({ table, only }: Series) =>
    `select ts from ${table} where asset_id = $1 and ${only} and known_to is null order by ts limit 1`,
  HOUR_CANDLES,
)

async function readFirst(sql: Sql, series: Series, assetId: number): Promise<Date | null> {
  const [first] = await sql.rows(FIRST(series), [assetId])
  return first?.ts ?? null
}
