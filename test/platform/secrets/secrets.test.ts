import { randomBytes } from 'node:crypto'
import { parseOptions } from '@node-rs/argon2'
import { SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/core/errors.js'
import { makeApiKey } from '../../../src/platform/secrets/api-key-format.js'
import {
  argon2Passwords,
  createAccessTokens,
  DUMMY_HASH,
  keyDigest,
  keyedHash,
  parseTokenKeys,
} from '../../../src/platform/secrets/secrets.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const ACCOUNT = '11111111-2222-4333-8444-555555555555'
const secretOf = (fill: number) => Buffer.alloc(32, fill)
const keyText = (kid: string, fill: number) => `${kid}:${secretOf(fill).toString('base64url')}`
const tokensWith = (...texts: string[]) => createAccessTokens(parseTokenKeys(texts.join(',')))
const secondsLater = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)

describe('keyDigest', () => {
  it('is SHA-256 of the key', () => {
    // Computed with Python's hashlib.
    const key = makeApiKey('live', (size) => new Uint8Array(size))
    expect(keyDigest(key).toString('hex')).toBe(
      '27cb7215c5853075e4027f5ead6d2623d0c73c2beaf95046acab64b314ba5fc7',
    )
  })

  it('differs by key', () => {
    const [one, other] = [makeApiKey('live', randomBytes), makeApiKey('live', randomBytes)]
    expect(keyDigest(one).equals(keyDigest(other))).toBe(false)
  })
})

describe('keyedHash', () => {
  it('hides its input and needs the pepper', () => {
    expect(keyedHash('a', 'ada@example.org')).toMatch(/^[0-9a-f]{64}$/)
    expect(keyedHash('a', 'ada@example.org')).not.toBe(keyedHash('b', 'ada@example.org'))
  })
})

describe('argon2Passwords', () => {
  const SALT = new Uint8Array(16).fill(1)

  it('hashes with argon2id, 19 MiB, 2 passes, 1 lane; the salt decides', async () => {
    const other = new Uint8Array(16).fill(2)
    const [first, again, second] = await Promise.all(
      [SALT, SALT, other].map((salt) => argon2Passwords.hash('same', salt)),
    )
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$AQEBAQEBAQEBAQEBAQEBAQ\$/)
    expect(again).toBe(first)
    expect(second).not.toBe(first)
  })

  it('accepts the password in any Unicode form, and no other', async () => {
    const hashed = await argon2Passwords.hash('caf\u00e9 au lait', SALT)
    expect(await argon2Passwords.verify(hashed, 'cafe\u0301 au lait')).toBe(true)
    expect(await argon2Passwords.verify(hashed, 'cafe au lait')).toBe(false)
  })

  it('checks an unknown account against a hash of the same cost, and refuses it', async () => {
    const real = parseOptions(await argon2Passwords.hash('anything', SALT))
    expect(parseOptions(DUMMY_HASH)).toEqual(real)
    expect(await argon2Passwords.verify(null, 'anything')).toBe(false)
  })
})

describe('parseTokenKeys', () => {
  it('reads keys in order', () => {
    const keys = parseTokenKeys(`${keyText('new', 1)}, ${keyText('old', 2)}`)
    expect(keys.map(({ kid, secret }) => [kid, Buffer.from(secret)])).toEqual([
      ['new', secretOf(1)],
      ['old', secretOf(2)],
    ])
  })

  it.each([
    ['nothing', '', 'not of the form'],
    ['no kid', secretOf(1).toString('base64url'), 'not of the form'],
    ['a secret under 32 bytes', `k:${Buffer.alloc(31).toString('base64url')}`, 'fewer than 32 bytes'],
    ['a trailing comma', `${keyText('a', 1)},`, 'not of the form'],
    ['one kid twice', `${keyText('a', 1)},${keyText('a', 2)}`, 'same kid'],
  ])('refuses %s without showing the secret', (_, text, reason) => {
    let message = ''
    try {
      parseTokenKeys(text)
    } catch (error) {
      message = String(error)
    }
    expect(message).toContain(reason)
    expect(message).not.toContain(secretOf(1).toString('base64url'))
  })
})

