import { LRUCache } from 'lru-cache'
import type { DataPart } from '../database/versions/data-parts.js'
import { type DatasetStates, isDevIn, versionsText } from '../database/versions/data-version.js'
import {
  type CachedResponse,
  type ComputedResponse,
  cachedResponse,
  isCurrent,
  isUnexpired,
  readsOf,
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

/** A cached response, what it was read from, the states in which it is current, and their versions as text. */
export interface CacheHit {
  readonly response: CachedResponse
  readonly reads: readonly DataPart[]
  readonly states: DatasetStates
  /** As `candles=17, instruments=3`. */
  readonly dataVersion: string
  readonly isDevDataset: boolean
}

/**
 * Responses by key; the least recently used is dropped first. A response is a hit only while the versions that it was read
 * from are current, so nothing needs to be invalidated; a newer response replaces it.
 */
export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse> | null
  readonly #shared: SharedResponses | null
  /** The hits of responses that were found to be current, by their states. */
  readonly #hits = new WeakMap<DatasetStates, WeakMap<CachedResponse, CacheHit>>()

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
  get(key: string, states: DatasetStates, now: Date): CacheHit | null {
    const cached = this.#responses?.get(key)
    return cached === undefined ? null : this.#hitOf(cached, states, now)
  }

  /** A hit in the shared cache, copied into this node's memory; null without a shared cache. */
  async fetch(key: string, states: DatasetStates, now: Date): Promise<CacheHit | null> {
    const stored = (await this.#shared?.get(key)) ?? null
    if (stored === null || !isCurrent(stored, states, now)) return null
    const cached = cachedResponse(stored)
    if (cached === null) return null
    this.#responses?.set(key, cached)
    return this.#hitOf(cached, states, now)
  }

  /** The states are the same object until they are read again. */
  #hitOf(response: CachedResponse, states: DatasetStates, now: Date): CacheHit | null {
    const hits = this.#hits.get(states) ?? new WeakMap<CachedResponse, CacheHit>()
    const known = hits.get(response)
    if (known !== undefined) return isUnexpired(response, now) ? known : null
    if (!isCurrent(response, states, now)) return null
    const reads = readsOf(response)
    // The datasets may have moved on without the grains that it was read from.
    const dataVersion = versionsText(states, reads)
    const isDevDataset = isDevIn(states, reads)
    const hit = { response, reads, states, dataVersion, isDevDataset }
    this.#hits.set(states, hits.set(response, hit))
    return hit
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
