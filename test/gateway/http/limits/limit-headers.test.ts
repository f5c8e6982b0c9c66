import { describe, expect, it } from 'vitest'
import { limitHeaders } from '../../../../src/gateway/http/limits/limit-headers.js'
import { policiesOf, type QuotaStatus } from '../../../../src/policy/quota.js'
import { FREE, freeStandings } from '../../../support/app/free-caller.js'

const NOON = new Date('2026-11-20T12:20:00Z')

/** Of a free caller at 12:20. */
const statuses = (...used: readonly number[]) => freeStandings(NOON, ...used)

function headersOf(given: readonly QuotaStatus[], now = NOON): Readonly<Record<string, string>> {
  const list = limitHeaders(given, now)
  const pairs = list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? '']] : []))
  return Object.fromEntries(pairs)
}

describe('limitHeaders', () => {
  it('names the tightest window in X-RateLimit and every window in RateLimit', () => {
    expect(headersOf(statuses(1, 1))).toEqual({
      'x-ratelimit-limit': '14',
      'x-ratelimit-remaining': '13',
      'x-ratelimit-reset': '1795179600',
      'ratelimit-policy': '"hour";q=14;w=3600, "month";q=10000;w=2592000',
      ratelimit: '"hour";r=13;t=2400, "month";r=9999;t=906000',
    })
  })

  it('names the month if it has less left than the hour', () => {
    expect(headersOf(statuses(0, 9_990, 0))).toEqual({
      'x-ratelimit-limit': '10000',
      'x-ratelimit-remaining': '10',
      'x-ratelimit-reset': '1796083200',
      'ratelimit-policy': '"hour";q=14;w=3600, "month";q=10000;w=2592000, "discover_day";q=50;w=86400',
      ratelimit: '"hour";r=14;t=2400, "month";r=10;t=906000, "discover_day";r=50;t=42000',
    })
  })

  it('has no headers without statuses', () => {
    expect(limitHeaders([], NOON)).toEqual([])
  })

  it('never states less than 0 left', () => {
    expect(headersOf(statuses(20, 20))['x-ratelimit-remaining']).toBe('0')
  })

  it('states what is left and how long it lasts as of now, also for windows described before', () => {
    const policies = policiesOf(FREE, 'metered', NOON)
    const of = (used: number) => policies.map((policy) => ({ policy, used }))
    expect(headersOf(of(1)).ratelimit).toBe('"hour";r=13;t=2400, "month";r=9999;t=906000')
    const later = new Date(NOON.getTime() + 60_000)
    expect(headersOf(of(5), later).ratelimit).toBe('"hour";r=9;t=2340, "month";r=9995;t=905940')
  })

  it('describes the given windows, even if the first was described beside others', () => {
    const policies = policiesOf(FREE, 'discover', NOON)
    const of = (count: number) => policies.slice(0, count).map((policy) => ({ policy, used: 0 }))
    for (const count of [3, 2, 3])
      expect(headersOf(of(count))['ratelimit-policy']?.split(', ')).toHaveLength(count)
  })
})
