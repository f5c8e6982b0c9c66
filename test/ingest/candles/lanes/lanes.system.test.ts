import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { groupBy } from '../../../../src/core/group-by.js'
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/time.js'
import { loadCandles } from '../../../../src/ingest/candles/items/load-candles.js'
import type { LoadSummary } from '../../../../src/ingest/candles/items/load-counts.js'
import { windowsOf } from '../../../../src/ingest/candles/items/work-window.js'
import { WANTED_INTERVALS_MS } from '../../../../src/ingest/candles/lanes/lane-policy.js'
import { loadLaneReports } from '../../../../src/ingest/candles/lanes/lane-report.js'
import { loadCryptoAssets } from '../../../../src/ingest/candles/venue-assets.js'
import { CONSENSUS_VENUES } from '../../../../src/ingest/datasets/market/candles-policy.js'
import { VENUE_ADAPTERS } from '../../../../src/ingest/datasets/market/ingestion.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { requestTurns } from '../../../../src/platform/http-client/request-turns.js'
import { openTestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'
import type { VirtualTime } from '../../schedule/virtual-time.js'
import {
  addPlayedAssets,
  openVirtualTime,
  type PlayedAsset,
  type PlayedNode,
  type PlayedNodeOptions,
  startPlayedNode,
} from './lanes-world.js'
import { type PlayedExchanges, playExchanges } from './played-exchanges.js'

const START = new Date('2026-11-20T12:40:30Z')
const at = (minutes: number) => new Date(START.getTime() + minutes * MINUTE_MS)

const BTC: PlayedAsset = { assetId: 1, ticker: 'BTC', tier: 1 }
const USDT: PlayedAsset = { assetId: 2, ticker: 'USDT', tier: 1 }
const coins = (count: number): readonly PlayedAsset[] =>
  Array.from({ length: count }, (_, place) => ({ assetId: 10 + place, ticker: `C${place}`, tier: 2 }))

/** Six trades an hour, so that the tests are about requests. */
const tradesAt = (_: string, minuteMs: number) => (minuteMs / MINUTE_MS) % 10 === 0

describe('the lanes of the exchanges', { timeout: 600_000 }, () => {
  let database: Database
  let time: VirtualTime
  let exchanges: PlayedExchanges
  let nodes: PlayedNode[]
  let lines: string[]
  beforeAll(async () => {
    database = await openTestDatabase('pglite')
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    await emptiedOfFew(database, [
      ...['public.minute_bar', 'public.candle', 'public.ingest_run', 'public.dataset_state', 'public.asset'],
      ...['public.lane_node', 'public.lane_shard', 'public.venue_rate', 'public.venue_coverage'],
    ])
    time = await openVirtualTime(database, START)
    exchanges = playExchanges(time, tradesAt, 50)
    nodes = []
    lines = []
  })
  afterEach(async () => {
    const stopped = nodes.map((node) => node.lanes.stop())
    for (const node of nodes) node.thaw() // a frozen one cannot stop
    await Promise.all(stopped)
  })

  const start = (options: Partial<PlayedNodeOptions> = {}): PlayedNode => {
    const intervals = WANTED_INTERVALS_MS
    const node = startPlayedNode({
      ...{ database, time, http: exchanges.http, intervals },
      onLog: (line) => lines.push(line),
      ...options,
    })
    nodes.push(node)
    return node
  }
  const requestsOf = (exchange: string, symbol?: string) =>
    exchanges.requests.filter(
      (one) => one.exchange === exchange && (symbol === undefined || one.symbol === symbol),
    )
  const count = async (sql: string): Promise<number> =>
    (await database.rows<{ n: number }>(`select count(*)::int as n from ${sql}`))[0]?.n ?? -1
  const versionsOf = (hour: string) =>
    database.rows<{ volume: number; venues: number }>(
      `select volume_usd::float8 as volume, exchanges_count as venues from candle
       where asset_id = 1 and timeframe = '1h' and ts = $1 order by known_from`,
      [new Date(`2026-11-20T${hour}:00Z`)],
    )

  it('write bars, coverage, candles and the ledger, and compute each hour once when all have answered', async () => {
    await addPlayedAssets(database, [BTC, USDT])
    start()
    await time.passUntil(at(22))
    expect(await versionsOf('11:00')).toEqual([{ volume: 4800, venues: 4 }])
    expect(await versionsOf('12:00')).toEqual([{ volume: 4800, venues: 4 }])
    expect(await count('venue_coverage where is_listed')).toBe(7)
    const [ledger] = await database.rows(
      `select sum(added)::int as added, sum(rejected)::int as rejected, count(distinct feed)::int as feeds,
         max(status) as status from ingest_run`,
    )
    expect(ledger).toEqual({ added: await count('minute_bar'), rejected: 0, feeds: 4, status: 'succeeded' })
    // One row of each exchange in ten minutes, not one of each asset.
    expect(await count('ingest_run')).toBeLessThanOrEqual(4 * 3)
  })

  it('ask for each asset of tier 1 each minute, by one request an exchange', async () => {
    await addPlayedAssets(database, [BTC, USDT])
    start()
    await time.passUntil(at(5))
    exchanges.requests.length = 0
    await time.passUntil(at(15))
    for (const exchange of ['binance', 'bitstamp', 'coinbase', 'kraken'])
      expect([exchange, requestsOf(exchange).filter(({ symbol }) => /BTC|XBT/i.test(symbol)).length]).toEqual(
        [exchange, expect.toBeOneOf([9, 10])],
      )
  })

  it('go on without an exchange that is down, ask it less and less often, and revise when it answers', async () => {
    await addPlayedAssets(database, [BTC, USDT])
    exchanges.fault = (exchange) => {
      const isDown = time.now() >= at(5) && time.now() < at(30)
      return exchange === 'kraken' && isDown ? 503 : null
    }
    start()
    await time.passUntil(at(5))
    exchanges.requests.length = 0
    await time.passUntil(at(23))
    expect(requestsOf('kraken').length).toBeLessThanOrEqual(8)
    expect(requestsOf('binance').length).toBeGreaterThan(15)
    expect(await versionsOf('12:00')).toEqual([{ volume: 4600, venues: 4 }])
    const lanes = await loadLaneReports(database, time.now())
    expect(lanes.find(({ venue }) => venue === 'kraken')).toMatchObject({
      restUntil: expect.any(Date),
      restCause: expect.stringContaining('status 503'),
    })
    await time.passUntil(at(45))
    expect(await versionsOf('12:00')).toEqual([
      { volume: 4600, venues: 4 },
      { volume: 4800, venues: 4 },
    ])
  })

  it('of all nodes leave an exchange alone that asked one of them for a pause', async () => {
    await addPlayedAssets(database, [BTC, USDT])
    start()
    start()
    await time.passUntil(at(5))
    await requestTurns(database).rest('kraken', 10 * MINUTE_MS, 'kraken answered with status 429')
    // A request whose turn has come is sent.
    await time.passUntil(at(5.1))
    exchanges.requests.length = 0
    await time.passUntil(at(14.5))
    expect(requestsOf('kraken')).toEqual([])
    expect(requestsOf('binance').length).toBeGreaterThan(5)
    const kraken = (await loadLaneReports(database, time.now())).find(({ venue }) => venue === 'kraken')
    expect(kraken?.restCause).toContain('status 429')
    await time.passUntil(at(17))
    expect(requestsOf('kraken').length).toBeGreaterThan(0)
  })

  it('let a node that was frozen write nothing once another has its shards', async () => {
    await addPlayedAssets(database, [BTC, USDT])
    const first = start()
    await time.passUntil(at(2))
    // It freezes with answers in its hands.
    exchanges.fault = () => {
      first.freeze()
      return null
    }
    await time.passUntil(at(3))
    exchanges.fault = () => null
    start()
    await time.passUntil(at(8))
    const askedAt = async () => {
      const rows = await database.rows<{ at: Date }>(
        'select asked_at as at from venue_coverage order by asset_id, venue',
      )
      return rows.map(({ at: asked }) => asked.getTime())
    }
    const before = await askedAt()
    first.thaw()
    await time.passUntil(new Date(at(8).getTime() + 5_000))
    expect(lines.filter((line) => line.includes('bars were dropped')).length).toBeGreaterThan(0)
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([])
    // Its answers were older than those of the other node.
    for (const [place, ms] of (await askedAt()).entries())
      expect(ms).toBeGreaterThanOrEqual(before[place] ?? 0)
    expect(await count('minute_bar where known_to is not null')).toBe(0)
  })

  it('share the assets among nodes, and ask for none twice', async () => {
    await addPlayedAssets(database, [BTC, USDT, ...coins(30)])
    for (let node = 0; node < 4; node += 1) start()
    await time.passUntil(at(6))
    const shards = await database.rows<{ shards: number }>(
      'select count(*)::int as shards from lane_shard where expires_at > clock_timestamp() group by node',
    )
    expect(shards.map((row) => row.shards)).toEqual([4, 4, 4, 4])
    const perSymbol = groupBy(requestsOf('kraken'), ({ symbol }) => symbol)
    for (const [symbol, requests] of perSymbol) {
      const times = requests.map(({ atMs }) => atMs).sort((a, b) => a - b)
      const waits = times.slice(1).map((ms, place) => ms - (times[place] ?? 0))
      // A pair that is nearly due is asked with the others of its asset.
      const interval = /XBT|USDT/.test(symbol) ? MINUTE_MS : 5 * MINUTE_MS
      for (const wait of waits) expect([symbol, wait >= 0.5 * interval]).toEqual([symbol, true])
    }
    expect(perSymbol.size).toBe(32)
  })

  it.each([1, 2, 4])('ask no exchange above its limit with %s nodes', async (nodesCount) => {
    await addPlayedAssets(database, [BTC, USDT, ...coins(60)])
    for (let node = 0; node < nodesCount; node += 1) start()
    await time.passUntil(at(4))
    expect(exchanges.overLimit).toEqual([])
    const times = requestsOf('kraken').map(({ atMs }) => atMs)
    expect(times.length).toBeGreaterThan(62)
    expect(exchanges.use.get('kraken')).toBe(1)
  })

  it('go on beside a command that loads the same assets: no row is doubled, and no exchange asked above its limit', async () => {
    const own = [BTC, USDT, ...coins(20)]
    await addPlayedAssets(database, own)
    const { deps } = start()
    await time.passUntil(at(5))
    exchanges.requests.length = 0
    const assets = (await loadCryptoAssets(database)).filter(({ assetId }) => assetId !== BTC.assetId)
    const venues = { recent: CONSENSUS_VENUES, old: CONSENSUS_VENUES }
    const windows = windowsOf({ from: at(-5 * 60), to: at(4) }, venues, time.now())
    let summary: LoadSummary | null = null
    const loaded = loadCandles(
      {
        ...{ ...deps, random: () => 0, signal: new AbortController().signal },
        ...{ onProgress: () => {}, onPause: () => {} },
      },
      { assets, windows, adapters: VENUE_ADAPTERS, isAgain: false },
    ).then((result) => {
      summary = result
    })
    await time.passUntil(at(15))
    expect(summary).toMatchObject({ windows: 21, skipped: 0, leftOut: 0, isComplete: true, rejected: 0 })
    await loaded
    expect(requestsOf('kraken', 'C1USD').length).toBeGreaterThan(2)
    expect(exchanges.overLimit).toEqual([])
    for (const table of ['minute_bar', 'candle']) {
      const key = table === 'candle' ? 'timeframe' : 'venue'
      const doubled = `(select from ${table} where known_to is null group by asset_id, ${key}, ts having count(*) > 1)`
      expect([table, await count(`${doubled} as doubled`)]).toEqual([table, 0])
    }
    expect(await count('minute_bar where known_to is not null')).toBe(0)
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([])
  })

  it('continue where a killed node stopped, once its leases have expired', async () => {
    await addPlayedAssets(database, [BTC, USDT])
    start().freeze()
    await time.passUntil(at(1))
    exchanges.requests.length = 0
    start()
    await time.passUntil(at(1.9))
    expect(await count(`lane_shard where expires_at > clock_timestamp()`)).toBeGreaterThan(0)
    const first = start()
    await time.passUntil(at(5))
    first.freeze()
    exchanges.requests.length = 0
    await time.passUntil(at(7))
    // From 15 minutes before the last request, not from a day ago.
    const spans = requestsOf('binance').map(({ url }) => Number(new URL(url).searchParams.get('startTime')))
    expect(spans.length).toBeGreaterThan(0)
    for (const ms of spans) expect(ms).toBeGreaterThan(at(-17).getTime())
  })

  it('wait while a living node divides the assets into another number of shards', async () => {
    await addPlayedAssets(database, [BTC, USDT])
    const first = start({ shards: 4 })
    await time.passUntil(at(1))
    start({ shards: 8 })
    await time.passUntil(at(3))
    expect(lines.filter((line) => line.includes('another number of shards'))).toHaveLength(1)
    expect(await count('lane_shard where shards = 8 and expires_at > clock_timestamp()')).toBe(0)
    await first.lanes.stop()
    await time.passUntil(at(5))
    expect(await count('lane_shard where shards = 8 and expires_at > clock_timestamp()')).toBe(8)
  })

  it('put off only the asset that cannot be written', async () => {
    await addPlayedAssets(database, [BTC, USDT, ...coins(3)])
    await database.script(
      `create or replace function public.refuse() returns trigger language plpgsql as $$
         begin if new.asset_id = 11 then raise exception 'refused'; end if; return new; end $$;
       create trigger refuse before insert on public.venue_coverage for each row execute function public.refuse()`,
    )
    start()
    await time.passUntil(at(10))
    await database.script('drop trigger refuse on public.venue_coverage')
    expect(await count('venue_coverage where asset_id = 11')).toBe(0)
    expect(await count(`venue_coverage where asked_at > '2026-11-20T12:45:00Z'`)).toBe(7 + 2 * 4)
    // At once and after 15 s, 30 s, 60 s, 120 s, 240 s.
    expect(requestsOf('kraken', 'C1USD')).toHaveLength(6)
    await time.passUntil(at(20))
    expect(await count('venue_coverage where asset_id = 11')).toBe(4)
  })

  it('ask for a pair that an exchange does not list once a day', async () => {
    await addPlayedAssets(database, [{ assetId: 5, ticker: 'C5', tier: 1 }])
    exchanges.fault = (exchange) => (exchange === 'bitstamp' ? 404 : null)
    const day = { 1: HOUR_MS, 2: HOUR_MS, 3: HOUR_MS } as const
    start({ intervals: day, leaseMs: HOUR_MS, reloadMs: HOUR_MS, publishMs: HOUR_MS })
    await time.passUntil(at(23 * 60))
    expect(requestsOf('bitstamp').length).toBe(1)
    expect(await count('venue_coverage where not is_listed')).toBe(1)
    expect(requestsOf('binance').length).toBeGreaterThan(20)
    await time.passUntil(at(26 * 60))
    expect(requestsOf('bitstamp').length).toBe(2)
  })

  it('record the minutes that an exchange no longer served', async () => {
    await addPlayedAssets(database, [BTC])
    await database.rows(
      `insert into venue_coverage (asset_id, venue, is_listed, covered_to, asked_at) values (1, 'kraken', true, $1, $1)`,
      [at(-20 * 60)],
    )
    start()
    await time.passUntil(at(2))
    const [row] = await database.rows<{ rejections: readonly unknown[] }>(
      `select rejections from ingest_run where feed = 'candles-kraken'`,
    )
    expect(row?.rejections).toEqual([
      {
        position: 'bitcoin',
        reason: 'the minutes from 2026-11-19T16:40:30.000Z to 2026-11-20T00:40:00.000Z are no longer served',
      },
    ])
  })
})
