import type { Sql, Transaction } from '../../../platform/database/database.js'
import { statement, statements } from '../../../platform/database/statement.js'
import type { Timeframe } from '../model.js'
import { packSourcesText } from './packed-sources-model.js'

/** Rows of one statement: it takes some 10 ms, during which the embedded database serves no other. */
const BATCH_ROWS = 500

// Plain SQL from here on: bulk statements by partition and place.
const OLD_ROW = { partition: 'text', place: 'text', sources: 'text' } as const

const OLD_COLUMNS =
  't.tableoid::regclass::text as partition, t.ctid::text as place, t.sources::text as sources'

/** Read in the order of the index that holds these rows alone. */
const OLD_ROWS = statement(
  OLD_ROW,
  `select ${OLD_COLUMNS} from candle as t where t.sources is not null order by t.asset_id limit ${BATCH_ROWS}`,
)

/**
 * Converts some candles to the compact form, closed ones too, and returns their number; 0 if none is left. Answers do not
 * change with it. Callers hold the lock of the dataset.
 */
export async function convertCandles(tx: Transaction): Promise<number> {
  return pack(tx, await tx.rows(OLD_ROWS))
}

const HAS_OLD = statement(
  { hasOld: 'bool' },
  'select exists(select 1 from candle where sources is not null) as "hasOld"',
)

const OLD_CURRENT = statement(
  OLD_ROW,
  `select ${OLD_COLUMNS} from unnest($1::int[], $2::text[], $3::timestamptz[]) as k(asset_id, timeframe, ts)
   cross join lateral (
     select c.tableoid, c.ctid, c.sources from candle as c
     where c.asset_id = k.asset_id and c.timeframe = k.timeframe::timeframe and c.ts = k.ts and c.known_to is null
       and c.ts between $4 and $5 limit 1
   ) as t where t.sources is not null`,
)

/** Converts the current candles of these windows, so that a written one is compared with them in one form. */
export async function convertCurrentCandles(
  tx: Transaction,
  windows: readonly { readonly assetId: number; readonly timeframe: Timeframe; readonly ts: Date }[],
): Promise<void> {
  const [state] = await tx.rows(HAS_OLD)
  if (windows.length === 0 || state?.hasOld !== true) return
  const starts = windows.map(({ ts }) => ts.getTime()).sort((a, b) => a - b)
  const bounds = [new Date(starts[0] ?? 0), new Date(starts.at(-1) ?? 0)]
  const keys = [
    windows.map(({ assetId }) => assetId),
    windows.map(({ timeframe }) => timeframe),
    windows.map(({ ts }) => ts),
  ]
  await pack(tx, await tx.rows(OLD_CURRENT, [...keys, ...bounds]))
}

/**
 * By partition: the triggers that count facts of the star schema belong to the whole table, and no count changes. The rows are
 * found by their places; one that was deleted meanwhile stays deleted.
 */
const PACK = statements(
  { rows: 'int4' },
  (partition: string) => `with packed as (
     update ${partition} as c set sources_packed = p.packed, sources = null
     from unnest($1::tid[], $2::bytea[]) as p(place, packed)
     where c.ctid = any($1::tid[]) and c.ctid = p.place and c.sources is not null returning 1
   ) select count(*)::int as rows from packed`,
  'candle_2026',
)

async function pack(
  sql: Sql,
  rows: readonly { readonly partition: string; readonly place: string; readonly sources: string }[],
): Promise<number> {
  let packed = 0
  for (const partition of new Set(rows.map((row) => row.partition))) {
    const own = rows.filter((row) => row.partition === partition)
    const values = [own.map(({ place }) => place), own.map(({ sources }) => packSourcesText(sources))]
    const [result] = await sql.rows(PACK(partition), values)
    packed += result?.rows ?? 0
  }
  return packed
}
