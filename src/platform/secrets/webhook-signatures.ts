import { createHmac, hkdfSync, randomBytes } from 'node:crypto'

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
}

const KEY_BYTES = 32

/**
 * Derives each secret from the pepper and a random seed by HKDF (RFC 5869). The database contains only the seed, which is
 * useless without the pepper. Secrets change when the pepper changes.
 */
export function createWebhookSignatures(pepper: string): WebhookSignatures {
  const keyOf = (seed: Uint8Array) =>
    Buffer.from(hkdfSync('sha256', pepper, seed, 'market-data-gateway webhooks', KEY_BYTES))
  return {
    newSeed: () => randomBytes(KEY_BYTES),
    secretOf: (seed) => `whsec_${keyOf(seed).toString('base64')}`,
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
