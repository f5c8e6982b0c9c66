import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AssetTier } from '../../../../src/core/consensus/consensus.js'
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/time.js'
import type { LaneIntervals } from '../../../../src/ingest/candles/lanes/lane-policy.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { openTestDatabase } from '../../../support/database/database.js'
import type { VirtualTime } from '../../schedule/virtual-time.js'
import { addPlayedAssets, openVirtualTime, type PlayedAsset, startPlayedNode } from './lanes-world.js'
import { EXCHANGES, type Exchange, LIMITS, type PlayedExchanges, playExchanges } from './played-exchanges.js'

const START = new Date('2026-11-20T00:00:30Z')
const HOURS = Number(process.env.SIMULATED_HOURS ?? 48)
const hour = (count: number) => new Date(START.getTime() + count * HOUR_MS)

/** The longest intervals that the API contract allows. */
const INTERVALS: LaneIntervals = { 1: HOUR_MS, 2: 6 * HOUR_MS, 3: 12 * HOUR_MS }
/** The part of the 1,000 assets that is played. All of them take an hour: SIMULATED_SHARE=1. */
const SHARE = Number(process.env.SIMULATED_SHARE ?? 0.02)
const ASSETS: Readonly<Record<AssetTier, number>> = { 1: 50 * SHARE, 2: 150 * SHARE, 3: 800 * SHARE }

/** Kraken, the slowest, which also forgets minutes after twelve hours. */
const OUTAGE = { exchange: 'kraken', fromMs: hour(20).getTime(), toMs: hour(23).getTime() } as const

/** When a node is killed, and when another takes its place. */
const KILLS = [
  { atHour: 10, againAtHour: 11 },
  { atHour: 30, againAtHour: 30.5 },
]

/** Long, so that the simulation has fewer renewals; the product's is 30 s. */
const LEASE_MS = 3 * MINUTE_MS

function playedAssets(): readonly PlayedAsset[] {
  const tiers = ([1, 2, 3] as const).flatMap((tier) => Array<AssetTier>(ASSETS[tier]).fill(tier))
  return tiers.map((tier, place) => {
    const own = place === 0 ? 'BTC' : place === 1 ? 'USDT' : `C${place}`
    return { assetId: place + 1, ticker: own, tier }
  })
}

/** One trade an hour, in a minute of the pair's own. */
function tradesAt(symbol: string, minuteMs: number): boolean {
  const ticker = /USD[CT]-?USD/i.test(symbol) ? 1 : Number(/\d+/.exec(symbol)?.[0] ?? 0)
  return (minuteMs / MINUTE_MS) % 60 === ticker % 60
}

interface Gap {
  readonly assetId: number
  readonly venue: Exchange
  readonly fromMs: number
  readonly toMs: number
}

