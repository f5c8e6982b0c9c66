import { describe, expect, it } from 'vitest'
import type { Caller } from '../../src/policy/principal.js'
import {
  policiesOf,
  quotaExceeded,
  remainingUnits,
  retryAfter,
  secondsUntil,
  tightestOf,
} from '../../src/policy/quota.js'
import { FREE, freeStandings as statuses } from '../support/app/free-caller.js'

const NOON = new Date('2026-11-20T12:20:00Z')

function priced(units: number, ...used: readonly number[]) {
  return statuses(NOON, ...used).map((status) => ({ ...status, units }))
}

describe('policiesOf', () => {
  it('returns clock hour and calendar month, in UTC', () => {
    expect(policiesOf(FREE, 'metered', NOON)).toEqual([
      {
        name: 'hour',
        quota: 14,
        windowStart: new Date('2026-11-20T12:00:00Z'),
        windowEnd: new Date('2026-11-20T13:00:00Z'),
        windowSeconds: 3_600,
        counterKey: 'meter:hour:2026-11-20T12',
      },
      {
        name: 'month',
        quota: 10_000,
        windowStart: new Date('2026-11-01T00:00:00Z'),
        windowEnd: new Date('2026-12-01T00:00:00Z'),
        windowSeconds: 2_592_000,
        counterKey: 'meter:month:2026-11',
      },
    ])
  })

  it('adds the UTC day to discover, on the free tier only', () => {
    expect(policiesOf(FREE, 'discover', NOON)[2]).toEqual({
      name: 'discover_day',
      quota: 50,
      windowStart: new Date('2026-11-20T00:00:00Z'),
      windowEnd: new Date('2026-11-21T00:00:00Z'),
      windowSeconds: 86_400,
      counterKey: 'meter:discover_day:2026-11-20',
    })
    const names = (tier: Caller['tier']) =>
      policiesOf({ ...FREE, tier }, 'discover', NOON).map((policy) => policy.name)
    expect(names('starter')).toEqual(['hour', 'month'])
    expect(names('enterprise')).toEqual(['hour', 'month'])
  })

  it('counts the last millisecond of a window in it and the next one in the next', () => {
    const keys = (instant: string) =>
      policiesOf(FREE, 'discover', new Date(instant)).map((policy) => policy.counterKey)
    expect(keys('2026-12-31T23:59:59.999Z')).toEqual([
      'meter:hour:2026-12-31T23',
      'meter:month:2026-12',
      'meter:discover_day:2026-12-31',
    ])
    expect(keys('2027-01-01T00:00:00.000Z')).toEqual([
      'meter:hour:2027-01-01T00',
      'meter:month:2027-01',
      'meter:discover_day:2027-01-01',
    ])
  })

  it('knows the length of each month', () => {
    const seconds = (instant: string) => policiesOf(FREE, 'metered', new Date(instant))[1]?.windowSeconds
    expect(seconds('2026-02-10T00:00:00Z')).toBe(28 * 86_400)
    expect(seconds('2028-02-10T00:00:00Z')).toBe(29 * 86_400)
    expect(seconds('2026-10-31T00:00:00Z')).toBe(31 * 86_400)
  })

  it('uses the quotas of an enterprise contract', () => {
    const caller: Caller = { ...FREE, tier: 'enterprise', contract: { month: 7_000, hour: 70 } }
    expect(policiesOf(caller, 'metered', NOON).map((policy) => policy.quota)).toEqual([70, 7_000])
  })
})

describe('tightest', () => {
  it('is the last one to reset among windows with equally much left', () => {
    expect(tightestOf(statuses(NOON, 14, 10_000, 50))?.policy.name).toBe('month')
    expect(tightestOf(statuses(NOON, 14, 10, 50))?.policy.name).toBe('discover_day')
    expect(tightestOf(statuses(NOON, 5, 10, 40))?.policy.name).toBe('hour')
  })
})

describe('retryAfter', () => {
  it('is the end of the refusing window', () => {
    expect(retryAfter(priced(1, 14, 20))).toBe(Date.parse('2026-11-20T13:00:00Z') / 1000)
    expect(retryAfter(priced(1, 3, 20, 50))).toBe(Date.parse('2026-11-21T00:00:00Z') / 1000)
  })

  it('is the end of the last window if several refuse', () => {
    expect(retryAfter(priced(1, 14, 10_000))).toBe(Date.parse('2026-12-01T00:00:00Z') / 1000)
  })

  it('is null if nothing refuses and if waiting does not help', () => {
    expect(retryAfter(priced(1, 13, 20))).toBeNull()
    expect(retryAfter(priced(15, 0, 0))).toBeNull()
  })
})

describe('quotaExceeded', () => {
  it('is a 429 that names the policy, what is left and when to retry', () => {
    expect(quotaExceeded('free', priced(5, 12, 20))).toMatchObject({
      code: 'rate_limit_exceeded',
      status: 429,
      message:
        'This costs 5 units, and 2 of the hourly limit of 14 are left; try again at 13:00 UTC. Your tier is free.',
      upgrade: true,
      retryAfter: Date.parse('2026-11-20T13:00:00Z') / 1000,
    })
  })

  it('says so if a call costs more than a whole window holds', () => {
    expect(quotaExceeded('free', priced(15, 0, 0))).toMatchObject({
      message: 'This costs 15 units, more than the hourly limit of 14. Your tier is free.',
      retryAfter: null,
    })
  })

  it('says which limits are reached and when a retry fits', () => {
    expect(quotaExceeded('free', priced(1, 14, 20)).message).toBe(
      'Hourly limit of 14 units reached; try again at 13:00 UTC. Your tier is free.',
    )
    expect(quotaExceeded('free', priced(1, 14, 10_000)).message).toMatch(
      /^Hourly limit of 14 units reached\. Monthly limit of \d+ units reached; try again at 2026-12-01 00:00 UTC\. Your tier is free\.$/,
    )
  })

  it('offers no upgrade to the highest tier', () => {
    expect(quotaExceeded('enterprise', priced(1, 14, 0)).upgrade).toBe(false)
  })
})

describe('secondsUntil', () => {
  it('rounds up, so that a client that waits is never early', () => {
    expect(secondsUntil(new Date('2026-11-20T13:00:00Z'), new Date('2026-11-20T12:59:58.001Z'))).toBe(2)
    expect(secondsUntil(new Date('2026-11-20T13:00:00Z'), new Date('2026-11-20T13:00:01Z'))).toBe(0)
  })
})

describe('remainingUnits', () => {
  it('is what the quota leaves', () => {
    expect(statuses(NOON, 4, 1).map(remainingUnits)).toEqual([10, 9_999])
  })
})
