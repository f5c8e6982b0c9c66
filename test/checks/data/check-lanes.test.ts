import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CHECKS } from '../../../src/checks/checks.js'
import { checkLanes, checkLateAssets } from '../../../src/checks/data/check-lanes.js'
import { loadConfig } from '../../../src/config.js'
import { decimal } from '../../../src/core/decimal.js'
import { fixedClock } from '../../../src/core/time.js'
import { createLaneLedger } from '../../../src/ingest/candles/lane-ledger.js'
import { toLaneAsset } from '../../../src/ingest/candles/lanes/lane-asset.js'
import { writeRound } from '../../../src/ingest/candles/lanes/write-round.js'
import { VENUE_ADAPTERS } from '../../../src/ingest/datasets/market/ingestion.js'
import type { Database } from '../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { emptiedOfFew } from '../../support/database/emptied.js'
import { heldShards } from '../../support/outbox/held-shards.js'

const START = new Date('2026-11-20T12:00:00Z')
const at = (minutes: number) => new Date(START.getTime() + minutes * 60_000)
const BITCOIN = { assetId: 1, slug: 'bitcoin', ticker: 'BTC', tier: 1 } as const
const ETHER = { assetId: 2, slug: 'ethereum', ticker: 'ETH', tier: 1 } as const
const config = loadConfig({ NODE_ENV: 'test', SCHEDULE: 'candles' })

describe('an exchange that answers with empty lists', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database?.close())
  beforeEach(async () => {
    await emptiedOfFew(database, [
      'asset',
      'minute_bar',
      'candle',
      'lane_node',
      'venue_coverage',
      'ingest_run',
    ])
    await database.rows(
      `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
       values (1, 'bitcoin', 'BTC', 'Bitcoin', 'crypto', 1, now(), 'test'),
              (2, 'ethereum', 'ETH', 'Ether', 'crypto', 1, now(), 'test')`,
    )
    const lanes = ['binance', 'kraken'].map((venue) => ({
      ...{ venue, queue: 0, oldestDueSeconds: 0, requestsInLastMinute: 1, restUntil: null, restCause: null },
    }))
    await database.rows(
      `insert into lane_node values (gen_random_uuid(), clock_timestamp() + interval '1 hour', $1::jsonb)`,
      [JSON.stringify(lanes)],
    )
  })

  /** Stores complete answers as the lanes do: with a bar of the last minute, or empty. */
  async function answer(
    asset: typeof BITCOIN | typeof ETHER,
    now: Date,
    hasBars: Readonly<Record<string, boolean>>,
  ): Promise<void> {
    const price = decimal('100')
    const ts = new Date(now.getTime() - 60_000)
    const adapters = VENUE_ADAPTERS.filter(({ venue }) => venue in hasBars)
    const harvests = adapters.map(({ venue, provider }) => ({
      ...{ venue, rejections: [], read: 1, absent: 0, requests: 1, answers: 1, isListed: true, isOut: false },
      ...{ provider, isWhole: true, retryAfterMs: null, bodies: [] },
      bars: hasBars[venue]
        ? [
            {
              ...{ venue, ts, open: price, high: price, low: price, close: price, vwap: null },
              ...{ baseVolume: decimal('1'), quoteVolume: null, quoteCurrency: 'USD' as const },
            },
          ]
        : [],
    }))
    const coverage = adapters.map(({ venue }) => ({
      ...{ assetId: asset.assetId, venue, isListed: true, coveredTo: now, askedAt: now },
    }))
    const of = toLaneAsset(asset, adapters, [], now.getTime())
    const permit = heldShards(1, 1).acquire(0)
    if (permit === null) throw new Error('no permit')
    const deps = { database, clock: fixedClock(now), ledger: createLaneLedger() }
    await writeRound(
      { ...deps, stablecoinIds: [], isAwaited: () => true },
      { of, permit, harvests, coverage },
    )
  }

  const world = (now: Date) => ({ config, database, clock: fixedClock(now) })
  const messages = async (now: Date) =>
    (await checkLanes(world(now))).map(({ status, message }) => [status, message])
  /** The ages that the metric shows, by exchange. */
  const ages = async (now: Date) => {
    const gauges = CHECKS.flatMap((check) => check.gauges ?? [])
    const age = gauges.find(({ name }) => name === 'ingest_lane_age_seconds')
    const findings = await checkLanes(world(now))
    return findings.map(({ facts = {} }) => [facts.exchange, age?.value(facts, now)])
  }

  it('is as old as the last bar that it gave of any asset', async () => {
    for (const asset of [BITCOIN, ETHER]) await answer(asset, START, { binance: true, kraken: true })
    await answer(ETHER, at(30), { binance: true, kraken: true })
    for (const asset of [BITCOIN, ETHER]) await answer(asset, at(95), { binance: true, kraken: false })
    expect(await messages(at(95))).toEqual([
      ['ok', 'newest bar 60 s ago'],
      ['warning', 'newest bar 66 min ago'],
    ])
    expect(await ages(at(95))).toEqual([
      ['binance', 60],
      ['kraken', 66 * 60],
    ])
  })

  it('has given nothing of a day if it never gave a bar, and is not judged before its first answer', async () => {
    expect(await ages(START)).toEqual([
      ['binance', null],
      ['kraken', null],
    ])
    await answer(BITCOIN, START, { binance: true, kraken: false })
    expect(await messages(START)).toEqual([
      ['ok', 'newest bar 60 s ago'],
      ['warning', 'no bars yet'],
    ])
    expect(await ages(START)).toEqual([
      ['binance', 60],
      ['kraken', 86_400],
    ])
  })

  it('leaves an asset late that no other exchange gives', async () => {
    for (const asset of [BITCOIN, ETHER]) await answer(asset, START, { binance: true, kraken: true })
    await answer(BITCOIN, at(70), { binance: false, kraken: false })
    await answer(ETHER, at(70), { binance: true, kraken: false })
    expect(await checkLateAssets(world(at(70)))).toMatchObject([
      {
        status: 'warning',
        message: '1 of 2 have no bars of the last 60 min',
        facts: { tier: 1, listed: 2, late: 1, oldest_bar_at: at(-1) },
      },
    ])
  })

  it('does not trouble an installation of which few assets are without trades', async () => {
    await database.rows(
      `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
       select id, 'coin-' || id, 'C' || id, 'Coin', 'crypto', 3, now(), 'test' from generate_series(3, 42) as id`,
    )
    await database.rows(
      `insert into venue_coverage (asset_id, venue, is_listed, covered_to, asked_at, newest_bar_at)
       select id, 'kraken', true, $1, $1, case when id > $2 then $1::timestamptz end from generate_series(3, 42) as id`,
      [START, 4],
    )
    expect(await checkLateAssets(world(START))).toMatchObject([
      { status: 'ok', message: '38 of 40 have bars of the last 12 h', facts: { listed: 40, late: 2 } },
    ])
    await database.rows('update venue_coverage set newest_bar_at = null where asset_id = 5')
    expect(await checkLateAssets(world(START))).toMatchObject([
      { status: 'warning', message: '3 of 40 have no bars of the last 12 h' },
    ])
  })
})
