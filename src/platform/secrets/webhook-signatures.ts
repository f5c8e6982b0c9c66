import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { acceptedPeppers, NO_OVERLAP, type PepperOverlap, pepperId } from './peppers.js'

/** The signed parts of a message: `{id}.{timestamp}.{body}` (Standard Webhooks 1.0). */
export interface SignedMessage {
  readonly id: string
  /** When the message is sent. Receivers reject old messages. */
  readonly at: Date
  readonly body: string
}

/** Derives the secrets of webhooks from stored seeds. */
export interface WebhookSignatures {
  /** Creates a seed for a new secret. */
  newSeed(): Buffer
  /** The secret in the form of Standard Webhooks: `whsec_` and the key in base64. */
  secretOf(seed: Uint8Array): string
  /** Headers of an attempt, with one signature per seed. */
  headersOf(message: SignedMessage, seeds: readonly Uint8Array[]): Readonly<Record<string, string>>
  /** A seed of the same secret that needs the current pepper only; null if this one does. */
  reseal(seed: Uint8Array): Buffer | null
}

const KEY_BYTES = 32
const ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Id of the pepper and random bytes. Seeds of earlier versions are random bytes only. */
const SEED_BYTES = ID_BYTES + KEY_BYTES
/** Id of the pepper, and the key encrypted under it. */
const SEALED_BYTES = ID_BYTES + NONCE_BYTES + KEY_BYTES + TAG_BYTES

const CIPHER = 'aes-256-gcm'

/**
 * Derives each secret from the pepper and a random seed by HKDF (RFC 5869). The database contains only the seed, which is
 * useless without the pepper. A seed names its pepper; one that does not, or names another than the accepted ones, belongs to
 * the oldest accepted pepper. A key whose pepper was replaced is stored encrypted (AES-256-GCM) under the current one, so that
 * receivers keep their secrets.
 */
export function createWebhookSignatures(
  pepper: string,
  overlap: PepperOverlap = NO_OVERLAP,
): WebhookSignatures {
  const byId = new Map(acceptedPeppers(pepper, overlap).map((accepted) => [pepperId(accepted), accepted]))
  const currentId = Buffer.from(pepperId(pepper), 'hex')
  const isCurrent = (seed: Uint8Array) =>
    [SEED_BYTES, SEALED_BYTES].includes(seed.length) && currentId.equals(seed.subarray(0, ID_BYTES))
  const keyOf = (seed: Uint8Array): Buffer => {
    const owner = byId.get(idOf(seed)) ?? overlap.previous ?? pepper
    const sealed = seed.length === SEALED_BYTES ? unseal(owner, seed) : null
    return sealed ?? derive(owner, 'market-data-gateway webhooks', seed)
  }
  return {
    newSeed: () => Buffer.concat([currentId, randomBytes(KEY_BYTES)]),
    secretOf: (seed) => `whsec_${keyOf(seed).toString('base64')}`,
    reseal: (seed) => (isCurrent(seed) ? null : seal(pepper, keyOf(seed))),
    headersOf: ({ id, at, body }, seeds) => {
      const timestamp = String(Math.floor(at.getTime() / 1_000))
      const signed = `${id}.${timestamp}.${body}`
      const signatures = seeds.map(
        (seed) => `v1,${createHmac('sha256', keyOf(seed)).update(signed).digest('base64')}`,
      )
      return {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures.join(' '),
      }
    },
  }
}

/** The id of the pepper that a seed names; empty for a seed of an earlier version. */
function idOf(seed: Uint8Array): string {
  if (seed.length !== SEED_BYTES && seed.length !== SEALED_BYTES) return ''
  return Buffer.from(seed.subarray(0, ID_BYTES)).toString('hex')
}

function derive(pepper: string, purpose: string, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, salt, purpose, KEY_BYTES))
}

function sealingKey(pepper: string): Buffer {
  return derive(pepper, 'market-data-gateway sealed webhooks', new Uint8Array())
}

function seal(pepper: string, key: Buffer): Buffer {
  const id = Buffer.from(pepperId(pepper), 'hex')
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, sealingKey(pepper), nonce).setAAD(id)
  return Buffer.concat([id, nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()])
}

/** Null if the key was sealed with another pepper, or changed. */
function unseal(pepper: string, sealed: Uint8Array): Buffer | null {
  const bytes = Buffer.from(sealed)
  const [nonceEnd, keyEnd] = [ID_BYTES + NONCE_BYTES, SEALED_BYTES - TAG_BYTES]
  const decipher = createDecipheriv(CIPHER, sealingKey(pepper), bytes.subarray(ID_BYTES, nonceEnd), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(bytes.subarray(0, ID_BYTES)).setAuthTag(bytes.subarray(keyEnd))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceEnd, keyEnd)), decipher.final()])
  } catch {
    return null
  }
}
