import type { Sql } from '../../../platform/database/database.js'
import { statement } from '../../../platform/database/statement.js'

// Plain SQL: read for each write of candles, and written beside a concurrent start.
const FORM = statement(
  { compactSince: 'timestamptz?' },
  'select compact_since as "compactSince" from row_form where compact_since is not null',
)

/** Since when candles and bars are written in the compact form; null while nodes of older versions may read them. */
export async function loadCompactSince(sql: Sql): Promise<Date | null> {
  const [form] = await sql.rows(FORM)
  return form?.compactSince ?? null
}

const START = statement(
  { compactSince: 'timestamptz?' },
  `insert into row_form (id, compact_since) values (1, $1)
   on conflict (id) do update set compact_since = coalesce(row_form.compact_since, excluded.compact_since)
   returning compact_since as "compactSince"`,
)

/**
 * Lets all nodes write the compact form and convert the rows of before; returns since when they do. It cannot be undone, and
 * nodes of versions before the compact form can read neither.
 */
export async function startCompactRows(sql: Sql, now: Date): Promise<Date> {
  const [form] = await sql.rows(START, [now])
  if (!form?.compactSince) throw new Error('the form of rows was not stored')
  return form.compactSince
}

const LEFT = statement(
  { candles: 'int8', bars: 'int8' },
  `select (select count(*) from candle where sources is not null) as candles,
     (select count(*) from venue_bar) as bars`,
)

/** The rows that are still to be converted. It counts them, which takes seconds for many. */
export async function countRowsToConvert(
  sql: Sql,
): Promise<{ readonly candles: number; readonly bars: number }> {
  const [left] = await sql.rows(LEFT)
  return left ?? { candles: 0, bars: 0 }
}
