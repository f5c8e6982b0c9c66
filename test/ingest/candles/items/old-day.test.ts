import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeCandles } from '../../../../src/domains/market/store.js'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { loadSources } from '../../../domains/market/stored-sources.js'
import { openTestDatabase, quickestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'
import {
  BITCOIN,
  type LoadAtOptions,
  loadAt,
  openVenueWorld,
  TETHER,
  type VenueWorld,
} from './venue-world.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const DAY = new Date('2026-03-02T00:00:00Z')
const NEXT = new Date('2026-03-03T00:00:00Z')
const AFTER = new Date('2026-03-04T00:00:00Z')
const SYMBOLS = { binance: 'BTCUSDT', bitstamp: 'btcusd', coinbase: 'BTC-USD', kraken: 'XBTUSD' } as const

type Venue = keyof typeof SYMBOLS

let database: Database
let world: VenueWorld
beforeAll(async () => {
  database = await openTestDatabase(quickestDatabase())
})
afterAll(() => database.close())
beforeEach(async () => {
  await emptiedOfFew(database, [
    'minute_bar',
    'candle',
    'candle_backfill',
    'ingest_run',
    'dataset_state',
    'instrument',
    'asset',
  ])
  world = await openVenueWorld()
  for (const day of [DAY, NEXT]) {
    play('binance', day, '100')
    play('bitstamp', day, '101')
    play('coinbase', day, '102')
  }
})
afterEach(() => world.close())

/** One bar in the first hour of the day, and one in the second. */
function play(venue: Venue, day: Date, price: string, symbol: string = SYMBOLS[venue]): void {
  const key = `${venue} ${symbol}`
  const bars = [1, 61].map((minute) => ({
    ts: new Date(day.getTime() + minute * 60_000),
    price,
    volume: '1',
  }))
  world.bars.set(key, [...(world.bars.get(key) ?? []), ...bars])
}

const NEXT_OF = (day: Date) => new Date(day.getTime() + 24 * 3_600_000)

const backfill = (options: LoadAtOptions = {}) =>
  loadAt(database, world, NOW, { from: DAY, to: AFTER, ...options })

const candles = async (assetId = 1) => {
  const rows = await database.rows<{ frame: string; ts: Date; price: string | null }>(
    `select timeframe as frame, ts, trim_scale(vwap_usd) as price
     from candle where asset_id = $1 and known_to is null order by ts, timeframe`,
    [assetId],
  )
  const sources = await loadSources(database, `c.asset_id = ${assetId} and c.known_to is null`)
  return rows.map(({ frame, ts, price }, place) => {
    const venues = sources[place]?.map(({ venue }) => venue).join(',')
    return `${frame} ${ts.toISOString().slice(0, 13)} ${price} ${venues}`
  })
}
const version = async () =>
  (await database.rows<{ version: number }>(`select version from dataset_state where dataset = 'candles'`))[0]
    ?.version

const THREE = 'binance,bitstamp,coinbase'
const BOTH_DAYS = ['2026-03-02', '2026-03-03'].flatMap((day) => [
  `1h ${day}T00 101.006600660066 ${THREE}`,
  `1d ${day}T00 101.006600660066 ${THREE}`,
  `1h ${day}T01 101.006600660066 ${THREE}`,
])

describe('an old day, whose bars are not kept', { timeout: 60_000 }, () => {
  it('makes hours and days from old bars, which are not kept, without the venue that has only new ones', async () => {
    const { venues, candles: counts, rejected, isComplete } = await backfill()
    expect(await candles()).toEqual(BOTH_DAYS)
    expect(counts).toMatchObject({ added: 6, revised: 0 })
    expect([rejected, isComplete]).toEqual([0, true])
    expect(venues.map(({ venue, requests, bars, missed }) => [venue, requests, bars, missed])).toEqual([
      ['binance', 4, 4, 0],
      ['bitstamp', 4, 4, 0],
      ['coinbase', 10, 4, 0],
      ['kraken', 0, 0, 0],
    ])
    expect(await database.rows('select 1 as one from minute_bar')).toEqual([])
    expect(await database.rows(`select feed, status, added, rejected from ingest_run`)).toEqual([
      { feed: 'candles-backfill', status: 'succeeded', added: 6, rejected: 0 },
    ])
    expect(await version()).toBe(2)
  })

  it('keeps the prices of each exchange, those of another run too', async () => {
    await backfill({ venues: ['binance'] })
    await backfill()
    const days = await loadSources(database, `c.asset_id = 1 and c.known_to is null and c.timeframe = '1d'`)
    expect(
      days.map((sources) => sources.map(({ venue, prices }) => [venue, prices?.high, prices?.quoteCurrency])),
    ).toEqual(
      Array(2).fill([
        ['binance', '100', 'USDT'],
        ['bitstamp', '101', 'USD'],
        ['coinbase', '102', 'USD'],
      ]),
    )
  })

  it('requests the former pair if its last day is known, and reports if it is not', async () => {
    const day = new Date('2024-03-04T00:00:00Z')
    play('binance', day, '1', 'MATICUSDT')
    play('kraken', day, '1', 'POLUSD')
    const polygon = { assetId: 34, slug: 'polygon', ticker: 'POL', tier: 2 as const }
    const { venues } = await backfill({ assets: [polygon], from: day, to: NEXT_OF(day) })
    expect(world.asked.find(({ venue }) => venue === 'binance')?.url).toContain('symbol=MATICUSDT')
    const reason = (venue: string) =>
      `the day on which MATIC became POL at ${venue} is not known, so MATIC was not requested`
    expect(venues).toMatchObject([
      { venue: 'binance', bars: 2, withoutBars: 0, underFormerTicker: [] },
      ...['bitstamp', 'coinbase', 'kraken'].map((venue) => ({
        ...{ venue, bars: 0, withoutBars: 1 },
        underFormerTicker: [{ slug: 'polygon', days: 1, reason: reason(venue) }],
      })),
    ])
  })

  it('counts days without bars of an asset that was never renamed without such a reason', async () => {
    const day = new Date('2024-03-04T00:00:00Z')
    const { venues } = await backfill({ from: day, to: NEXT_OF(day) })
    expect(venues.map(({ withoutBars, underFormerTicker }) => [withoutBars, underFormerTicker])).toEqual(
      Array(4).fill([1, []]),
    )
  })

  it('requests the newest day first', async () => {
    const days: string[] = []
    await backfill({ onProgress: ({ at }) => days.push(at.toISOString().slice(0, 10)) })
    expect(days).toEqual(['2026-03-03', '2026-03-02'])
  })

  it('requests no finished day, unless told to', async () => {
    await backfill()
    world.asked.length = 0
    const second = await backfill()
    expect(world.asked).toEqual([])
    expect(second).toMatchObject({ windows: 2, skipped: 2, candles: { added: 0, revised: 0, unchanged: 0 } })
    const third = await backfill({ isAgain: true })
    expect(world.asked).toHaveLength(18)
    expect(third).toMatchObject({ skipped: 0, candles: { added: 0, revised: 0, unchanged: 6 } })
    expect(await version()).toBe(2)
  })

  it('continues where a run was stopped', async () => {
    const onProgress = () => {
      throw new Error('stopped')
    }
    await expect(backfill({ onProgress })).rejects.toThrow('stopped')
    expect(await candles()).toEqual(BOTH_DAYS.slice(3))
    world.asked.length = 0
    expect(await backfill()).toMatchObject({ windows: 2, skipped: 1 })
    expect(world.asked).toHaveLength(9)
    expect(await candles()).toEqual(BOTH_DAYS)
  })

  it('uses nothing of a partial day, and adds the venue when it has all of it', async () => {
    let pages = 0
    world.answer = (venue) => {
      if (venue !== 'coinbase') return null
      pages += 1
      return pages === 3 ? { status: 200, body: '{"maintenance":true}' } : null
    }
    const first = await backfill({ from: NEXT })
    expect(first.venues[2]).toMatchObject({ venue: 'coinbase', missed: 1, bars: 0, givenUp: null })
    expect(first.rejections[0]?.position).toMatch(/^coinbase 2026-03-03, bitcoin, https:/)
    expect(await candles()).toEqual([
      '1h 2026-03-03T00 null binance,bitstamp',
      '1d 2026-03-03T00 null binance,bitstamp',
      '1h 2026-03-03T01 null binance,bitstamp',
    ])
    world.asked.length = 0
    const second = await backfill({ from: NEXT })
    expect(new Set(world.asked.map(({ venue }) => venue))).toEqual(new Set(['coinbase']))
    expect(second.candles).toMatchObject({ added: 0, revised: 3 })
    expect(await candles()).toEqual(BOTH_DAYS.slice(3))
  })

  it('waits for a venue that is down, leaves it out if that fails, and ends when none is left', async () => {
    world.answer = (venue) => (venue === 'binance' ? { status: 503, body: '' } : null)
    const pauses: number[] = []
    const run = await backfill({ venues: ['binance'], pauses })
    expect(pauses).toEqual([15, 30, 60, 120])
    expect(run).toMatchObject({ isComplete: false, leftOut: 1, candles: { added: 0 } })
    expect(run.venues[0]?.givenUp).toContain('/api/v3/klines')
    expect(await candles()).toEqual([])
    expect(await database.rows('select status from ingest_run')).toEqual([{ status: 'failed' }])
  })

  it('waits for a venue that sends an HTML page for a time, and then has the whole day', async () => {
    let pages = 0
    world.answer = (venue) => {
      if (venue !== 'coinbase') return null
      pages += 1
      return pages === 3 ? { status: 200, body: '<html>maintenance</html>' } : null
    }
    const pauses: number[] = []
    const run = await backfill({ from: NEXT, pauses })
    expect(pauses).toEqual([15])
    expect(run.venues[2]).toMatchObject({ venue: 'coinbase', missed: 0, bars: 2, givenUp: null })
    expect(await candles()).toEqual(BOTH_DAYS.slice(3))
  })

  it('leaves out a venue that asks for more than ten minutes, with no request before that', async () => {
    const headers = { 'retry-after': '3600' }
    world.answer = (venue) => (venue === 'coinbase' ? { status: 429, body: '', headers } : null)
    const pauses: number[] = []
    const run = await backfill({ pauses })
    expect(pauses).toEqual([])
    expect(world.asked.filter(({ venue }) => venue === 'coinbase')).toHaveLength(1)
    expect(run.venues[2]?.givenUp).toContain('status 429')
    expect(run.isComplete).toBe(true)
  })

  it('requests an unlisted pair of a venue once', async () => {
    world.answer = (venue) =>
      venue === 'binance' ? { status: 400, body: '{"code":-1121,"msg":"Invalid symbol."}' } : null
    const { venues } = await backfill()
    expect(venues[0]).toMatchObject({ venue: 'binance', requests: 1, notListed: 2, missed: 0 })
  })

  it('keeps other venues of a stored candle', async () => {
    const kraken = {
      venue: 'kraken',
      vwapUsd: '100',
      volumeUsd: '100',
      weight: null,
      exclusion: null,
      deviation: null,
    }
    const row = {
      assetId: 1,
      timeframe: '1d' as const,
      vwapUsd: null,
      volumeUsd: null,
      exchangesCount: 1,
      maxSourceWeight: null,
      methodologyVersion: 'vwap-consensus-1',
      sources: [kraken],
    }
    await database.transaction(async (tx) => {
      const known = { knownAt: new Date('2026-04-01T00:00:00Z') }
      await writeCandles(tx, [{ ...row, ts: NEXT }], { ...known, source: 'consensus_vwap' })
    })
    await backfill({ venues: ['binance', 'bitstamp'], from: NEXT })
    expect((await candles()).filter((text) => text.startsWith('1d'))).toEqual([
      '1d 2026-03-03T00 100.402390438247 binance,bitstamp,kraken',
    ])
  })

  it('converts tether by its own candle of the day, which is made first', async () => {
    await seedWorld(database, NOW, ['instruments'])
    for (const venue of ['bitstamp', 'coinbase', 'kraken'] as const)
      play(venue, NEXT, '0.99', { bitstamp: 'usdtusd', coinbase: 'USDT-USD', kraken: 'USDTUSD' }[venue])
    await backfill({ assets: [BITCOIN, TETHER], from: NEXT })
    const [day] = await loadSources(database, `c.asset_id = 1 and c.timeframe = '1d' and c.known_to is null`)
    expect(day?.map(({ venue, vwapUsd }) => [venue, vwapUsd])).toEqual([
      ['binance', '99'],
      ['bitstamp', '101'],
      ['coinbase', '102'],
    ])
  })

  it('makes no hours older than five years', async () => {
    const old = new Date('2021-03-02T00:00:00Z')
    for (const venue of ['binance', 'bitstamp', 'coinbase'] as const) play(venue, old, '100')
    await backfill({ from: old, to: new Date('2021-03-03T00:00:00Z') })
    expect(await candles()).toEqual([`1d 2021-03-02T00 100 ${THREE}`])
  })
})
