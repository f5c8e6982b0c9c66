import { LRUCache } from 'lru-cache'
import type { DatasetStates } from '../database/data-version.js'
import {
  type CachedResponse,
  type ComputedResponse,
  cachedResponse,
  isCurrent,
  isUnexpired,
} from './cached-response.js'

/** Approximate memory of a response besides its bytes: key, headers and entries of maps. */
const OVERHEAD_BYTES = 1_024

/** A cache that nodes share. A failure is a miss, never an error. */
export interface SharedResponses {
  get(key: string): Promise<ComputedResponse | null>
  set(key: string, made: ComputedResponse): void
  close(): Promise<void>
}

export interface ResponseCacheOptions {
  /** Memory for responses in bytes; 0 disables the cache. */
  readonly maxBytes: number
  readonly shared: SharedResponses | null
}

/**
 * Responses by key; the least recently used is dropped first. A response is a hit only while the versions that it was read
 * from are current, so nothing needs to be invalidated; a newer response replaces it.
 */
export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse> | null
  readonly #shared: SharedResponses | null
  /** The states in which a response was last found to be current. */
  readonly #currentIn = new WeakMap<CachedResponse, DatasetStates>()

  constructor({ maxBytes, shared }: ResponseCacheOptions) {
    this.#shared = maxBytes > 0 ? shared : null
    this.#responses =
      maxBytes > 0
        ? new LRUCache({
            maxSize: maxBytes,
            sizeCalculation: ({ body }, key) => body.size + 2 * key.length + OVERHEAD_BYTES,
          })
        : null
  }

  /** Whether the cache is on. */
  get isOn(): boolean {
    return this.#responses !== null
  }

  /** A hit in the memory of this node. */
  get(key: string, states: DatasetStates, now: Date): CachedResponse | null {
    const cached = this.#responses?.get(key)
    return cached !== undefined && this.#isHit(cached, states, now) ? cached : null
  }

  /** A hit in the shared cache, copied into this node's memory; null without a shared cache. */
  async fetch(key: string, states: DatasetStates, now: Date): Promise<CachedResponse | null> {
    const stored = (await this.#shared?.get(key)) ?? null
    if (stored === null || !isCurrent(stored, states, now)) return null
    const cached = cachedResponse(stored)
    if (cached !== null) this.#responses?.set(key, cached)
    return cached
  }

  /** The states are the same object until they are read again. */
  #isHit(cached: CachedResponse, states: DatasetStates, now: Date): boolean {
    if (this.#currentIn.get(cached) === states) return isUnexpired(cached, now)
    if (!isCurrent(cached, states, now)) return false
    this.#currentIn.set(cached, states)
    return true
  }

  /** Does not store a response whose ages cannot be updated. */
  set(key: string, response: ComputedResponse): void {
    if (this.#responses === null) return
    const cached = cachedResponse(response)
    if (cached === null) return
    this.#responses.set(key, cached)
    this.#shared?.set(key, response)
  }

  /** Approximate memory of the responses. */
  get bytes(): number {
    return this.#responses?.calculatedSize ?? 0
  }

  async close(): Promise<void> {
    this.#responses?.clear()
    await this.#shared?.close()
  }
}
