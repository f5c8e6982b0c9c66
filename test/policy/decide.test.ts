import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/core/errors.js'
import { type AccessRule, requireAccess, requireCaller } from '../../src/policy/decide.js'
import { ANONYMOUS, type Caller, type Principal } from '../../src/policy/principal.js'
import { SCOPE_NAMES, SCOPES, type Scope, scopesOfTier } from '../../src/policy/scopes.js'
import { TIERS, type Tier, tierRank } from '../../src/policy/tiers.js'

function caller(tier: Tier, scopes: ReadonlySet<Scope> = scopesOfTier(tier)): Caller {
  return {
    kind: 'key',
    accountId: 'a',
    meterId: 'k',
    keyId: 'k',
    tier,
    scopes,
    isNarrowed: false,
    endsAt: null,
    contract: null,
  }
}

/** The status that the rule answers with; 200 when it lets pass. */
function statusOf(principal: Principal, rule: AccessRule): number {
  try {
    requireAccess(principal, rule)
    return 200
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
}

function refusal(principal: Principal, rule: AccessRule): unknown {
  try {
    requireAccess(principal, rule)
  } catch (error) {
    return error
  }
  return null
}

describe('requireAccess', () => {
  it('lets anyone use open operations', () => {
    expect(statusOf(ANONYMOUS, 'open')).toBe(200)
    expect(statusOf(caller('free', new Set()), 'open')).toBe(200)
  })

  it('needs a known caller otherwise: 401 without one, whatever the scope', () => {
    const rules: readonly AccessRule[] = ['caller', 'token', ...SCOPE_NAMES]
    expect(rules.filter((rule) => statusOf(ANONYMOUS, rule) !== 401)).toEqual([])
    expect(refusal(ANONYMOUS, 'caller')).toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(
        /^Missing or invalid X-API-Key header\. The request has no API key\. Create a key/,
      ),
    })
  })

  it('lets any caller use operations without a scope', () => {
    for (const tier of TIERS) expect(statusOf(caller(tier), 'caller')).toBe(200)
  })

  it('lets exactly the tiers from the published one up use each scope', () => {
    for (const scope of SCOPE_NAMES) {
      const from = SCOPES[scope].from
      const expected = TIERS.map((tier) => (from !== null && tierRank(tier) >= tierRank(from) ? 200 : 403))
      expect([scope, ...TIERS.map((tier) => statusOf(caller(tier), scope))]).toEqual([scope, ...expected])
    }
  })

  it('judges a narrowed key by its own scopes, not by its tier', () => {
    const narrowed = { ...caller('pro', new Set<Scope>(['ai:read'])), isNarrowed: true }
    expect(statusOf(narrowed, 'ai:read')).toBe(200)
    expect(statusOf(narrowed, 'star:read')).toBe(403)
  })

  it('says that the key is narrowed if its tier has the scope, and names both reasons if neither has it', () => {
    const narrowed = { ...caller('growth', new Set<Scope>(['etf:read', 'ai:read'])), isNarrowed: true }
    expect(refusal(narrowed, 'keys:manage')).toMatchObject({
      code: 'forbidden',
      requiredScope: 'keys:manage',
      upgrade: true,
      message: 'This needs the scope keys:manage: your key is narrowed to ai:read, etf:read.',
    })
    expect(refusal({ ...narrowed, scopes: new Set() }, 'star:read')).toMatchObject({
      message:
        'This needs the scope star:read: it comes with tier pro and above; the account has tier growth, and your key is narrowed to no scope.',
    })
  })

  it('accepts a token if one is required, and no key', () => {
    const key = caller('enterprise', new Set(SCOPE_NAMES))
    expect(statusOf({ ...key, kind: 'token', keyId: null }, 'token')).toBe(200)
    expect(refusal(key, 'token')).toMatchObject({
      code: 'forbidden',
      requiredScope: null,
      upgrade: true,
      message: 'This needs an access token, which login gives; an API key is not enough.',
    })
  })

  it('accepts a granted admin of any tier', () => {
    expect(statusOf(caller('free', new Set<Scope>(['admin'])), 'admin')).toBe(200)
  })

  it('names the missing scope, the tier it comes with and the caller’s own', () => {
    expect(refusal(caller('free'), 'fundamentals:read')).toMatchObject({
      code: 'forbidden',
      status: 403,
      requiredScope: 'fundamentals:read',
      upgrade: true,
      message:
        'This needs the scope fundamentals:read: it comes with tier growth and above; the account has tier free.',
    })
  })

  it('names what only a grant gives, and where to ask for it', () => {
    expect(refusal(caller('enterprise'), 'admin')).toMatchObject({
      requiredScope: 'admin',
      upgrade: true,
      message: 'This needs the scope admin: it is given by grant only; the account has tier enterprise.',
    })
  })
})

describe('requireCaller', () => {
  it('returns the caller, and 401 for anonymous', () => {
    const known = caller('free')
    expect(requireCaller(known)).toBe(known)
    expect(() => requireCaller(ANONYMOUS)).toThrow('Missing or invalid X-API-Key header.')
  })
})