describe(`${HOURS} hours of ${1_000 * SHARE} assets on three nodes, at the published limits`, () => {
  const assets = playedAssets()
  let database: Database
  let time: VirtualTime
  let exchanges: PlayedExchanges
  const gaps: Gap[] = []
  const table: Record<string, unknown>[] = []

  beforeAll(async () => {
    database = await openTestDatabase('pglite')
    time = await openVirtualTime(database, START)
    await addPlayedAssets(database, assets)
    exchanges = playExchanges(time, tradesAt, 200)
    exchanges.fault = (exchange) => {
      const nowMs = time.lanes.nowMs()
      const isDown = exchange === OUTAGE.exchange && nowMs >= OUTAGE.fromMs && nowMs < OUTAGE.toMs
      return isDown ? 503 : null
    }
    await followAges()
    const start = () =>
      startPlayedNode({
        ...{ database, time, http: exchanges.http, intervals: INTERVALS },
        ...{ leaseMs: LEASE_MS, reloadMs: HOUR_MS, publishMs: 10 * MINUTE_MS },
      })
    const nodes = [start(), start(), start()]
    const killed = []
    for (const { atHour, againAtHour } of KILLS) {
      if (atHour > HOURS) break
      await time.passUntil(hour(atHour))
      const node = nodes.shift()
      node?.freeze()
      killed.push(node)
      await time.passUntil(hour(againAtHour))
      nodes.push(start())
    }
    await time.passUntil(hour(HOURS))
    for (const node of [...nodes, ...killed]) node?.freeze()
    await addEnds()
  }, 7_200_000)
  afterAll(async () => {
    process.stdout.write(`${table.map((row) => JSON.stringify(row)).join('\n')}\n`)
    await database?.close()
  })

  /** Each move of the coverage, written by the database in the transaction that stores the bars. */
  const followAges = () =>
    database.script(
      `create table public.covered (asset_id int, venue text, at timestamptz);
       create function public.note_covered() returns trigger language plpgsql as $$
         begin insert into public.covered values (new.asset_id, new.venue, played.clock_timestamp()); return null; end $$;
       create trigger note_covered after insert or update on public.venue_coverage
         for each row execute function public.note_covered()`,
    )
  const addEnds = async () => {
    const rows = await database.rows<{ assetId: number; venue: Exchange; at: Date; next: Date | null }>(
      `select asset_id as "assetId", venue, at, lead(at) over (partition by asset_id, venue order by at) as next
       from public.covered order by at`,
    )
    for (const { assetId, venue, at, next } of rows)
      gaps.push({ assetId, venue, fromMs: at.getTime(), toMs: (next ?? time.now()).getTime() })
  }
  const tierOf = (assetId: number) => assets[assetId - 1]?.tier ?? 3
  const isOutage = ({ venue, fromMs, toMs }: Gap) =>
    venue === OUTAGE.exchange && toMs >= OUTAGE.fromMs && fromMs <= OUTAGE.toMs + HOUR_MS
  const largestRatio = (tier: AssetTier, of: (gap: Gap) => boolean) =>
    gaps
      .filter((gap) => tierOf(gap.assetId) === tier && of(gap))
      .reduce((most, { fromMs, toMs }) => Math.max(most, (toMs - fromMs) / INTERVALS[tier]), 0)

  it('keeps the age of every asset at every exchange within 1.25 intervals, outside the outage', () => {
    const pairs = new Set(gaps.map(({ assetId, venue }) => `${assetId} ${venue}`))
    expect(pairs.size).toBe(assets.length * EXCHANGES.length - 1) // Binance has no pair of USDT
    for (const tier of [1, 2, 3] as const) {
      const ratio = largestRatio(tier, (gap) => !isOutage(gap))
      table.push({ what: `tier ${tier}`, assets: ASSETS[tier], 'largest age / interval': ratio })
      expect(ratio).toBeLessThanOrEqual(1.25)
    }
  })

  it('loads the assets of the exchange that was down within 1.25 intervals after the outage', () => {
    for (const tier of [1, 2, 3] as const) {
      const late = gaps.filter(
        (gap) =>
          isOutage(gap) && gap.toMs > OUTAGE.toMs + 1.25 * INTERVALS[tier] && tierOf(gap.assetId) === tier,
      )
      expect(late.filter(({ fromMs }) => fromMs < OUTAGE.toMs)).toEqual([])
    }
  })

  it('asks no exchange above its limit', () => {
    for (const exchange of EXCHANGES) {
      const requests = exchanges.requests.filter((one) => one.exchange === exchange)
      table.push({
        what: exchange,
        requests: requests.length,
        'limit used at most': exchanges.use.get(exchange),
        'limit used on average':
          (requests.length * LIMITS[exchange].perRequest * LIMITS[exchange].spanMs) /
          LIMITS[exchange].units /
          (HOURS * HOUR_MS),
      })
    }
    expect(exchanges.overLimit).toEqual([])
  })

  it('has every window of every asset in the end, from every exchange that lists it', async () => {
    const [row] = await database.rows<{ missing: number; incomplete: number; windows: number }>(
      `with wanted as (
         select a.asset_id, w.ts, least(w.ts + interval '1 hour', min(c.covered_to)) as covered
         from public.asset as a
         cross join generate_series($1::timestamptz, $2::timestamptz - interval '1 hour', interval '1 hour') as w(ts)
         join public.venue_coverage as c on c.asset_id = a.asset_id and c.is_listed
         group by a.asset_id, w.ts
       ), due as (
         select w.*, k.exchanges_count from wanted as w left join public.candle as k on k.asset_id = w.asset_id
           and k.timeframe = '1h' and k.ts = w.ts and k.known_to is null
         where w.covered >= w.ts + interval '1 hour'
       )
       select count(*)::int as windows, count(*) filter (where exchanges_count is null)::int as missing,
         count(*) filter (where exchanges_count < case asset_id when 2 then 3 else 4 end)::int as incomplete from due`,
      ['2026-11-20T00:00:00Z', new Date(START.getTime() + HOURS * HOUR_MS - 30_000)],
    )
    table.push({
      what: 'hour candles',
      windows: row?.windows,
      missing: row?.missing,
      incomplete: row?.incomplete,
    })
    expect(row?.windows).toBeGreaterThan(assets.length * (HOURS - 13))
    expect(row).toMatchObject({ missing: 0, incomplete: 0 })
  })

  it('writes few rows of the ledger, with all bars', async () => {
    const [ledger] = await database.rows<{ rows: number; added: number; rejected: number; bars: number }>(
      `select count(*)::int as rows, sum(added)::int as added, sum(rejected)::int as rejected,
         (select count(*) from public.minute_bar)::int as bars from public.ingest_run`,
    )
    table.push({ what: 'ledger', ...ledger })
    expect(ledger?.added).toBe(ledger?.bars)
    const reasons = await database.rows<{ feed: string; reason: string; times: number }>(
      `select feed, r.value->>'reason' as reason, count(*)::int as times
       from public.ingest_run cross join jsonb_array_elements(rejections) as r group by 1, 2`,
    )
    for (const reason of reasons) table.push({ what: 'rejections', ...reason })
    // Each request during the outage had one answer, which could not be read.
    const unanswered = exchanges.requests.filter(
      ({ exchange, atMs }) => exchange === OUTAGE.exchange && atMs >= OUTAGE.fromMs && atMs < OUTAGE.toMs,
    )
    expect(ledger?.rejected).toBe(unanswered.length)
    for (const { reason } of reasons) expect(reason).toBe('UpstreamError: kraken answered with status 503')
    // Of each node and exchange one row in ten minutes.
    expect(ledger?.rows).toBeLessThanOrEqual((HOURS * 6 + 6) * 3 * EXCHANGES.length)
  })
})
