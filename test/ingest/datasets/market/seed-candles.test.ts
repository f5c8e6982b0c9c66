import { describe, expect, it } from 'vitest'
import { consensus, METHODOLOGY_VERSION } from '../../../../src/core/consensus/consensus.js'
import { decimal } from '../../../../src/core/decimal.js'
import type { CandleRow } from '../../../../src/domains/market/store.js'
import { CRYPTO_LEVELS } from '../../../../src/ingest/datasets/market/crypto-levels.js'
import { candleRow, endOfWindow } from '../../../../src/ingest/datasets/market/roll-up.js'
import {
  SEED_ASSETS,
  seedCandles,
  seedCandlesBody,
  seedCandlesVintages,
} from '../../../../src/ingest/datasets/market/seed-candles.js'
import { seedCandle } from '../../../../src/ingest/datasets/market/seed-market.js'
import { seedSupply, seedSupplyBody } from '../../../../src/ingest/datasets/market/seed-supply.js'
import { CRYPTO_ASSETS } from '../../../../src/ingest/providers/reference/assets.js'

const NOW = new Date('2026-11-20T12:34:56Z')
const NOON = new Date('2026-11-20T12:00:00Z')
const context = { now: NOW, onRead: () => {}, onAbsent: () => {} }

function made(newestEnd: Date | null, now = NOW): readonly CandleRow[] {
  const body = seedCandlesBody(now, newestEnd)
  if (body === null) return []
  return [...seedCandles.parse(body, context)].flatMap((item) => (item.kind === 'row' ? [item.row] : []))
}

const all = made(null)
const countOf = (rows: readonly CandleRow[], timeframe: string) =>
  rows.filter((row) => row.timeframe === timeframe).length
const textOf = (row: CandleRow | undefined) => JSON.stringify(row)

