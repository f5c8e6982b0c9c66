import type { QuoteCurrency } from '../../../core/consensus/venue-vwap.js'
import { DAY_MS } from '../../../core/time.js'
import type { Sql, Transaction } from '../../../platform/database/database.js'
import { column, statement, statements } from '../../../platform/database/statement.js'
import { packBarTexts } from './packed-bar.js'

/** Bars of one venue that one statement moves: those of a day, at most 1,440 with their closed ones. */
const SLICE_MS = DAY_MS

// Plain SQL from here on: bulk statements by partition and place.
/** A bar of a venue that no compact bar can name stays as it is. */
const OLDEST = statement(
  { assetId: 'int4', venue: 'text', ts: 'timestamptz' },
  `select asset_id as "assetId", venue, ts from venue_bar where venue = any(enum_range(null::venue)::text[])
   order by asset_id, venue, ts, known_from limit 1`,
)

/**
 * Moves some bars into the table of compact ones, closed ones too, and returns their number; 0 if none is left. Callers hold
 * the lock of the dataset.
 */
export async function convertBars(tx: Transaction): Promise<number> {
  const [oldest] = await tx.rows(OLDEST)
  if (oldest === undefined) return 0
  const { assetId, venue, ts } = oldest
  return moveBars(tx, { assetId, venue, first: ts, last: new Date(ts.getTime() + SLICE_MS - 1) })
}

const TAKE = statement(
  {
    ts: 'timestamptz',
    knownFrom: 'timestamptz',
    knownTo: 'timestamptz?',
    open: 'numeric',
    high: 'numeric',
    low: 'numeric',
    close: 'numeric',
    baseVolume: 'numeric',
    quoteVolume: 'numeric?',
    vwap: 'numeric?',
    /** The cast is safe: only bars of these were written. */
    quoteCurrency: column<QuoteCurrency>('text'),
  },
  `delete from venue_bar where asset_id = $1 and venue = $2 and ts between $3 and $4
   returning ts, known_from as "knownFrom", known_to as "knownTo", trim_scale(open) as open, trim_scale(high) as high,
     trim_scale(low) as low, trim_scale(close) as close, trim_scale(base_volume) as "baseVolume",
     trim_scale(quote_volume) as "quoteVolume", trim_scale(vwap) as vwap, quote_currency as "quoteCurrency"`,
)

const PUT = `insert into minute_bar (asset_id, venue, ts, known_from, known_to, figures)
   select $1::int, $2::venue, ts, known_from, known_to, figures
   from unnest($3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::bytea[]) as b(ts, known_from, known_to, figures)
   order by ts, known_from`

/** Moves the bars of a venue that start from `first` to `last`, both included, and returns their number. */
export async function moveBars(
  tx: Transaction,
  {
    assetId,
    venue,
    first,
    last,
  }: {
    readonly assetId: number
    readonly venue: string
    readonly first: Date
    readonly last: Date
  },
): Promise<number> {
  const bars = await tx.rows(TAKE, [assetId, venue, first, last])
  if (bars.length === 0) return 0
  const values = [
    bars.map(({ ts }) => ts),
    bars.map(({ knownFrom }) => knownFrom),
    bars.map(({ knownTo }) => knownTo),
    bars.map(packBarTexts),
  ]
  await tx.rows(PUT, [assetId, venue, ...values])
  return bars.length
}

const EMPTY_PARTITIONS = statement(
  { name: 'text' },
  `select c.oid::regclass::text as name from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
   where i.inhparent = 'venue_bar'::regclass and pg_relation_size(c.oid) > 0`,
)

const HAS_ROWS = statements(
  { hasRows: 'bool' },
  (name: string) => `select exists(select 1 from ${name}) as "hasRows"`,
  'venue_bar',
)

/** Frees the disk space of moved bars: truncates the partitions that have no row. */
export async function emptyConvertedPartitions(sql: Sql): Promise<void> {
  for (const { name } of await sql.rows(EMPTY_PARTITIONS)) {
    const [state] = await sql.rows(HAS_ROWS(name))
    if (state?.hasRows === false) await sql.rows(`truncate ${name}`)
  }
}
