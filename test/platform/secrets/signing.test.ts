import { generateKeyPairSync } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { calculateJwkThumbprint, importJWK, type JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import {
  createSigner,
  isValidSignature,
  type PublicKey,
  parseSigningKey,
  publicKeySet,
} from '../../../src/platform/secrets/signing.js'

/** RFC 8037 appendix A: key, thumbprint and signature. */
const SEED = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
const PUBLIC = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const SIGNED = 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc'
const SIGNATURE = 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg'

const key = parseSigningKey(SEED)
const publicKeyOf = (signing = key): PublicKey => {
  const [first] = publicKeySet([signing]).keys
  if (first === undefined) throw new Error('no key')
  return first
}

describe('a signing key', () => {
  it('gives public key, thumbprint and signature of RFC 8037', () => {
    expect(publicKeyOf()).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: PUBLIC,
      kid: THUMBPRINT,
      use: 'sig',
      alg: 'EdDSA',
    })
    expect(createSigner(key).keyId).toBe(THUMBPRINT)
    expect(createSigner(key).sign(SIGNED)).toBe(SIGNATURE)
  })

  it('is read from PKCS #8 PEM too, with line feeds or with \\n in their place', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const read = parseSigningKey(pem)
    expect(parseSigningKey(pem.replaceAll('\n', '\\n')).keyId).toBe(read.keyId)
    const jwk: JWK = { ...publicKeyOf(read) }
    expect(read.keyId).toBe(await calculateJwkThumbprint(jwk))
    await expect(importJWK(jwk, 'EdDSA')).resolves.toBeDefined()
  })

  it('is refused without being quoted if it is of another kind or invalid', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const rsa = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    expect(() => parseSigningKey(rsa)).toThrow('not an Ed25519 key')
    expect(() => parseSigningKey('not-a-key-at-all')).toThrow(/^neither a base64url seed of 32 bytes/)
    expect(() => loadConfig({ SIGNING_KEY: 'not-a-key-at-all' })).toThrow(
      /SIGNING_KEY: must be an Ed25519 private key: its seed/,
    )
  })

  it('comes from the environment, under its thumbprint', () => {
    // The directory of a start in this checkout may have a key.
    const env = { DATA_DIR: join(tmpdir(), 'mdg-no-data') }
    expect(loadConfig(env).signingKey).toBeNull()
    expect(loadConfig({ ...env, SIGNING_KEY: SEED }).signingKey?.keyId).toBe(THUMBPRINT)
  })
})

describe('a signature', () => {
  it('is valid for exactly one text, by one key, in one spelling', () => {
    expect(isValidSignature(SIGNED, SIGNATURE, publicKeyOf())).toBe(true)
    expect(isValidSignature(`${SIGNED} `, SIGNATURE, publicKeyOf())).toBe(false)
    // g and h end the same 64 bytes in base64; only one of them is how they are written.
    expect(isValidSignature(SIGNED, SIGNATURE.replace(/g$/, 'h'), publicKeyOf())).toBe(false)
    expect(isValidSignature(SIGNED, `${SIGNATURE}==`, publicKeyOf())).toBe(false)
    expect(isValidSignature(SIGNED, '', publicKeyOf())).toBe(false)
    const other = parseSigningKey(Buffer.alloc(32, 7).toString('base64url'))
    expect(isValidSignature(SIGNED, SIGNATURE, publicKeyOf(other))).toBe(false)
  })
})
