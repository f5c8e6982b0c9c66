import { expect, it } from 'vitest'
import { hostOf, isPublicAddress } from '../../../src/platform/http-client/public-address.js'

it.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '100.63.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it.each([
  ['this host', '0.0.0.0'],
  ['this network', '0.255.255.255'],
  ['private', '10.0.0.1'],
  ['private', '10.255.255.255'],
  ['shared by carriers', '100.64.0.1'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link local, with the metadata of clouds', '169.254.169.254'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['protocol assignments', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['private', '192.168.1.1'],
  ['benchmarks', '198.19.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped private, in hexadecimal', '::ffff:a00:1'],
  ['mapped public: no resolver gives it', '::ffff:8.8.8.8'],
  ['compatible loopback', '::127.0.0.1'],
  ['translated metadata', '64:ff9b::a9fe:a9fe'],
  ['translated in a local prefix', '64:ff9b:1::1'],
  ['unique local', 'fd00:ec2::254'],
  ['link local', 'fe80::1'],
  ['link local with a zone', 'fe80::1%eth0'],
  ['site local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['Teredo', '2001:0:53aa:64c::1'],
  ['documentation', '2001:db8::1'],
  ['6to4 of a private address', '2002:a00:1::1'],
  ['documentation', '3fff::1'],
  ['no address', 'localhost'],
  ['no address', ''],
  ['no address', '127.1'],
])('%s is not public: %s', (_, address) => {
  expect(isPublicAddress(address)).toBe(false)
})

/** What URL makes of other spellings is what is checked and connected to. */
it.each([
  ['http://2130706433/', '127.0.0.1'],
  ['http://0x7f000001/', '127.0.0.1'],
  ['http://0177.0.0.1/', '127.0.0.1'],
  ['http://127.1/', '127.0.0.1'],
  ['http://0/', '0.0.0.0'],
  ['http://①②⑦.0.0.1/', '127.0.0.1'],
  ['http://[::ffff:7f00:1]/', '::ffff:7f00:1'],
  ['http://[0:0:0:0:0:0:0:1]/', '::1'],
])('%s is %s, and refused', (url, host) => {
  expect(hostOf(new URL(url))).toBe(host)
  expect(isPublicAddress(host)).toBe(false)
})
