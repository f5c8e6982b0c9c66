import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { normalizeAddress } from './client-address.js'

/** Number of cached hashes. */
const MAX_KNOWN_ADDRESSES = 10_000

/** No spelling of an address is longer. A header may contain any text; longer texts are not cached. */
const MAX_ADDRESS_LENGTH = 64

const HASH_LENGTH = 22

/** Returns the keyed hash of a client's address, from X-Forwarded-For (only behind a trusted proxy) or the connection. */
export type HashAddress = (forwardedFor: string | undefined, remoteAddress: string | undefined) => string

/** Throttles and the audit use addresses as keyed hashes only. */
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
