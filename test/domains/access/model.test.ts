import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isActive, parseGraceSeconds, parseKeyId } from '../../../src/domains/access/keys/key-model.js'
import {
  effectiveScopes,
  parseEmail,
  parseLogin,
  parseRegistration,
} from '../../../src/domains/access/model.js'
import { SCOPE_NAMES } from '../../../src/policy/scopes.js'
import { TIERS } from '../../../src/policy/tiers.js'
import { refusalOf } from './access-world.js'

describe('parseRegistration', () => {
  it('accepts 12 to 128 characters, counted as people count them', () => {
    for (const password of ['x'.repeat(12), 'x'.repeat(128), '😀'.repeat(12)]) {
      expect(parseRegistration({ email: ' Ada@Example.ORG ', password })).toEqual({
        email: 'ada@example.org',
        password,
      })
    }
  })

  it('names every wrong field', async () => {
    const refusal = await refusalOf(() => parseRegistration({ email: 'nobody', password: 'x'.repeat(11) }))
    expect(refusal.code).toBe('validation_error')
    expect(refusal.details.map((problem) => problem.field)).toEqual(['email', 'password'])
    const long = { email: 'a@b.cd', password: 'x'.repeat(129) }
    expect((await refusalOf(() => parseRegistration(long))).details[0]?.message).toBe(
      'must have 12 to 128 characters',
    )
  })

  it('refuses the e-mail as password', async () => {
    const asked = { email: 'ada@example.org', password: 'ADA@example.org' }
    expect((await refusalOf(() => parseRegistration(asked))).details).toEqual([
      { field: 'password', message: 'must not be the e-mail address' },
    ])
  })
})

describe('parseLogin', () => {
  it('checks the size only', async () => {
    expect(parseLogin({ email: 'x', password: '' })).toEqual({ email: 'x', password: '' })
    const refusal = await refusalOf(() => parseLogin({ email: 'x'.repeat(255), password: 'x'.repeat(129) }))
    expect(refusal.details.map((problem) => problem.field)).toEqual(['email', 'password'])
  })
})

describe('parseEmail', () => {
  it.each(['a@b.cd', 'first.last+tag@sub.example.org', 'ü@exämple.de', `${'a'.repeat(64)}@b.cd`])(
    'accepts %s',
    (email) => {
      expect(parseEmail(email)).toBe(email)
    },
  )

  it.each([
    '',
    'a',
    '@b.cd',
    'a@',
    'a@b',
    'a@b.',
    'a b@c.de',
    'a@b@c.de',
    'a\u0000@b.cd',
    `${'a'.repeat(65)}@b.cd`,
    `a@${'b'.repeat(250)}.cd`,
  ])('refuses %j', (email) => {
    expect(parseEmail(email)).toBeNull()
  })
})

describe('parseGraceSeconds and parseKeyId', () => {
  it('accept 0 to a week, 0 by default', async () => {
    expect([null, undefined, 0, 604_800].map(parseGraceSeconds)).toEqual([0, 0, 0, 604_800])
    for (const seconds of [-1, 604_801, 1.5]) {
      expect((await refusalOf(() => parseGraceSeconds(seconds))).details[0]?.field).toBe('grace_seconds')
    }
  })

  it('give 404 for text that is not a UUID', async () => {
    expect(parseKeyId('3F2B8C1E-5D4A-4B6F-9A7E-2C1D0E9F8A7B')).toBe('3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b')
    for (const text of ['', 'x', '3f2b8c1e5d4a4b6f9a7e2c1d0e9f8a7b', "' or 1=1"]) {
      expect((await refusalOf(() => parseKeyId(text))).code).toBe('not_found')
    }
  })
})

describe('effectiveScopes', () => {
  const scopes = fc.subarray([...SCOPE_NAMES, 'no:scope'])

  it('of a narrowed key exceed neither the request nor the account', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TIERS), scopes, scopes, (tier, grants, narrowing) => {
        const all = effectiveScopes({ tier, grants }, null)
        const narrowed = effectiveScopes({ tier, grants }, narrowing)
        expect([...narrowed].sort()).toEqual(narrowing.filter((scope) => all.has(scope as never)).sort())
        expect(all.has('admin')).toBe(grants.includes('admin'))
      }),
    )
  })
})

describe('isActive', () => {
  const now = new Date('2026-11-20T12:00:00Z')
  it.each([
    [null, null, true],
    [now, null, false],
    [null, now, false],
    [new Date(now.getTime() + 1), new Date(now.getTime() + 1), true],
    [new Date(now.getTime() + 1), new Date(now.getTime() - 1), false],
  ])('expires %s, revoked %s: %s', (expiresAt, revokedAt, expected) => {
    expect(isActive({ expiresAt, revokedAt }, now)).toBe(expected)
  })
})
