import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { normalizeAddress } from './client-address.js'

/** Addresses whose hash is remembered; the rest is hashed again. */
const MAX_KNOWN_ADDRESSES = 10_000

/** Longer than any spelling of an address; a header may say anything, and is not remembered. */
const MAX_ADDRESS_LENGTH = 64

const HASH_LENGTH = 22

/** Keyed hash of a client's address, from X-Forwarded-For (used only behind a trusted proxy) and the connection. */
export type HashAddress = (forwardedFor: string | undefined, remoteAddress: string | undefined) => string

/** Addresses are used for throttles and the audit, as a keyed hash only. */
export function createAddressHasher(pepper: string, trustProxy: boolean): HashAddress {
  const known = new LRUCache<string, string>({ max: MAX_KNOWN_ADDRESSES })
  return (forwardedFor, remoteAddress) => {
    const forwarded = trustProxy ? forwardedFor?.split(',').at(-1)?.trim() : undefined
    const address = forwarded || remoteAddress || ''
    const found = known.get(address)
    if (found !== undefined) return found
    const hash = createHmac('sha256', pepper)
      .update(normalizeAddress(address))
      .digest('base64url')
      .slice(0, HASH_LENGTH)
    if (address.length <= MAX_ADDRESS_LENGTH) known.set(address, hash)
    return hash
  }
}
