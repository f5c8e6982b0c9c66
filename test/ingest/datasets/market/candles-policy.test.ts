import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { applyCandleRetention } from '../../../../src/ingest/datasets/market/candles-policy.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'

const NOW = new Date('2026-11-20T12:00:00Z')

describe.each(availableDatabases())('retention of candles on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())
  beforeEach(() => emptiedOfFew(database, ['minute_bar', 'candle', 'dataset_state']))

  const addBars = (assetId: number, ...starts: readonly string[]) =>
    database.rows(
      `insert into minute_bar (asset_id, venue, ts, figures, known_from)
       select $1, 'kraken', unnest($2::timestamptz[]), '\\x08', $3`,
      [assetId, starts, NOW],
    )
  const addCandles = (timeframe: string, ...starts: readonly string[]) =>
    database.rows(
      `insert into candle (asset_id, timeframe, ts, exchanges_count, methodology_version, sources, source, known_from)
       select 1, $1::timeframe, unnest($2::timestamptz[]), 0, 'm', '\\x01', 'consensus_vwap', $3`,
      [timeframe, starts, NOW],
    )
  const starts = async (table: string) =>
    (await database.rows<{ ts: Date }>(`select ts from ${table} order by ts`)).map(({ ts }) =>
      ts.toISOString(),
    )

  it('keeps bars of 35 whole days, in whatever month and asset', async () => {
    await addBars(
      1,
      '2025-12-31T23:59:00Z',
      '2026-02-01T00:00:00Z',
      '2026-09-30T23:59:00Z',
      '2026-10-15T23:59:00Z',
    )
    await addBars(1, '2026-10-01T00:00:00Z', '2026-10-16T00:00:00Z', '2026-11-20T11:59:00Z')
    await addBars(7, '2026-10-15T00:00:00Z', '2026-10-16T00:01:00Z')
    expect(await applyCandleRetention(database, NOW)).toEqual({ bars: 6, hourCandles: 0 })
    expect(await starts('minute_bar')).toEqual([
      '2026-10-16T00:00:00.000Z',
      '2026-10-16T00:01:00.000Z',
      '2026-11-20T11:59:00.000Z',
    ])
    expect(await applyCandleRetention(database, NOW)).toEqual({ bars: 0, hourCandles: 0 })
  })

  it('deletes closed bars too', async () => {
    await addBars(1, '2026-10-15T00:00:00Z')
    await database.script(
      `update minute_bar set known_to = '2026-11-21Z';
       insert into minute_bar (asset_id, venue, ts, figures, known_from)
         select asset_id, venue, ts, figures, '2026-11-21Z' from minute_bar`,
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
