import { createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** What a message is signed as: Standard Webhooks 1.0, `{id}.{timestamp}.{body}`. */
export interface SignedMessage {
  readonly id: string
  /** When it is sent: a receiver refuses what is too old. */
  readonly at: Date
  readonly body: string
}

/** Secrets of webhooks, made of seeds that are stored. */
export interface WebhookSignatures {
  /** A seed for a new secret. */
  newSeed(): Buffer
  /** `whsec_` and the key in base64, as libraries of Standard Webhooks take it. */
  secretOf(seed: Uint8Array): string
  /** The headers of an attempt: one signature for each seed. */
  headersOf(message: SignedMessage, seeds: readonly Uint8Array[]): Readonly<Record<string, string>>
}

const KEY_BYTES = 32

/**
 * Makes each secret of the pepper and a random seed by HKDF (RFC 5869): the database holds the seed alone, which signs nothing by
 * itself. Secrets change when the pepper does.
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
