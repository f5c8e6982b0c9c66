import { createHmac } from 'node:crypto'

/** 128 bits tell secrets apart. */
const FINGERPRINT_CHARACTERS = 32
/** 64 bits tell the few peppers of an installation apart. */
const ID_CHARACTERS = 16

/** The HMAC of a fixed text with the secret, 32 hex digits; a random secret cannot be recovered from it. */
export function secretFingerprint(name: string, secret: string | Uint8Array): string {
  const digest = createHmac('sha256', secret).update(`market-data-gateway ${name}`).digest('hex')
  return digest.slice(0, FINGERPRINT_CHARACTERS)
}

/** Names a pepper in the database without revealing it: 16 hex digits. */
export function pepperId(pepper: string): string {
  return secretFingerprint('KEY_PEPPER', pepper).slice(0, ID_CHARACTERS)
}

/** All peppers that this node accepts; the current one first. */
export function acceptedPeppers(current: string, previous: string | null): readonly [string, ...string[]] {
  return previous === null ? [current] : [current, previous]
}
