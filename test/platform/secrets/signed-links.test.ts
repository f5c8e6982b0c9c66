import { describe, expect, it } from 'vitest'
import { createSignedLinks } from '../../../src/platform/secrets/signed-links.js'

const LINK = { accountId: '11111111-2222-4333-8444-555555555555', at: new Date('2026-11-20T12:00:00.123Z') }
const links = createSignedLinks('a pepper for tests, 32 characters or more')

describe('tokens of links', () => {
  const token = links.sign('newsletter-unsubscribe', LINK)

  it('name their owner and their time, to the gateway that created them', () => {
    expect(token).toMatch(/^[\w-]{72}$/)
    expect(links.verify('newsletter-unsubscribe', token)).toEqual(LINK)
    expect(links.sign('newsletter-unsubscribe', LINK)).toBe(token)
  })

  it('are valid for one purpose and one pepper', () => {
    expect(links.verify('newsletter-confirm', token)).toBeNull()
    expect(createSignedLinks('another pepper').verify('newsletter-unsubscribe', token)).toBeNull()
  })

  it('of both peppers are valid during a rotation, and new ones are of the current pepper', () => {
    const next = 'the pepper after it, 32 characters or more'
    const switched = createSignedLinks(next, 'a pepper for tests, 32 characters or more')
    const renewed = switched.sign('newsletter-unsubscribe', LINK)
    expect(renewed).not.toBe(token)
    for (const one of [token, renewed]) expect(switched.verify('newsletter-unsubscribe', one)).toEqual(LINK)
    expect(createSignedLinks(next).verify('newsletter-unsubscribe', token)).toBeNull()
    expect(switched.verify('newsletter-confirm', token)).toBeNull()
  })

  it('are invalid after any character is changed', () => {
    for (let at = 0; at < token.length; at += 1) {
      const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
      expect(links.verify('newsletter-unsubscribe', changed)).toBeNull()
    }
    for (const wrong of ['', 'a', `${token}=`, token.slice(1), '~'.repeat(72)]) {
      expect(links.verify('newsletter-unsubscribe', wrong)).toBeNull()
    }
  })

  it('and names of mails are never equal', () => {
    expect(links.opaqueName('2026-W46 a')).toMatch(/^[0-9a-f]{32}$/)
    expect(links.opaqueName('2026-W46 a')).toBe(links.opaqueName('2026-W46 a'))
    expect(links.opaqueName('2026-W46 a')).not.toBe(links.opaqueName('2026-W46 b'))
  })
})