describe('seed-candles', () => {
  it('has a level for each of the 60 crypto assets, and for no other', () => {
    expect(SEED_ASSETS).toHaveLength(60)
    expect([...CRYPTO_LEVELS.keys()].sort()).toEqual(CRYPTO_ASSETS.map(({ slug }) => slug).sort())
  })

  it('creates two years of days and 7 days and 3 hours of hours, all of them ended', () => {
    expect([countOf(all, '1d'), countOf(all, '1h')]).toEqual([60 * 730, 60 * (7 * 24 + 3)])
    const bitcoin = all.filter(({ assetId, timeframe }) => assetId === 1 && timeframe === '1d')
    expect([bitcoin[0]?.ts, bitcoin.at(-1)?.ts]).toEqual([
      new Date('2024-11-20T00:00:00Z'),
      new Date('2026-11-19T00:00:00Z'),
    ])
    const ends = all.map((row) => endOfWindow(row).getTime())
    expect(ends.reduce((a, b) => Math.max(a, b))).toBe(NOON.getTime())
  })

  it('creates nothing again within the hour, and later only what has ended since', () => {
    expect(seedCandlesBody(NOW, NOON)).toBeNull()
    const next = made(NOON, new Date('2026-11-22T01:10:00Z'))
    expect([countOf(next, '1d'), countOf(next, '1h')]).toEqual([2 * 60, 37 * 60])
    const month = made(NOON, new Date('2026-12-20T00:00:00Z'))
    expect([countOf(month, '1d'), countOf(month, '1h')]).toEqual([30 * 60, (7 * 24 + 3) * 60])
  })

  it('gives a window the same figures at any time', () => {
    const before = made(null, new Date('2026-11-19T03:00:00Z'))
    const key = (row: CandleRow) => `${row.assetId} ${row.timeframe} ${row.ts.getTime()}`
    const known = new Map(before.map((row) => [key(row), textOf(row)]))
    const both = all.filter((row) => known.has(key(row)))
    expect(both.length).toBeGreaterThan(18_000)
    expect(both.filter((row) => textOf(row) !== known.get(key(row)))).toEqual([])
    const [bitcoin] = SEED_ASSETS
    if (bitcoin === undefined) throw new Error('there is no bitcoin')
    expect(seedCandle(bitcoin, { timeframe: '1h', ts: new Date('2026-11-20T11:00:00Z') })).toMatchObject({
      vwapUsd: GOLDEN.vwapUsd,
      volumeUsd: GOLDEN.volumeUsd,
      exchangesCount: 4,
      methodologyVersion: METHODOLOGY_VERSION,
    })
  })

  it('has the figures that the consensus of its exchanges gives', () => {
    const tiers = new Map(SEED_ASSETS.map(({ assetId, tier }) => [assetId, tier]))
    const some = all.filter((_, at) => at % 29 === 0)
    const computed = some.map(({ assetId, timeframe, ts, sources }) => {
      const inputs = sources.map(({ venue, vwapUsd, volumeUsd }) =>
        vwapUsd === null || volumeUsd === null
          ? { venue, excluded: 'no_volume' as const }
          : { venue, vwapUsd: decimal(vwapUsd), volumeUsd: decimal(volumeUsd) },
      )
      const prices = new Map(
        sources.flatMap(({ venue, prices: own }) => (own ? [[venue, own] as const] : [])),
      )
      return candleRow(assetId, { timeframe, ts }, consensus(inputs, tiers.get(assetId) ?? 3), prices)
    })
    expect(computed).toHaveLength(1_865)
    expect(computed).toEqual(some)
  })

  it('has prices of each exchange that traded, with its mean, for days and for hours of tiers 1 and 2', () => {
    const tiers = new Map(SEED_ASSETS.map(({ assetId, tier }) => [assetId, tier]))
    const counts = { kept: 0, left: 0 }
    for (const { assetId, timeframe, sources } of all.filter((_, at) => at % 29 === 0))
      for (const { vwapUsd, volumeUsd, prices } of sources) {
        const isKept = vwapUsd !== null && (timeframe === '1d' || tiers.get(assetId) !== 3)
        expect(prices !== undefined).toBe(isKept)
        counts[isKept ? 'kept' : 'left'] += 1
        if (prices === undefined) continue
        const { open, high, low, close, volume, quoteVolume } = prices
        expect(Number(low)).toBeLessThanOrEqual(Math.min(Number(open), Number(close)))
        expect(Number(high)).toBeGreaterThanOrEqual(Math.max(Number(open), Number(close)))
        expect(Number(quoteVolume) / Number(volume) / Number(vwapUsd)).toBeCloseTo(1, 4)
        expect(quoteVolume).toBe(volumeUsd)
      }
    expect(counts.kept).toBeGreaterThan(5_000)
    expect(counts.left).toBeGreaterThan(500)
  })

  it('shows every outcome of a consensus, mostly good ones', () => {
    const outcomes = new Map<string, number>()
    for (const row of all) {
      const reasons = new Set(row.sources.flatMap(({ exclusion }) => exclusion ?? []))
      const outcome = row.vwapUsd === null ? 'no price' : [...reasons].join() || 'ok'
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    const share = (outcome: string) => (outcomes.get(outcome) ?? 0) / all.length
    expect([...outcomes.keys()].sort()).toEqual(['dominant_volume', 'no price', 'ok', 'outlier'])
    expect(share('ok')).toBeGreaterThan(0.8)
    expect(share('outlier')).toBeGreaterThan(0.03)
    expect(share('dominant_volume')).toBeGreaterThan(0.05)
    expect(share('no price')).toBeGreaterThan(0.01)
    expect(share('no price')).toBeLessThan(0.03)
  })

  it('stays near the level of each asset, a stablecoin within half a percent of a dollar', () => {
    const levels = new Map(SEED_ASSETS.map((asset) => [asset.assetId, asset.priceUsd]))
    const astray = all.filter(({ assetId, vwapUsd }) => {
      if (vwapUsd === null) return false
      const level = levels.get(assetId) ?? Number.NaN
      const distance = Math.abs(Math.log(Number(vwapUsd) / level))
      return !(distance < (level === 1 ? 0.005 : 0.4))
    })
    expect(astray).toEqual([])
  })

  it('has earlier vintages: days and then hours that lack a venue, then the same windows complete, and each window once', () => {
    const [first, second] = seedCandlesVintages(NOW).map(({ knownAt, body }) => ({
      knownAt,
      rows: [...seedCandles.parse(body, context)].flatMap((item) => (item.kind === 'row' ? [item.row] : [])),
    }))
    if (first === undefined || second === undefined) throw new Error('there are not two vintages')
    expect([first.knownAt, second.knownAt]).toEqual([
      new Date('2026-11-10T12:00:00Z'),
      new Date('2026-11-17T12:00:00Z'),
    ])
    const key = (row: CandleRow) => `${row.assetId} ${row.timeframe} ${row.ts.toISOString()}`
    const whole = new Map(all.map((row) => [key(row), textOf(row)]))
    const provisional = first.rows.filter((row) => whole.get(key(row)) !== textOf(row))
    expect(new Set(provisional.map(({ timeframe, ts }) => `${timeframe} ${ts.toISOString()}`))).toEqual(
      new Set(['1d 2026-11-08T00:00:00.000Z', '1d 2026-11-09T00:00:00.000Z']),
    )
    expect(provisional).toHaveLength(119)
    const hours = second.rows.filter((row) => whole.get(key(row)) !== textOf(row))
    expect(new Set(hours.map(({ timeframe, ts }) => `${timeframe} ${ts.toISOString()}`))).toEqual(
      new Set(['1h 2026-11-17T10:00:00.000Z', '1h 2026-11-17T11:00:00.000Z']),
    )
    const rest = made(second.knownAt)
    expect(rest.filter((row) => whole.get(key(row)) !== textOf(row))).toEqual([])
    const keys = [...first.rows, ...second.rows, ...rest].map(key)
    expect([new Set(keys).size, keys.length]).toEqual([all.length, all.length + 2 * 60 + 2 * 60])
  })

  it.each(['', '{}', '[1]', '{"after":null,"until":"yesterday"}'])('refuses the body %j', (body) => {
    expect(() => [...seedCandles.parse(new TextEncoder().encode(body), context)]).toThrow(
      'the body is not a span of time',
    )
  })
})

/** One window's figures, so that a change of the generator is noticed. */
const GOLDEN = { vwapUsd: '84864.612216', volumeUsd: '1950471250' }

describe('seed-supply', () => {
  it('has a supply of every asset, counted at the start of the day', () => {
    const rows = [...seedSupply.parse(seedSupplyBody(NOW), context)]
    expect(rows).toHaveLength(60)
    expect(rows[0]).toEqual({
      kind: 'row',
      row: {
        assetId: 1,
        supply: '19940000',
        observedAt: new Date('2026-11-20T00:00:00Z'),
        methodology: 'Synthetic, for development and tests.',
      },
    })
  })

  it.each(['', '{}', '[{"assetId":1,"supply":"0","observedAt":"2026-11-20T00:00:00.000Z"}]'])(
    'refuses the body %j',
    (body) => {
      expect(() => [...seedSupply.parse(new TextEncoder().encode(body), context)]).toThrow(
        'not a list of supplies',
      )
    },
  )
})