const FOREIGN = 'is not an access token of this gateway; log in again'

/** What the refusal says about the token. */
const problemOf = (verified: Promise<string>) =>
  verified.then(
    () => 'none',
    (error: unknown) =>
      error instanceof ApiError && error.code === 'unauthorized' ? error.details[0]?.message : error,
  )

describe('access tokens', () => {
  const tokens = tokensWith(keyText('a', 1))

  it('name the account for exactly 3600 seconds', async () => {
    const token = await tokens.sign(ACCOUNT, NOW)
    expect(await tokens.verify(token, NOW)).toBe(ACCOUNT)
    expect(await tokens.verify(token, secondsLater(3_599))).toBe(ACCOUNT)
    expect(await problemOf(tokens.verify(token, secondsLater(3_600)))).toBe(
      `has an access token that expired at ${secondsLater(3_600).toISOString()}; log in again`,
    )
  })

  it('carry kid, subject, issuer, audience, issue and end, and nothing personal', async () => {
    const [header = '', payload = ''] = (await tokens.sign(ACCOUNT, NOW)).split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    expect(read(header)).toEqual({ alg: 'HS256', kid: 'a', typ: 'JWT' })
    expect(read(payload)).toEqual({
      sub: ACCOUNT,
      iss: 'market-data-gateway',
      aud: 'market-data-gateway/api',
      iat: 1795176000,
      exp: 1795179600,
    })
  })

  it('of a former key are still valid, those of a removed key are not', async () => {
    const token = await tokens.sign(ACCOUNT, NOW)
    expect(await tokensWith(keyText('b', 2), keyText('a', 1)).verify(token, NOW)).toBe(ACCOUNT)
    expect(await problemOf(tokensWith(keyText('b', 2)).verify(token, NOW))).toBe(FOREIGN)
    expect(await problemOf(tokensWith(keyText('a', 3)).verify(token, NOW))).toBe(FOREIGN)
  })

  const claims = {
    sub: ACCOUNT,
    iss: 'market-data-gateway',
    aud: 'market-data-gateway/api',
    iat: 1795176000,
    exp: 1795179600,
  }
  const signed = (
    payload: Record<string, unknown>,
    header: { alg: string; kid?: string } = { alg: 'HS256', kid: 'a' },
  ) =>
    new SignJWT(payload)
      .setProtectedHeader(header)
      .sign(header.alg === 'HS512' ? Buffer.alloc(64, 1) : secretOf(1))

  const expired = () => signed({ ...claims, exp: claims.iat - 1 })

  it.each<[string, () => Promise<string>]>([
    ['no signature', async () => new UnsecuredJWT(claims).encode()],
    ['another algorithm', () => signed(claims, { alg: 'HS512', kid: 'a' })],
    ['no kid', () => signed(claims, { alg: 'HS256' })],
    ['an unknown kid', () => signed(claims, { alg: 'HS256', kid: 'z' })],
    ['another issuer', () => signed({ ...claims, iss: 'someone' })],
    ['another audience', () => signed({ ...claims, aud: 'something' })],
    ['a forged signature of an expired token', async () => `${await expired()}x`],
    ['no end', () => signed({ ...claims, exp: undefined })],
    ['no subject', () => signed({ ...claims, sub: undefined })],
    ['a number for a subject', () => signed({ ...claims, sub: 7 })],
    ['a list for a subject', () => signed({ ...claims, sub: [ACCOUNT] })],
    ['a subject that is no account id', () => signed({ ...claims, sub: "' or true" })],
    ['no shape of a token', async () => 'a.b.c'],
    ['empty text', async () => ''],
  ])('are refused with %s', async (_, make) => {
    expect(await problemOf(tokens.verify(await make(), NOW))).toBe(FOREIGN)
  })

  it('are accepted before the change that makes them refused', async () => {
    expect(await tokens.verify(await signed(claims), NOW)).toBe(ACCOUNT)
  })
})
