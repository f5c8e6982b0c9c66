// Measures the bytes that candles and one-minute bars take in PostgreSQL: heap, TOAST and each index. It writes them as the
// schedule does: window by window for all candles, hour by hour for the bars of each asset and venue, with figures of 15 digits
// of three to five venues. Indexes are measured as these writes leave them, and again after they were built anew.
// npm run -s bench:rows -- [--assets 20] [--hours 2000] [--bar-hours 48]
// BENCH_DATABASE_URL is the server. The database is dropped at the end.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { consensus, type VenueInput } from '../../../src/core/consensus/consensus.js'
import type { VenueBar } from '../../../src/core/consensus/venue-vwap.js'
import { Decimal } from '../../../src/core/decimal.js'
import { writeBars } from '../../../src/domains/market/bar-store.js'
import type { Timeframe } from '../../../src/domains/market/model.js'
import { type CandleRow, writeCandles } from '../../../src/domains/market/store.js'
import { candleRow } from '../../../src/ingest/datasets/market/roll-up.js'
import { noise } from '../../../src/ingest/seed/values/noise.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { BATCH_LIMITS } from '../../../src/platform/database/statement-limits.js'

const DEFAULT_URL = 'postgresql://postgres@127.0.0.1:5432/postgres'
const MIGRATIONS = resolve(import.meta.dirname, '../../../prisma/migrations')
const END = Date.UTC(2026, 10, 20)
const HOUR_MS = 3_600_000
const VENUES = ['binance', 'bitstamp', 'coinbase', 'kraken', 'okx']

function candle(asset: number, timeframe: Timeframe, ts: Date): CandleRow {
  const key = `${asset} ${timeframe} ${ts.getTime()}`
  const price = new Decimal(10).pow(asset % 6).times(1 + noise(key))
  const inputs = VENUES.slice(0, 3 + ((asset + ts.getTime() / HOUR_MS) % 3)).map((venue): VenueInput => {
    const own = noise(`${key} ${venue}`)
    const vwapUsd = price.times(1 + 0.001 * own).dividedBy(3)
    return { venue, vwapUsd, volumeUsd: new Decimal(1e6).times(1 + noise(`${venue} ${key}`)).dividedBy(7) }
  })
  return candleRow(asset, { timeframe, ts }, consensus(inputs, 1))
}

async function fillCandles(database: Database, assets: number, hours: number): Promise<void> {
  for (let hour = hours; hour > 0; hour--) {
    const ts = new Date(END - hour * HOUR_MS)
    const frames: readonly Timeframe[] = hour % 24 === 0 ? ['1h', '1d'] : ['1h']
    const rows = frames.flatMap((timeframe) =>
      Array.from({ length: assets }, (_, asset) => candle(asset + 1, timeframe, ts)),
    )
    const knownAt = new Date(ts.getTime() + HOUR_MS + 300_000)
    await database.transaction((tx) => writeCandles(tx, rows, { knownAt, source: 'consensus_vwap' }))
  }
}

function bar(asset: number, venue: string, ts: Date): VenueBar {
  const draw = (name: string) => noise(`${asset} ${venue} ${ts.getTime()} ${name}`)
  const places = 6 - (asset % 6)
  const at = (name: string) =>
    new Decimal(10 ** (asset % 6) * (6 + 0.01 * draw(name))).toDecimalPlaces(places)
  const prices = [at('open'), at('a'), at('b'), at('close')] as const
  const [open, , , close] = prices
  const baseVolume = new Decimal(Math.exp(6 * draw('volume') - 3)).toDecimalPlaces(8)
  const hasQuote = venue === 'binance' || venue === 'okx'
  return {
    ...{ venue, ts, open, close, high: Decimal.max(...prices), low: Decimal.min(...prices), baseVolume },
    quoteVolume: hasQuote ? baseVolume.times(open).toDecimalPlaces(8) : null,
    vwap: venue === 'kraken' ? at('vwap') : null,
    quoteCurrency: hasQuote ? 'USDT' : 'USD',
  }
}

async function fillBars(database: Database, assets: number, hours: number): Promise<void> {
  for (let hour = hours; hour > 0; hour--) {
    for (let asset = 1; asset <= assets; asset++) {
      const start = END - hour * HOUR_MS
      const bars = VENUES.flatMap((venue) =>
        Array.from({ length: 60 }, (_, minute) => bar(asset, venue, new Date(start + minute * 60_000))),
      )
      const knownAt = new Date(start + HOUR_MS + 60_000)
      await database.transaction((tx) => writeBars(tx, asset, bars, { knownAt }))
    }
  }
}

const SIZES = `
  with relation as (
    select parent.relname::text as name, c.oid, c.reltoastrelid as toast from pg_inherits as i
    join pg_class as c on c.oid = i.inhrelid and c.relkind = 'r' join pg_class as parent on parent.oid = i.inhparent
    where parent.relname in ('candle', 'minute_bar')
  ), part as (
    select name, 'heap' as part, pg_relation_size(oid) as bytes from relation
    union all select name, 'toast', pg_relation_size(toast) from relation where toast <> 0
    union all select name, whole.inhparent::regclass::text, pg_relation_size(x.indexrelid)
      from relation join pg_index as x on x.indrelid = oid join pg_inherits as whole on whole.inhrelid = x.indexrelid
  ) select name, part, sum(bytes)::float8 as bytes from part group by 1, 2 order by 1, part <> 'heap', part <> 'toast', 2`

async function printSizes(database: Database, title: string): Promise<void> {
  process.stdout.write(`${title}\n`)
  const parts = await database.rows<{ name: string; part: string; bytes: number }>(SIZES)
  for (const name of new Set(parts.map((part) => part.name))) {
    const [count] = await database.rows<{ rows: number }>(`select count(*) as rows from ${name}`)
    const rows = count?.rows ?? 0
    if (rows === 0) continue
    const own = parts.filter((part) => part.name === name)
    const sum = own.reduce((total, { bytes }) => total + bytes, 0)
    for (const { part, bytes } of [{ part: `${rows} rows`, bytes: sum }, ...own]) {
      process.stdout.write(`${name.padEnd(12)}${part.padEnd(24)}${(bytes / rows).toFixed(1).padStart(8)}\n`)
    }
  }
}

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { assets: text, hours: text, 'bar-hours': text } })
const url = process.env.BENCH_DATABASE_URL ?? DEFAULT_URL
const server = await openDatabase({ kind: 'postgres', url, poolSize: 1 }, { limits: BATCH_LIMITS })
const name = `mdg_rows_${process.pid}`
await server.rows(`create database "${name}" template template0`)
const own = new URL(url)
own.pathname = `/${name}`
const database = await openDatabase(
  { kind: 'postgres', url: own.href, poolSize: 1 },
  { limits: BATCH_LIMITS },
)
try {
  await migrate(database, MIGRATIONS)
  await fillCandles(database, Number(values.assets ?? 20), Number(values.hours ?? 2_000))
  await fillBars(database, 5, Number(values['bar-hours'] ?? 48))
  await printSizes(database, 'bytes per row as written')
  for (const table of ['candle', 'minute_bar']) await database.rows(`reindex table ${table}`)
  await printSizes(database, 'with new indexes')
} finally {
  await database.close()
  await server.rows(`drop database if exists "${name}" with (force)`)
  await server.close()
}
