import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../core/time.js'
import { BURST_PER_MINUTE } from '../../policy/limits.js'

export interface BurstRefusal {
  readonly allowed: false
  /** Requests that a key may make in a minute. */
  readonly limit: number
  /** Start of the next minute; from then on the key is allowed again. */
  readonly retryAt: Date
}

export type BurstVerdict = { readonly allowed: true } | BurstRefusal

const ALLOWED: BurstVerdict = { allowed: true }

/** At most so many keys are kept, about 10 MB. Beyond that the least recently used key starts from 0 again. */
const MAX_KEYS = 50_000

/**
 * Counts the requests of a key per clock minute on this node. It limits requests that are free of charge: a request that
 * was charged is subtracted again. No I/O.
 */
export class BurstGuard {
  readonly #limit: number
  readonly #minutes: LRUCache<string, { minute: number; requests: number }>

  constructor(limit: number = BURST_PER_MINUTE, maxKeys: number = MAX_KEYS) {
    this.#limit = limit
    this.#minutes = new LRUCache({ max: maxKeys })
  }

  /** Whether `allow` would refuse; counts nothing. */
  isSpent(key: string, now: Date): boolean {
    const count = this.#minutes.get(key)
    return count?.minute === minuteOf(now) && count.requests >= this.#limit
  }

  /** Subtracts a request that `allow` counted in the same minute. */
  forgive(key: string, now: Date): void {
    const count = this.#minutes.peek(key)
    if (count?.minute === minuteOf(now) && count.requests > 0) count.requests -= 1
  }

  /** Counts one request. The key is the id of an API key or the hash of a caller's address. Refused requests count too. */
  allow(key: string, now: Date): BurstVerdict {
    const minute = minuteOf(now)
    let count = this.#minutes.get(key)
    if (count === undefined || count.minute !== minute) {
      count = { minute, requests: 0 }
      this.#minutes.set(key, count)
    }
    count.requests += 1
    if (count.requests <= this.#limit) return ALLOWED
    return { allowed: false, limit: this.#limit, retryAt: new Date((minute + 1) * MINUTE_MS) }
  }
}

function minuteOf(now: Date): number {
  return Math.floor(now.getTime() / MINUTE_MS)
}
