import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { networksOf, normalizeAddress } from './client-address.js'

/** Number of cached hashes. */
const MAX_KNOWN_ADDRESSES = 10_000

/** No spelling of an address is longer. A header may contain any text; longer texts are not cached. */
const MAX_ADDRESS_LENGTH = 64

/** Together 132 bits. A network has few bits of its own; two that share them share a quota. */
const HASH_LENGTHS = { network: 7, address: 8 } as const

/** Returns the keyed hash of a client's address, from X-Forwarded-For (only behind a trusted proxy) or the connection. */
export type HashAddress = (forwardedFor: string | undefined, remoteAddress: string | undefined) => string

/**
 * Throttles and the audit use addresses as keyed hashes only: `network.smaller network.address`, so that what is counted by
 * address can be counted by network too (`visitorNetworks`).
 */
export function createAddressHasher(pepper: string, trustProxy: boolean): HashAddress {
  const known = new LRUCache<string, string>({ max: MAX_KNOWN_ADDRESSES })
  return (forwardedFor, remoteAddress) => {
    const forwarded = trustProxy ? forwardedFor?.split(',').at(-1)?.trim() : undefined
    const address = forwarded || remoteAddress || ''
    const found = known.get(address)
    if (found !== undefined) return found
    const client = normalizeAddress(address)
    const hashed = (text: string, length: number) =>
      createHmac('sha256', pepper).update(text).digest('base64url').slice(0, length)
    const networks = networksOf(client).map((network) => hashed(network, HASH_LENGTHS.network))
    const hash = [...networks, hashed(client, HASH_LENGTHS.address)].join('.')
    if (address.length <= MAX_ADDRESS_LENGTH) known.set(address, hash)
    return hash
  }
}
