import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { applyCandleRetention } from '../../../../src/ingest/datasets/market/candles-policy.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'

const NOW = new Date('2026-11-20T12:00:00Z')

const BAR_TABLES = ['minute_bar', 'venue_bar'] as const
type BarTable = (typeof BAR_TABLES)[number]

/** The columns that are not the key, with values. */
const FIGURES = {
  minute_bar: { columns: 'figures', values: `'\\x08'` },
  venue_bar: {
    columns: 'open, high, low, close, base_volume, quote_currency',
    values: `1, 1, 1, 1, 1, 'USD'`,
  },
} as const

describe.each(availableDatabases())('retention of candles on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())
  beforeEach(() => emptiedOfFew(database, ['venue_bar', 'minute_bar', 'candle', 'dataset_state']))

  const addBars = (table: BarTable, assetId: number, ...starts: readonly string[]) =>
    database.rows(
      `insert into ${table} (asset_id, venue, ts, ${FIGURES[table].columns}, known_from)
       select $1, 'kraken', unnest($2::timestamptz[]), ${FIGURES[table].values}, $3`,
      [assetId, starts, NOW],
    )
  const addCandles = (timeframe: string, ...starts: readonly string[]) =>
    database.rows(
      `insert into candle (asset_id, timeframe, ts, exchanges_count, methodology_version, sources, source, known_from)
       select 1, $1::timeframe, unnest($2::timestamptz[]), 0, 'm', '[]', 'consensus_vwap', $3`,
      [timeframe, starts, NOW],
    )
  const starts = async (table: string) =>
    (await database.rows<{ ts: Date }>(`select ts from ${table} order by ts`)).map(({ ts }) =>
      ts.toISOString(),
    )

  it.each(BAR_TABLES)('keeps bars of 35 whole days, in whatever month and asset: %s', async (table) => {
    await addBars(
      table,
      1,
      '2025-12-31T23:59:00Z',
      '2026-02-01T00:00:00Z',
      '2026-09-30T23:59:00Z',
      '2026-10-15T23:59:00Z',
    )
    await addBars(table, 1, '2026-10-01T00:00:00Z', '2026-10-16T00:00:00Z', '2026-11-20T11:59:00Z')
    await addBars(table, 7, '2026-10-15T00:00:00Z', '2026-10-16T00:01:00Z')
    expect(await applyCandleRetention(database, NOW)).toEqual({ bars: 6, hourCandles: 0 })
    expect(await starts(table)).toEqual([
      '2026-10-16T00:00:00.000Z',
      '2026-10-16T00:01:00.000Z',
      '2026-11-20T11:59:00.000Z',
    ])
    expect(await applyCandleRetention(database, NOW)).toEqual({ bars: 0, hourCandles: 0 })
  })

  it.each(BAR_TABLES)('deletes closed bars too: %s', async (table) => {
    await addBars(table, 1, '2026-10-15T00:00:00Z')
    const { columns } = FIGURES[table]
    await database.script(
      `update ${table} set known_to = '2026-11-21Z';
       insert into ${table} (asset_id, venue, ts, ${columns}, known_from)
         select asset_id, venue, ts, ${columns}, '2026-11-21Z' from ${table}`,
    )
    expect(await applyCandleRetention(database, NOW)).toEqual({ bars: 2, hourCandles: 0 })
  })

  it('keeps hour candles of five years and day candles for ever, and invalidates caches', async () => {
    await addCandles('1h', '2019-05-05T05:00:00Z', '2021-11-19T23:00:00Z', '2021-11-20T00:00:00Z')
    await addCandles('1d', '2013-01-01T00:00:00Z', '2021-11-19T00:00:00Z')
    await database.rows(
      `insert into dataset_state values ('candles', 4, 'consensus_vwap', false, '2026-11-20T12:00Z', '2026-11-20T12:00Z')`,
    )
    expect(await applyCandleRetention(database, NOW)).toEqual({ bars: 0, hourCandles: 2 })
    expect(await starts('candle')).toEqual([
      '2013-01-01T00:00:00.000Z',
      '2021-11-19T00:00:00.000Z',
      '2021-11-20T00:00:00.000Z',
    ])
    expect(await database.rows('select version, observed_at from dataset_state')).toEqual([
      { version: 5, observed_at: NOW },
    ])
  })
})
