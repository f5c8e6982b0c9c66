import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoredPrices, Timeframe } from '../../../src/domains/market/model.js'
import type { CandleRow } from '../../../src/domains/market/store.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { candleOf, commitCandles, quotesAround } from './made-candles.js'

const instant = (text: string) => new Date(`${text}Z`)
const KNOWN = instant('2026-11-20T06:00:00')
const REVISED = instant('2026-11-20T08:00:00')

const PRICES: StoredPrices = {
  ...{ open: '68000.01', high: '69000', low: '67500.5', close: '68500' },
  ...{ volume: '586.123', quoteVolume: '40123456.789', quoteCurrency: 'USDT' },
}

/** The candle of a window; Binance has these prices. */
function candle(timeframe: Timeframe, ts: string, prices?: StoredPrices): CandleRow {
  const quotes = { ...quotesAround(68_123.45), kraken: 'no_volume' as const }
  const row = candleOf({ assetId: 1, timeframe, ts: instant(ts) }, quotes)
  return {
    ...row,
    sources: row.sources.map((source) =>
      source.venue === 'binance' && prices !== undefined ? { ...source, prices } : source,
    ),
  }
}

interface Answer {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly meta: Readonly<Record<string, unknown>>
}

describe('prices of one exchange', () => {
  let database: Database
  let app: TestApp
  let keys: Readonly<Record<'free' | 'pro', string>>
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    await seedWorld(database, KNOWN, ['instruments'])
    const days = ['16', '18', '19'].map((day) => candle('1d', `2026-11-${day}T00:00:00`, PRICES))
    await commitCandles(database, [...days, candle('1d', '2026-11-15T00:00:00')], KNOWN)
    const revised = candle('1d', '2026-11-19T00:00:00', { ...PRICES, high: '70000' })
    await commitCandles(database, [revised], REVISED)
    app = await startTestApp(quickestDatabase(), { database })
    keys = { free: await app.newKey({ tier: 'free' }), pro: await app.newKey({ tier: 'pro' }) }
  })
  afterAll(async () => {
    await app?.close()
    await database.close()
  })

  const read = (path: string, tier: 'free' | 'pro' = 'pro') =>
    app.rest<Answer>(`/v1/assets/bitcoin/exchanges/${path}`, { key: keys[tier] })

  it('are every window since the first candle, with the reason where there are none', async () => {
    const { status, body } = await read('binance/ohlcv?from=2026-11-01')
    expect(status).toBe(200)
    expect(body.data.map(({ ts, close, reason }) => [String(ts).slice(8, 10), close, reason])).toEqual([
      ['15', null, 'not_loaded'],
      ['16', 68_500, null],
      ['17', null, 'not_loaded'],
      ['18', 68_500, null],
      ['19', 68_500, null],
    ])
    expect(body.data[1]).toEqual({
      ts: '2026-11-16T00:00:00.000Z',
      ...{ open: 68_000.01, high: 69_000, low: 67_500.5, close: 68_500 },
      ...{ volume: 586.123, quote_volume: 40_123_456.789, quote_currency: 'USDT', reason: null },
    })
    expect(body.meta).toMatchObject({ price_type: 'exchange_trades', total: 5, data_quality: 'partial' })
  })

  it('say that an exchange traded nothing', async () => {
    const { body } = await read('kraken/ohlcv?from=2026-11-18')
    expect(body.data.map(({ reason }) => reason)).toEqual(['no_trades', 'no_trades'])
    expect(body.meta).toMatchObject({ data_quality: 'empty' })
  })

  it('are those that were known at an instant', async () => {
    const at = async (asOf: string) =>
      (await read(`binance/ohlcv?from=2026-11-19&as_of=${asOf}`)).body.data.map(({ high }) => high)
    expect(await at('2026-11-20T07:00:00Z')).toEqual([69_000])
    expect(await at('2026-11-20T09:00:00Z')).toEqual([70_000])
  })

  it('are the same in GraphQL', async () => {
    const query = `{ exchange_candles(id: "bitcoin", exchange: binance, from: "2026-11-18", limit: 1) {
      data { ts high quote_currency } meta { total has_next } } }`
    const { body } = await app.graphql<unknown>(query, { key: keys.pro })
    expect(body.data).toEqual({
      exchange_candles: {
        data: [{ ts: '2026-11-19T00:00:00.000Z', high: 70_000, quote_currency: 'USDT' }],
        meta: { total: 2, has_next: true },
      },
    })
  })

  it('need what candles need', async () => {
    expect((await read('binance/ohlcv?timeframe=1h', 'free')).body).toMatchObject({
      error: 'forbidden',
      required_scope: 'ohlcv:intraday',
    })
    expect((await read('bitmex/ohlcv')).status).toBe(422)
    const gold = await app.rest<{ readonly message: string }>('/v1/assets/gold/exchanges/okx/ohlcv', {
      key: keys.pro,
    })
    expect(gold).toMatchObject({ status: 404, body: { message: expect.stringContaining('no candles') } })
  })
})
