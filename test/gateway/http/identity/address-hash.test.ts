import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAddressHasher } from '../../../../src/gateway/http/identity/address-hash.js'

const PEPPER = 'a pepper of the test'
const REMOTE = '192.0.2.7'

const direct = createAddressHasher(PEPPER, false)
const proxied = createAddressHasher(PEPPER, true)

describe('the hash of a client address', () => {
  it('begins alike for addresses of one network, and only for those', () => {
    const parts = (address: string) => direct(undefined, address).split('.')
    const [large, small, own] = parts('2001:db8:1:2::1')
    expect(parts('2001:db8:1:3::1').slice(0, 2)).toEqual([large, small])
    expect(parts('2001:db8:1:3::1')[2]).not.toBe(own)
    expect(parts('2001:db8:2:2::1')[0]).toBe(large)
    expect(parts('2001:db8:2:2::1')[1]).not.toBe(small)
    expect(parts('2001:db9:1:2::1')[0]).not.toBe(large)
    expect(parts('192.0.2.1').slice(0, 2)).toEqual(parts('::ffff:192.0.2.2').slice(0, 2))
    expect(parts('192.0.3.1')[1]).not.toBe(parts('192.0.2.1')[1])
  })

  it('does not show the address and differs by pepper', () => {
    const origin = direct(undefined, REMOTE)
    expect(origin).toMatch(/^[\w-]{7}\.[\w-]{7}\.[\w-]{8}$/)
    expect(origin).not.toContain(REMOTE)
    expect(createAddressHasher('another pepper', false)(undefined, REMOTE)).not.toBe(origin)
    expect(createAddressHasher(PEPPER, false)(undefined, REMOTE)).toBe(origin)
  })

  it('belongs to the connection unless a proxy is trusted, whatever the header says', () => {
    expect(direct('198.51.100.1', REMOTE)).toBe(direct(undefined, REMOTE))
    expect(proxied('198.51.100.1', REMOTE)).toBe(direct(undefined, '198.51.100.1'))
  })

  it('belongs to the address that the trusted proxy added, not to one that the client wrote before it', () => {
    const expected = direct(undefined, '198.51.100.1')
    for (const header of ['203.0.113.9, 198.51.100.1', '198.51.100.1', 'forged,203.0.113.9 ,\t198.51.100.1 '])
      expect(proxied(header, REMOTE)).toBe(expected)
  })

  it.each([undefined, '', ' ', '203.0.113.9, '])(
    'is that of the connection where the proxy says %j',
    (header) => {
      expect(proxied(header, REMOTE)).toBe(direct(undefined, REMOTE))
    },
  )

  it('is the same for all spellings of an address, and for the /64 of an IPv6 address', () => {
    const one = direct(undefined, '::ffff:192.0.2.7')
    expect(one).toBe(direct(undefined, REMOTE))
    for (const spelling of ['192.0.2.7:443', '[::ffff:192.0.2.7]:443', '::FFFF:c000:207'])
      expect([spelling, proxied(spelling, undefined)]).toEqual([spelling, one])
    const prefix = direct(undefined, '2001:db8:1:2::1')
    expect(direct(undefined, '2001:0db8:0001:0002:ffff:ffff:ffff:ffff')).toBe(prefix)
    expect(direct(undefined, '2001:db8:1:3::1')).not.toBe(prefix)
  })

  it('is the same for all invalid addresses, so that a forged one opens no separate counter', () => {
    const none = direct(undefined, undefined)
    for (const text of ['unknown', '_hidden', '999.1.1.1', 'x'.repeat(10_000)])
      expect(proxied(text, undefined)).toBe(none)
  })

  it('differs by address, and is stable', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), (a, b) => {
        expect(direct(undefined, a) === direct(undefined, b)).toBe(a === b)
        expect(direct(undefined, a)).toBe(direct(undefined, a))
      }),
    )
  })
})
