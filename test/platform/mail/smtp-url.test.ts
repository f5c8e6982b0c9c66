import { describe, expect, it } from 'vitest'
import { isMailAddress, parseMailbox } from '../../../src/platform/mail/mail-address.js'
import { parseSmtpUrl } from '../../../src/platform/mail/smtp-url.js'

describe('the address of a mail server', () => {
  it.each([
    ['smtps://ada:p%40ss@mail.example', 'mail.example', 465, 'tls', { user: 'ada', pass: 'p@ss' }],
    ['smtp://mail.example', 'mail.example', 587, 'starttls', null],
    [
      'smtp://ada:secret@mail.example:2525',
      'mail.example',
      2525,
      'starttls',
      { user: 'ada', pass: 'secret' },
    ],
    ['smtp://relay.internal?starttls=off', 'relay.internal', 25, 'none', null],
    ['smtp://127.0.0.1:1025', '127.0.0.1', 1025, 'none', null],
    ['smtp://[::1]:1025', '::1', 1025, 'none', null],
    ['smtp://ada:secret@localhost', 'localhost', 25, 'none', { user: 'ada', pass: 'secret' }],
  ])('%s is read', (url, host, port, encryption, credentials) => {
    expect(parseSmtpUrl(url)).toEqual({ host, port, encryption, credentials })
  })

  it.each([
    ['http://mail.example', 'must be smtps://user:password@host or smtp://user:password@host:587'],
    ['smtp:', 'must be smtps://user:password@host or smtp://user:password@host:587'],
    ['smtp://mail.example/path', 'must have no path and no fragment'],
    ['smtps://mail.example?starttls=off', 'smtps must have no parameters'],
    [
      'smtp://mail.example?tls.rejectUnauthorized=false',
      'has an unknown parameter; only starttls=off is allowed',
    ],
    ['smtp://mail.example?starttls=no', 'has an unknown parameter; only starttls=off is allowed'],
    ['smtp://ada@mail.example', 'must have both a user and a password, or none'],
    [
      'smtp://ada:secret@mail.example?starttls=off',
      'has a password, so it must be smtps or not have starttls=off',
    ],
    ['smtp://ada:%zz@mail.example', 'user and password must be percent-encoded'],
  ])('%s is refused, without being repeated', (url, message) => {
    expect(() => parseSmtpUrl(url)).toThrow(new Error(message))
  })
})

describe('an address of a mail', () => {
  it.each(['ada@example.org', "o'neil+news@sub.example.org", 'ädä@exämple.org'])('may be %s', (text) => {
    expect(isMailAddress(text)).toBe(true)
  })

  it.each([
    ...[
      'ada@example.org\r\nBcc: all@example.org',
      'ada@example.org>',
      'a b@example.org',
      '<ada@example.org>',
    ],
    ...['ada', 'ada@', '@example.org', 'ada@-', '"ada"@example.org', 'ada@example.org,bob@example.org'],
    `${'a'.repeat(65)}@example.org`,
  ])('may not be %j', (text) => {
    expect(isMailAddress(text)).toBe(false)
  })

  it('is read with the name beside it', () => {
    expect(parseMailbox('Market Data <news@example.org>')).toEqual({
      name: 'Market Data',
      address: 'news@example.org',
    })
    expect(parseMailbox('"Data, Inc." <news@example.org>')).toEqual({
      name: 'Data, Inc.',
      address: 'news@example.org',
    })
    expect(parseMailbox('news@example.org')).toEqual({ name: '', address: 'news@example.org' })
    for (const wrong of ['news', 'A\r\nBcc: b@c.d <news@example.org>', 'A <b> <c@d.e>', '']) {
      expect(parseMailbox(wrong)).toBeNull()
    }
  })
})
