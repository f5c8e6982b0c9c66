import { describe, expect, it } from 'vitest'
import { isScope, SCOPE_NAMES, scopesOfTier } from '../../src/policy/scopes.js'
import { isTier, TIERS, tierRank } from '../../src/policy/tiers.js'

const FREE = ['keys:manage']
const STARTER = [...FREE, 'ai:read', 'ohlcv:intraday', 'macro:read', 'instruments:read']
const GROWTH = [
  'fundamentals:read',
  'etf:read',
  'onchain:read',
  'screening:read',
  'history:full',
  'ai:lineage',
  'bulk:read',
]

describe('scopes', () => {
  it('come with the tiers as published', () => {
    const carried = Object.fromEntries(TIERS.map((tier) => [tier, [...scopesOfTier(tier)].sort()]))
    expect(carried).toEqual({
      free: FREE,
      starter: [...STARTER].sort(),
      growth: [...STARTER, ...GROWTH].sort(),
      pro: [...STARTER, ...GROWTH, 'star:read'].sort(),
      enterprise: [...STARTER, ...GROWTH, 'star:read'].sort(),
    })
  })

  it('are never fewer in a higher tier', () => {
    for (const [index, tier] of TIERS.entries()) {
      const lower = TIERS[index - 1]
      if (lower === undefined) continue
      expect([...scopesOfTier(lower)].filter((scope) => !scopesOfTier(tier).has(scope))).toEqual([])
    }
  })

  it('reserve admin for grants', () => {
    expect(SCOPE_NAMES).toContain('admin')
    expect(TIERS.filter((tier) => scopesOfTier(tier).has('admin'))).toEqual([])
  })

  it('are recognized by their own names only', () => {
    expect(isScope('ai:read')).toBe(true)
    expect(['AI:READ', 'ai', '', 'toString', '__proto__'].filter(isScope)).toEqual([])
  })
})

describe('tiers', () => {
  it('rise from free to enterprise', () => {
    expect(TIERS.map(tierRank)).toEqual([0, 1, 2, 3, 4])
    expect(TIERS).toEqual(['free', 'starter', 'growth', 'pro', 'enterprise'])
  })

  it('are recognized by their own names only', () => {
    expect(isTier('pro')).toBe(true)
    expect(['Pro', '', 'gold', 'length'].filter(isTier)).toEqual([])
  })
})
