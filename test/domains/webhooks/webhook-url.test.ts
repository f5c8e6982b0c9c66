import { expect, it } from 'vitest'
import { urlFault } from '../../../src/domains/webhooks/webhook-url.js'

const NOBODY: ReadonlySet<string> = new Set()
const NONE = { privateHosts: NOBODY, localHosts: NOBODY }
const DEVELOPMENT = { privateHosts: NOBODY, localHosts: new Set(['localhost', '127.0.0.1', '::1']) }

it.each([
  'https://hooks.example.com/changes',
  'https://hooks.example.com:8443/a?b=c',
  'https://8.8.8.8/hook',
  'https://[2606:4700::1111]/hook',
])('accepts %s', (url) => {
  expect(urlFault(url, NONE)).toBeNull()
})

it.each([
  ['http://hooks.example.com/', 'must begin with https://'],
  ['ftp://hooks.example.com/', 'must begin with https://'],
  ['hooks.example.com', 'must be a URL, for example https://example.com/hook'],
  ['https://hooks.example.com/a b', 'must be a URL, for example https://example.com/hook'],
  ['https://hooks.example.com/\n', 'must be a URL, for example https://example.com/hook'],
  ['https://me:secret@hooks.example.com/', 'must have no user and no password'],
  ['https://me@hooks.example.com/', 'must have no user and no password'],
  ['https://hooks.example.com/#part', 'must have no fragment'],
  ['https://hooks.example.com:22/', 'must have port 443 or a port from 1024'],
  [`https://hooks.example.com/${'a'.repeat(2_048)}`, 'must have at most 2048 characters'],
])('refuses %s', (url, fault) => {
  expect(urlFault(url, NONE)).toBe(fault)
})

it.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[fd00::1]/',
  'https://localhost/',
  'https://gateway/',
  'https://metadata.google.internal/',
  'https://printer.local/',
  'https://app.localhost./',
])('refuses the private host of %s', (url) => {
  expect(urlFault(url, NONE)).toBe(
    'the host must be publicly reachable; the operator can allow it with WEBHOOK_PRIVATE_HOSTS',
  )
})

it('accepts a private host that the operator has named', () => {
  expect(
    urlFault('https://receiver.internal:8443/', { ...NONE, privateHosts: new Set(['receiver.internal']) }),
  ).toBeNull()
})

it.each([
  'http://localhost:3000/hook',
  'http://localhost/hook',
  'http://127.0.0.1:3000/hook',
  'http://[::1]:3000/hook',
  'https://localhost:3000/hook',
])('accepts %s on a gateway in development only', (url) => {
  expect(urlFault(url, DEVELOPMENT)).toBeNull()
  expect(urlFault(url, NONE)).not.toBeNull()
})

it.each([
  ['http://example.com/', 'must begin with https://, or with http://localhost on a gateway in development'],
  [
    'http://192.168.0.10:3000/',
    'must begin with https://, or with http://localhost on a gateway in development',
  ],
  ['ftp://localhost/', 'must begin with https://, or with http://localhost on a gateway in development'],
  ['http://localhost:22/', 'must have port 443 or a port from 1024'],
  [
    'https://192.168.0.10/',
    'the host must be publicly reachable; the operator can allow it with WEBHOOK_PRIVATE_HOSTS',
  ],
])('refuses %s in development too', (url, fault) => {
  expect(urlFault(url, DEVELOPMENT)).toBe(fault)
})
