import { createHash, createHmac } from 'node:crypto'
import { hash, type Options, verify } from '@node-rs/argon2'
import { errors, type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose'
import { unauthorized } from '../../core/errors.js'
import { parseUuid } from '../../core/identifiers.js'
import type { ApiKeyText } from './api-key-format.js'

/** SHA-256 (32 bytes) of an API key. Only this is stored. A key has 178 random bits, so it needs no secret and no slow hash. */
export function keyDigest(key: ApiKeyText): Buffer {
  return createHash('sha256').update(key).digest()
}

/** HMAC-SHA-256 as hex of personal data such as an e-mail, so that it can be counted but not recovered. */
export function keyedHash(pepper: string, text: string): string {
  return createHmac('sha256', pepper).update(text).digest('hex')
}

/** Hashes and verifies passwords. An interface, so that a test can count the calls. */
export interface Passwords {
  /** Argon2id as PHC text. Equal passwords and salts (16 bytes) have equal results. */
  hash(password: string, salt: Uint8Array): Promise<string>
  /** Always runs one argon2 verification, so that its time tells nothing. Returns false for null (an unknown account). */
  verify(hashed: string | null, password: string): Promise<boolean>
}

// OWASP password storage cheat sheet, argon2id minimum: 19 MiB, 2 passes, 1 lane. Argon2id is the library's default.
const ARGON2ID: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The hash of a discarded random password, with the parameters above. Passwords for unknown accounts are compared with it. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$Q/SWuL1h3ZAdKtyLd/AbLA$1QNKBOz0jpTKDC/Hrz+wVU6JpM/XUGXa/kMiiUZetxw'

export const argon2Passwords: Passwords = {
  hash: (password, salt) => hash(password.normalize('NFKC'), { ...ARGON2ID, salt }),
  verify: async (hashed, password) => {
    const matches = await verify(hashed ?? DUMMY_HASH, password.normalize('NFKC'))
    return matches && hashed !== null
  },
}

export interface TokenKey {
  readonly kid: string
  readonly secret: Uint8Array
}

/** A key shorter than its hash weakens HS256 (RFC 7518 §3.2). */
const MIN_SECRET_BYTES = 32

/** Parses `kid:base64url[,kid:base64url…]`; the first signs, all verify. Throws an error with the reason, never the secret. */
export function parseTokenKeys(text: string): readonly [TokenKey, ...TokenKey[]] {
  const [first, ...others] = text.split(',').map(parseTokenKey)
  if (!first) throw new Error('there is no token key')
  const kids = new Set([first, ...others].map((key) => key.kid))
  if (kids.size <= others.length) throw new Error('two token keys have the same kid')
  return [first, ...others]
}

function parseTokenKey(text: string): TokenKey {
  const [, kid, encoded] = /^([\w.-]{1,64}):([\w-]+)$/.exec(text.trim()) ?? []
  if (!kid || !encoded) throw new Error('a token key is not of the form kid:base64url')
  const secret = Buffer.from(encoded, 'base64url')
  if (secret.length < MIN_SECRET_BYTES)
    throw new Error(`token key ${kid} has fewer than ${MIN_SECRET_BYTES} bytes`)
  return { kid, secret }
}

/** Lifetime of an access token in seconds. */
export const TOKEN_SECONDS = 3_600

const ISSUER = 'market-data-gateway'
const AUDIENCE = 'market-data-gateway/api'
const ALGORITHM = 'HS256'

/** Signs and verifies access tokens: JWT with HS256 only, `sub` is the account id, `kid` names the key. */
export interface AccessTokens {
  sign(accountId: string, now: Date): Promise<string>
  /** Returns the account id. Throws 401 for a token that is malformed, forged, of another issuer or not valid at `now`. */
  verify(token: string, now: Date): Promise<string>
}

const FOREIGN_TOKEN = 'is not an access token of this gateway; log in again'

function expiredText(exp: number | undefined): string {
  const at = exp === undefined ? '' : ` at ${new Date(exp * 1_000).toISOString()}`
  return `has an access token that expired${at}; log in again`
}

export function createAccessTokens(keys: readonly [TokenKey, ...TokenKey[]]): AccessTokens {
  const [signing] = keys
  const secrets = new Map(keys.map((key) => [key.kid, key.secret]))
  const secretOf: JWTVerifyGetKey<Uint8Array> = ({ kid }) => {
    const secret = secrets.get(kid ?? '')
    if (!secret) throw new errors.JWKSNoMatchingKey()
    return secret
  }
  return {
    sign: (accountId, now) => {
      const issuedAt = Math.floor(now.getTime() / 1_000)
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, kid: signing.kid, typ: 'JWT' })
        .setSubject(accountId)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + TOKEN_SECONDS)
        .sign(signing.secret)
    },
    verify: async (token, now) => {
      try {
        const { payload } = await jwtVerify(token, secretOf, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          requiredClaims: ['sub', 'iat', 'exp'],
          currentDate: now,
        })
        const subject: unknown = payload.sub // jose checks that it is there, not what it is
        const accountId = typeof subject === 'string' ? parseUuid(subject) : null
        if (accountId === null) throw unauthorized('Authorization', FOREIGN_TOKEN)
        return accountId
      } catch (error) {
        // jose checks the signature before the claims: a forged token learns nothing about its expiry.
        if (error instanceof errors.JWTExpired)
          throw unauthorized('Authorization', expiredText(error.payload.exp))
        if (error instanceof errors.JOSEError) throw unauthorized('Authorization', FOREIGN_TOKEN)
        throw error
      }
    },
  }
}
