import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** RFC 8410: a PKCS #8 Ed25519 private key consists of these bytes and the seed. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

const SEED = /^[\w-]{43}$/

/** An Ed25519 public key as a JSON Web Key (RFC 8037, RFC 7517). */
export interface PublicKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  /** The 32 bytes of the key, base64url. */
  readonly x: string
  readonly kid: string
  readonly use: 'sig'
  readonly alg: 'EdDSA'
}

/** A JSON Web Key Set (RFC 7517 §5). */
export interface PublicKeySet {
  readonly keys: readonly PublicKey[]
}

export interface SigningKey {
  readonly keyId: string
  readonly privateKey: KeyObject
  /** The 32 bytes of the public key, base64url. */
  readonly x: string
}

/**
 * Parses an Ed25519 private key: the 32-byte seed as base64url, or PKCS #8 PEM, in which `\n` may replace line feeds. Its
 * key id is the RFC 7638 thumbprint. Throws an error with the reason, never the key.
 */
export function parseSigningKey(text: string): SigningKey {
  const privateKey = readPrivateKey(text.trim())
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (privateKey.asymmetricKeyType !== 'ed25519' || x === undefined) throw new Error('not an Ed25519 key')
  return { keyId: thumbprint(x), privateKey, x }
}

function readPrivateKey(text: string): KeyObject {
  if (SEED.test(text)) {
    const der = Buffer.concat([PKCS8_PREFIX, Buffer.from(text, 'base64url')])
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  }
  try {
    return createPrivateKey(text.replaceAll('\\n', '\n'))
  } catch {
    // The library's own message may quote the key.
    throw new Error('neither a base64url seed of 32 bytes nor a PKCS #8 PEM')
  }
}

/** RFC 7638 §3: SHA-256 of the required members, sorted by name, as base64url. */
function thumbprint(x: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
}

/** Signs texts with a key: Ed25519 (RFC 8032) over the UTF-8 bytes, base64url. */
export interface Signer {
  readonly keyId: string
  sign(text: string): string
}

export function createSigner({ keyId, privateKey }: SigningKey): Signer {
  return { keyId, sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url') }
}

/** The public keys that clients need to verify signatures. */
export function publicKeySet(keys: readonly Pick<SigningKey, 'keyId' | 'x'>[]): PublicKeySet {
  return {
    keys: keys.map(({ keyId, x }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x,
      kid: keyId,
      use: 'sig',
      alg: 'EdDSA',
    })),
  }
}

/** Whether the signature is valid for the text. It must have exactly the form that `createSigner` writes. */
export function isValidSignature(text: string, signature: string, { kty, crv, x }: PublicKey): boolean {
  const bytes = Buffer.from(signature, 'base64url')
  // Several last characters of base64 can mean the same bytes, so the texts are compared.
  if (bytes.toString('base64url') !== signature) return false
  const publicKey = createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
  return verify(null, Buffer.from(text), publicKey, bytes)
}
