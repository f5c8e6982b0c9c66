import { describe, expect, it } from 'vitest'
import { DISCOVER_PER_DAY_FREE, quotasOf } from '../../src/policy/limits.js'
import { TIERS } from '../../src/policy/tiers.js'

describe('quotasOf', () => {
  it('returns the published quotas of each tier', () => {
    expect(Object.fromEntries(TIERS.map((tier) => [tier, quotasOf(tier, null)]))).toEqual({
      free: { month: 10_000, hour: 14 },
      starter: { month: 100_000, hour: 278 },
      growth: { month: 500_000, hour: 1_389 },
      pro: { month: 5_000_000, hour: 13_889 },
      enterprise: { month: 5_000_000, hour: 13_889 },
    })
    expect(DISCOVER_PER_DAY_FREE).toBe(50)
  })

  it('follows the contract of an enterprise account and of no other', () => {
    const contract = { month: 90_000_000, hour: 250_000 }
    expect(quotasOf('enterprise', contract)).toEqual(contract)
    expect(quotasOf('pro', contract)).toEqual({ month: 5_000_000, hour: 13_889 })
  })
})
