import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_ADDRESS, normalizeAddress } from '../../../../src/gateway/http/identity/client-address.js'

describe('normalizeAddress', () => {
  it.each([
    '192.0.2.7',
    ' 192.0.2.7 ',
    '192.0.2.7:41234',
    '[192.0.2.7]:41234',
    '::ffff:192.0.2.7',
    '::FFFF:192.0.2.7',
    '::ffff:c000:207',
    '0:0:0:0:0:ffff:c000:0207',
    '[::ffff:192.0.2.7]:443',
    '::ffff:192.0.2.7%eth0',
  ])('names the IPv4 address %s as 192.0.2.7', (text) => {
    expect(normalizeAddress(text)).toBe('192.0.2.7')
  })

  it.each([
    '2001:db8:0:12::1',
    '2001:db8:0:12:ffff:ffff:ffff:ffff',
    '2001:DB8:0:12::A',
    '2001:0db8:0000:0012:0000:0000:0000:0001',
    '2001:db8::12:0:0:0:1',
    '[2001:db8:0:12::1]',
    '[2001:db8:0:12::1]:8080',
    '2001:db8:0:12::1%eth0',
    '2001:db8:0:12::192.0.2.7',
  ])('names %s by its /64', (text) => {
    expect(normalizeAddress(text)).toBe('2001:db8:0:12::/64')
  })

  it('separates other networks', () => {
    const names = ['2001:db8:0:13::1', '2001:db8:1:12::1', '::1', 'fe80::1', '192.0.2.8', '::'].map(
      normalizeAddress,
    )
    expect(names).toEqual([
      '2001:db8:0:13::/64',
      '2001:db8:1:12::/64',
      '0:0:0:0::/64',
      'fe80:0:0:0::/64',
      '192.0.2.8',
      '0:0:0:0::/64',
    ])
  })

  it.each([
    undefined,
    null,
    '',
    'unknown',
    '_hidden',
    'localhost',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.07',
    '192.0.2.7:port',
    '2001:db8::1::2',
    '2001:db8:0:12::12345',
    '[2001:db8::1',
    '1:2:3:4:5:6:7',
    '192.0.2.7, 192.0.2.8',
  ])('has one name for the invalid address %s', (text) => {
    expect(normalizeAddress(text)).toBe(NO_ADDRESS)
  })

  it('never throws, and maps its own names to themselves', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV4Extended(), fc.ipV6()), (text) => {
        const name = normalizeAddress(text)
        expect(normalizeAddress(name.replace(/\/64$/, ''))).toBe(name)
      }),
    )
  })
})
