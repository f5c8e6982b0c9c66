import { createHmac } from 'node:crypto'

/** The second pepper that a node accepts while `KEY_PEPPER` is rotated; at most one is set. */
export interface PepperOverlap {
  /** `KEY_PEPPER_NEXT`: accepted, because other nodes use it already. Nothing new is made with it here. */
  readonly next: string | null
  /** `KEY_PEPPER_PREVIOUS`: accepted; what was made with it moves to the current pepper. */
  readonly previous: string | null
}

export const NO_OVERLAP: PepperOverlap = { next: null, previous: null }

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
export function acceptedPeppers(
  current: string,
  { next, previous }: PepperOverlap,
): readonly [string, ...string[]] {
  return [current, ...[next, previous].filter((pepper) => pepper !== null)]
}
