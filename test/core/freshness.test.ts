import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  computeFreshness,
  type FreshnessKind,
  freshnessKindOfMarket,
  freshnessKindOfTier,
  refreshIntervalMs,
} from '../../src/core/freshness.js'

const HOUR = 3_600_000
const OBSERVED = new Date('2026-03-05T12:00:00Z')
const KINDS: readonly FreshnessKind[] = [
  'tier_1',
  'tier_2',
  'tier_3',
  'forex',
  'bis',
  'monthly',
  'daily',
  'etf',
  'screening',
  'onchain',
  'identifier',
  'sessions of XNYS',
]

const later = (ms: number) => new Date(OBSERVED.getTime() + ms)

describe('refresh intervals', () => {
  it.each([
    ['tier_1', 1],
    ['tier_2', 6],
    ['tier_3', 12],
    ['bis', 2400],
    ['monthly', 840],
    ['daily', 24],
    ['etf', 24],
    ['screening', 24],
    ['onchain', 24],
    ['identifier', 720],
  ] as const)('%s is refreshed every %i hours', (kind, hours) => {
    expect(refreshIntervalMs(kind, OBSERVED)).toBe(hours * HOUR)
    expect(computeFreshness(kind, OBSERVED, OBSERVED).next_refresh_at).toEqual(later(hours * HOUR))
  })

  it.each([
    ['an ordinary Wednesday', '2026-03-04T15:00:00Z', '2026-03-05T15:00:00Z'],
    ['a Friday', '2026-03-06T15:00:00Z', '2026-03-09T15:00:00Z'],
    ['the Friday before summer time', '2026-03-27T15:00:00Z', '2026-03-30T14:00:00Z'],
    ['Maundy Thursday', '2025-04-17T14:00:00Z', '2025-04-22T14:00:00Z'],
    ['New Year’s Eve', '2025-12-31T15:00:00Z', '2026-01-02T15:00:00Z'],
    ['a weekend', '2026-03-07T09:00:00Z', '2026-03-09T15:00:00Z'],
  ])('of forex published on %s end at the next TARGET day’s publication', (_name, observed, due) => {
    const at = new Date(observed)
    expect(computeFreshness('forex', at, at).next_refresh_at).toEqual(new Date(due))
  })

  it.each([
    ['a Wednesday', 'XNYS', '2026-03-05T00:00:00Z', '2026-03-06T00:00:00Z'],
    ['the Friday before Labor Day', 'XNYS', '2026-09-05T00:00:00Z', '2026-09-09T00:00:00Z'],
    ['the same Friday in London', 'XLON', '2026-09-05T00:00:00Z', '2026-09-08T00:00:00Z'],
    ['the day before Thanksgiving', 'XNAS', '2026-11-26T00:00:00Z', '2026-11-28T00:00:00Z'],
    ['a Friday that no calendar covers', 'XNYS', '1999-09-04T00:00:00Z', '1999-09-05T00:00:00Z'],
    ['a Friday of a market without a calendar', 'XSAU', '2026-09-05T00:00:00Z', '2026-09-06T00:00:00Z'],
  ])('of prices of %s end at the end of the next session of %s', (_name, mic, observed, due) => {
    const at = new Date(observed)
    expect(computeFreshness(freshnessKindOfMarket(mic), at, at).next_refresh_at).toEqual(new Date(due))
  })

  it('of assets without a tier are those of tier 3', () => {
    expect([1, 2, 3, null, 0, 4].map(freshnessKindOfTier)).toEqual([
      'tier_1',
      'tier_2',
      'tier_3',
      'tier_3',
      'tier_3',
      'tier_3',
    ])
  })
})

describe('freshnessOf', () => {
  it.each([
    [0, 'fresh', 0],
    [999, 'fresh', 0],
    [HOUR, 'fresh', 3600],
    [HOUR + 1, 'stale', 3600],
    [3 * HOUR, 'stale', 10_800],
    [3 * HOUR + 1, 'expired', 10_800],
    [300 * HOUR, 'expired', 1_080_000],
  ])('calls tier 1 data of age %i ms %s and states %i s', (ageMs, status, seconds) => {
    const freshness = computeFreshness('tier_1', OBSERVED, later(ageMs))
    expect(freshness.freshness_status).toBe(status)
    expect(freshness.data_freshness_seconds).toBe(seconds)
    expect(freshness.last_updated_at).toEqual(OBSERVED)
  })

  it('gives an observation in the future age 0', () => {
    expect(computeFreshness('tier_1', OBSERVED, later(-5 * HOUR))).toEqual({
      data_freshness_seconds: 0,
      last_updated_at: OBSERVED,
      next_refresh_at: later(HOUR),
      freshness_status: 'fresh',
      changesAt: later(HOUR + 1),
    })
  })

  it('does not make Friday’s rates stale over the weekend', () => {
    const friday = new Date('2026-03-06T15:00:00Z')
    expect(computeFreshness('forex', friday, new Date('2026-03-09T15:00:00Z')).freshness_status).toBe('fresh')
    expect(computeFreshness('forex', friday, new Date('2026-03-09T15:00:00.001Z')).freshness_status).toBe(
      'stale',
    )
  })

  it('does not make prices of a Friday stale on a Monday that is a holiday', () => {
    const endOfFriday = new Date('2026-09-05T00:00:00Z')
    const statusOn = (instant: string) =>
      computeFreshness('sessions of XNYS', endOfFriday, new Date(instant)).freshness_status
    expect(statusOn('2026-09-08T23:59:59Z')).toBe('fresh')
    expect(statusOn('2026-09-09T00:00:01Z')).toBe('stale')
  })

  it('states the very first instant with another status; null once expired', () => {
    const ageMs = fc.integer({ min: -HOUR, max: 400 * 24 * HOUR })
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), ageMs, (kind, age) => {
        const { freshness_status, changesAt } = computeFreshness(kind, OBSERVED, later(age))
        expect(changesAt === null).toBe(freshness_status === 'expired')
        if (changesAt === null) return
        const before = new Date(changesAt.getTime() - 1)
        expect(changesAt.getTime()).toBeGreaterThan(later(age).getTime())
        expect(computeFreshness(kind, OBSERVED, before).freshness_status).toBe(freshness_status)
        expect(computeFreshness(kind, OBSERVED, changesAt).freshness_status).not.toBe(freshness_status)
      }),
    )
  })

  it('never gets fresher by waiting', () => {
    const rank = { fresh: 0, stale: 1, expired: 2 }
    const ages = fc.tuple(fc.integer({ min: 0, max: 1e10 }), fc.integer({ min: 0, max: 1e10 }))
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), ages, (kind, [age, wait]) => {
        const now = computeFreshness(kind, OBSERVED, later(age))
        const then = computeFreshness(kind, OBSERVED, later(age + wait))
        expect(rank[then.freshness_status]).toBeGreaterThanOrEqual(rank[now.freshness_status])
        expect(then.data_freshness_seconds).toBeGreaterThanOrEqual(now.data_freshness_seconds)
      }),
    )
  })

  it('stays fresh for closed data at any age, and nothing newer is due', () => {
    for (const age of [-HOUR, 0, HOUR, 400 * 24 * HOUR])
      expect(computeFreshness('closed', OBSERVED, later(age))).toEqual({
        data_freshness_seconds: Math.max(0, age / 1_000),
        last_updated_at: OBSERVED,
        next_refresh_at: null,
        freshness_status: 'fresh',
        changesAt: null,
      })
  })
})
