import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

type Point = Readonly<Record<string, unknown>>

interface Series {
  readonly data: readonly Point[] | { readonly candles: readonly Point[] }
}

/** After the provisional figures became known, and before they were revised. */
const BETWEEN = '2026-11-12T00:00:00Z'

describe('revised figures of the seed', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), { database })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const ask = async (path: string) => {
    const { status, body } = await app.rest<Series>(path, { key })
    expect(status).toBe(200)
    const { data } = body
    return 'candles' in data ? data.candles : data
  }
  const bothOf = async (path: string, field: string, asOf = BETWEEN) => {
    const figure = (points: readonly Point[]) => Number(points[0]?.[field])
    const before = figure(await ask(`${path}&as_of=${asOf}`))
    const now = figure(await ask(path))
    return { before, now, ratio: before / now - 1 }
  }

  it('include a candle that lacked a venue', async () => {
    const path = '/v1/assets/bitcoin/ohlcv?timeframe=1d&from=2026-11-09&to=2026-11-10'
    const { before, now, ratio } = await bothOf(path, 'vwap_usd')
    expect(before).not.toBe(now)
    expect(Math.abs(ratio)).toBeLessThan(0.001)
    expect(await bothOf(path, 'exchanges_count')).toMatchObject({ before: 3, now: 4 })
  })

  it('include an hour that lacked a venue', async () => {
    const path = '/v1/assets/bitcoin/ohlcv?timeframe=1h&from=2026-11-17T11:00:00Z&to=2026-11-17T12:00:00Z'
    const asOf = '2026-11-18T00:00:00Z'
    const { before, now, ratio } = await bothOf(path, 'vwap_usd', asOf)
    expect(before).not.toBe(now)
    expect(Math.abs(ratio)).toBeLessThan(0.001)
    expect(await bothOf(path, 'exchanges_count', asOf)).toMatchObject({ before: 3, now: 4 })
  })

  it.each([
    ['Japan', '/v1/macro/japan/BOJ_MD01_MABS1AN11'],
    ['Korea', '/v1/macro/kr/BOK_161Y006_BBHA00_M'],
  ])('include a provisional month of the Bank of %s', async (_, path) => {
    const { ratio } = await bothOf(`${path}?start_date=2026-10-01&end_date=2026-10-31`, 'value')
    expect(ratio).toBeCloseTo(0.002, 4)
  })

  it('include a provisional rate', async () => {
    const { ratio } = await bothOf('/v1/forex?quote=USD&from=2026-11-09&to=2026-11-09', 'rate')
    expect(ratio).toBeCloseTo(0.001, 3)
    expect(ratio).toBeGreaterThan(0)
  })

  it('include a provisional quarter of the BIS', async () => {
    const path = '/v1/macro/bis/WS_TC/Q.US.P.A.M.770.A?start_period=2026-Q3&end_period=2026-Q3'
    const { before, now } = await bothOf(path, 'value')
    expect(before - now).toBeCloseTo(0.7, 5)
  })

  it.each([
    ['candles', '/v1/assets/bitcoin/ohlcv?timeframe=1d&from=2025-11-10&to=2025-11-20', 10],
    ['rates', '/v1/forex?quote=USD&from=2025-11-10&to=2025-11-28', 8],
    ['macro series', '/v1/macro/japan/BOJ_MD01_MABS1AN11?start_date=2025-09-01&end_date=2025-12-31', 2],
    ['closing prices', '/v1/stocks/AAPL/prices?from=2025-10-01&to=2025-12-31', 1],
  ])('include %s that were known a year ago, and none that were not', async (_, path, count) => {
    const points = await ask(`${path}&as_of=2025-11-20T00:00:00Z`)
    expect(points).toHaveLength(count)
  })

  it('leave statistics of each table that has rows', async () => {
    expect(
      await app.database.rows(
        `select c.relname from pg_class as c where c.relnamespace = current_schema()::regnamespace
         and c.relkind in ('r', 'p') and c.reltuples < 0 and not c.relispartition and (pg_relation_size(c.oid) > 0
           or exists (select from pg_partition_tree(c.oid) as part where pg_relation_size(part.relid) > 0))
         and c.relname in ('candle', 'forex_rate', 'macro_observation', 'analysis_snapshot', 'daily_price', 'etf_holding')`,
      ),
    ).toEqual([])
  })
})
