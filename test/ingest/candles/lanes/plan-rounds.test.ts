import { describe, expect, it } from 'vitest'
import type { AssetTier } from '../../../../src/core/consensus/consensus.js'
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/time.js'
import { intervalOf, type LaneAsset, toLaneAsset } from '../../../../src/ingest/candles/lanes/lane-asset.js'
import { WANTED_INTERVALS_MS } from '../../../../src/ingest/candles/lanes/lane-policy.js'
import { planRounds, type RoundsInput } from '../../../../src/ingest/candles/lanes/plan-rounds.js'
import { VENUE_ADAPTERS } from '../../../../src/ingest/datasets/market/ingestion.js'
import { shardOf } from '../../../../src/platform/outbox/shard-of.js'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const VENUES = ['binance', 'kraken'] as const
const adapters = VENUE_ADAPTERS.filter(({ venue }) => VENUES.some((name) => name === venue))

/** An asset whose venues were asked so many minutes ago; null: never. */
function assetOf(
  assetId: number,
  tier: AssetTier,
  minutesAgo: number | null,
  ticker = `C${assetId}`,
): LaneAsset {
  const asset = { assetId, slug: ticker.toLowerCase(), ticker, tier }
  const askedAt = new Date(NOW - (minutesAgo ?? 0) * MINUTE_MS)
  const rows = VENUES.map((venue) => ({ assetId, venue, isListed: true, coveredTo: askedAt, askedAt }))
  return { ...toLaneAsset(asset, adapters, minutesAgo === null ? [] : rows, NOW), rollAtMs: null }
}

const plan = (assets: readonly LaneAsset[], options: Partial<RoundsInput> = {}) =>
  planRounds({
    assets,
    intervals: WANTED_INTERVALS_MS,
    nowMs: NOW,
    mayBegin: () => true,
    room: new Map(VENUES.map((venue) => [venue, 8])),
    most: 16,
    ...options,
  })
const idsOf = ({ rounds }: ReturnType<typeof plan>) => rounds.map(({ of }) => of.asset.assetId)

describe('the next assets to ask for', () => {
  it('are those whose interval has passed: 1, 5 and 15 minutes by tier', () => {
    const due = (minutes: number) =>
      idsOf(plan([assetOf(1, 1, minutes), assetOf(2, 2, minutes), assetOf(3, 3, minutes)])).sort()
    expect([0.5, 1, 5, 15].map(due)).toEqual([[], [1], [1, 2], [1, 2, 3]])
    expect(plan([assetOf(2, 2, 3)]).nextAtMs).toBe(NOW + 2 * MINUTE_MS)
  })

  it('are the most overdue in proportion, new ones before all, stablecoins before other new ones', () => {
    const assets = [
      assetOf(1, 1, 3),
      assetOf(2, 2, 10),
      assetOf(3, 3, 60),
      assetOf(4, 2, null),
      assetOf(5, 1, null),
      assetOf(6, 3, null, 'USDT'),
    ]
    expect(idsOf(plan(assets))).toEqual([6, 5, 4, 3, 1, 2])
    expect(idsOf(plan(assets, { most: 2 }))).toEqual([6, 5])
  })

  it('come all in turn when only few can be asked', () => {
    const assets = Array.from({ length: 100 }, (_, id) => assetOf(id, id < 30 ? 1 : 3, null))
    const seen = new Set<number>()
    for (let minute = 0; minute < 10; minute += 1) {
      const nowMs = NOW + minute * MINUTE_MS
      for (const { of } of plan(assets, { nowMs, most: 30, room: new Map([['binance', 30]]) }).rounds) {
        seen.add(of.asset.assetId)
        for (const pair of of.pairs.values()) pair.askedAtMs = nowMs
      }
    }
    expect(seen.size).toBe(100)
  })

  it('are asked at the venues with room only; the others stay due', () => {
    const assets = [assetOf(1, 1, 2), assetOf(2, 1, 3), assetOf(3, 1, 4)]
    const { rounds } = plan(assets, {
      room: new Map([
        ['binance', 8],
        ['kraken', 1],
      ]),
    })
    expect(rounds.map(({ of, venues }) => [of.asset.assetId, venues])).toEqual([
      [3, ['binance', 'kraken']],
      [2, ['binance']],
      [1, ['binance']],
    ])
    expect(
      plan(assets, {
        room: new Map([
          ['binance', 0],
          ['kraken', 0],
        ]),
      }).rounds,
    ).toEqual([])
  })

  it('are asked at a venue that is nearly due too, so that all answer together', () => {
    const asset = assetOf(1, 1, 1)
    const kraken = asset.pairs.get('kraken')
    if (kraken !== undefined) kraken.askedAtMs = NOW - 50_000
    expect(plan([asset]).rounds[0]?.venues).toEqual(['binance', 'kraken'])
    if (kraken !== undefined) kraken.askedAtMs = NOW - 30_000
    expect(plan([asset]).rounds[0]?.venues).toEqual(['binance'])
  })

  it('include one whose windows have waited long enough, without a request', () => {
    const asset = { ...assetOf(1, 1, 0.2), rollAtMs: NOW }
    expect(plan([asset]).rounds).toEqual([{ of: asset, venues: [] }])
  })
})

it('Kraken is asked twice in the time that it serves, so that an outage loses no minute', () => {
  const asset = assetOf(1, 3, 0)
  const intervals = { 1: HOUR_MS, 2: 6 * HOUR_MS, 3: 12 * HOUR_MS }
  const hours = VENUES.map((venue) => {
    const pair = asset.pairs.get(venue)
    return pair && intervalOf(pair, asset.asset, intervals) / HOUR_MS
  })
  expect(hours).toEqual([12, 6])
})

it('assets with ids in a row are spread over the shards', () => {
  for (const shards of [1, 3, 16, 256]) {
    const counts = Array<number>(shards).fill(0)
    for (let id = 1; id <= 4096; id += 1) {
      const shard = shardOf(id, shards)
      counts[shard] = (counts[shard] ?? 0) + 1
    }
    expect(Math.min(...counts)).toBeGreaterThan((0.8 * 4096) / shards - 1)
    expect(Math.max(...counts)).toBeLessThan((1.2 * 4096) / shards + 1)
  }
})
