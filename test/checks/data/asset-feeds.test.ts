import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadAssetFeeds } from '../../../src/checks/data/asset-feeds.js'
import { runAdmin } from '../../../src/commands/admin/run.js'
import { loadConfig } from '../../../src/config.js'
import { decimal } from '../../../src/core/decimal.js'
import { fixedClock } from '../../../src/core/time.js'
import { writeBars } from '../../../src/domains/market/bar-store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { inDatabase, newInstallation } from '../../commands/admin-world.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const MINUTES_AGO = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)
const REST_UNTIL = '2026-11-20T12:30:00.000Z'

const ASSETS = `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
  values (1, 'bitcoin', 'BTC', 'Bitcoin', 'crypto', 1, now(), 'test'),
         (2, 'apple', 'AAPL', 'Apple', 'stock', null, now(), 'test')`

describe('the exchanges of one asset', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    await database.rows(ASSETS)
  })
  afterAll(() => database?.close())

  const load = (slug: string) =>
    loadAssetFeeds({ config: loadConfig({ NODE_ENV: 'test' }), database, clock: fixedClock(NOW) }, slug)
  const reasons = async () =>
    Object.fromEntries((await load('bitcoin')).map((row) => [row.exchange, row.why_not]))

  it('say that no node requests bars, when none does', async () => {
    const why = 'no node requests bars from it: start one with candles in SCHEDULE'
    expect(await reasons()).toEqual({ binance: why, bitstamp: why, coinbase: why, kraken: why })
  })

  it('say when each gave the last bar, and why it gives none', async () => {
    const price = decimal('100')
    const bar = (venue: string, minutes: number) => ({
      ...{ venue, ts: MINUTES_AGO(minutes), open: price, high: price, low: price, close: price },
      ...{ baseVolume: decimal('1'), quoteVolume: null, vwap: null, quoteCurrency: 'USD' as const },
    })
    await database.transaction((tx) =>
      writeBars(tx, 1, [bar('kraken', 5), bar('coinbase', 300)], { knownAt: NOW }),
    )
    await database.rows(
      `insert into venue_coverage (asset_id, venue, is_listed, covered_to, asked_at) values
       (1, 'kraken', true, $1, $1), (1, 'coinbase', true, $1, $1), (1, 'bitstamp', false, null, $1)`,
      [MINUTES_AGO(4)],
    )
    const lane = { queue: 1, oldestDueSeconds: 0, requestsInLastMinute: 1, restUntil: null, restCause: null }
    const lanes = ['kraken', 'coinbase', 'bitstamp'].map((venue) => ({ venue, ...lane }))
    const resting = { ...lane, venue: 'binance', restUntil: REST_UNTIL, restCause: 'binance: status 451' }
    await database.rows(
      `insert into lane_node values (gen_random_uuid(), clock_timestamp() + interval '1 hour', $1::jsonb)`,
      [JSON.stringify([...lanes, resting])],
    )
    expect(await load('bitcoin')).toEqual([
      {
        ...{ exchange: 'binance', pair: 'BTCUSDT', newest_bar_at: null, covered_to: null, asked_at: null },
        why_not: `it gets no requests before ${REST_UNTIL}: binance: status 451`,
      },
      {
        ...{ exchange: 'bitstamp', pair: 'btcusd', newest_bar_at: null, covered_to: null },
        ...{ asked_at: MINUTES_AGO(4), why_not: 'it does not list the pair; it is asked again each day' },
      },
      {
        ...{ exchange: 'coinbase', pair: 'BTC-USD', newest_bar_at: MINUTES_AGO(300) },
        ...{ covered_to: MINUTES_AGO(4), asked_at: MINUTES_AGO(4) },
        why_not: 'it answered without newer bars: nothing was traded, or the bars were rejected',
      },
      {
        ...{ exchange: 'kraken', pair: 'XBTUSD', newest_bar_at: MINUTES_AGO(5) },
        ...{ covered_to: MINUTES_AGO(4), asked_at: MINUTES_AGO(4), why_not: null },
      },
    ])
  })

  it.each([
    ['apple', 'apple is of the class stock; exchanges give bars of crypto assets only'],
    ['BTC', 'unknown asset BTC; did you mean bitcoin?'],
    ['bitcion', 'unknown asset bitcion; did you mean bitcoin?'],
    ['zzz', 'unknown asset zzz'],
  ])('are refused for %s with the reason', async (slug, message) => {
    await expect(load(slug)).rejects.toThrow(new Error(message))
  })
})

describe('admin feeds --asset', { timeout: 120_000 }, () => {
  it('prints a row for each exchange, and refuses an unknown asset', async () => {
    const installation = await newInstallation(quickestDatabase(), 'empty')
    await inDatabase(installation, (database) => database.rows(ASSETS))
    const feeds = (slug: string) => runAdmin(['feeds', '--asset', slug], installation.env)
    const { code, out } = await feeds('bitcoin')
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^exchange +pair +newest bar at +covered to +asked at +why not\nbinance +BTCUSDT /,
      ),
    ])
    expect(await feeds('bitcion')).toMatchObject({
      code: 1,
      err: expect.stringContaining('unknown asset bitcion; did you mean bitcoin?'),
    })
    await installation.remove()
  })
})
