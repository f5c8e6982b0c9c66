import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { acceptedPeppers, pepperId } from './peppers.js'

/** The signed parts of a message: `{id}.{timestamp}.{body}` (Standard Webhooks 1.0). */
export interface SignedMessage {
  readonly id: string
  /** When the message is sent. Receivers reject old messages. */
  readonly at: Date
  readonly body: string
}

/** Seals and opens the secrets of webhooks. A seed is a stored secret: encrypted, with the id of its pepper. */
export interface WebhookSignatures {
  /** Creates the seed of a new secret. */
  newSeed(): Buffer
  /** The secret in the form of Standard Webhooks: `whsec_` and the key in base64. */
  secretOf(seed: Uint8Array): string
  /** Headers of an attempt, with one signature per seed. */
  headersOf(message: SignedMessage, seeds: readonly Uint8Array[]): Readonly<Record<string, string>>
  /** A seed of the same secret under the current pepper; null if this one is, or if no accepted pepper opens it. */
  reseal(seed: Uint8Array): Buffer | null
}

const KEY_BYTES = 32
const ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Id of the pepper, and the key encrypted under it. */
const SEALED_BYTES = ID_BYTES + NONCE_BYTES + KEY_BYTES + TAG_BYTES

const CIPHER = 'aes-256-gcm'

/**
 * The database contains each secret only encrypted (AES-256-GCM) under the pepper. A seed that no accepted pepper opens gives
 * another secret, so that receivers refuse its events.
 */
export function createWebhookSignatures(pepper: string, previous: string | null = null): WebhookSignatures {
  const byId = new Map(acceptedPeppers(pepper, previous).map((accepted) => [pepperId(accepted), accepted]))
  const ownerOf = (seed: Uint8Array) => byId.get(Buffer.from(seed.subarray(0, ID_BYTES)).toString('hex'))
  const open = (seed: Uint8Array): Buffer | null => {
    const owner = ownerOf(seed)
    return owner === undefined || seed.length !== SEALED_BYTES ? null : unseal(owner, seed)
  }
  const keyOf = (seed: Uint8Array) => open(seed) ?? derive(pepper, 'market-data-gateway webhooks', seed)
  return {
    newSeed: () => seal(pepper, randomBytes(KEY_BYTES)),
    secretOf: (seed) => `whsec_${keyOf(seed).toString('base64')}`,
    reseal: (seed) => {
      const key = ownerOf(seed) === pepper ? null : open(seed)
      return key && seal(pepper, key)
    },
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
