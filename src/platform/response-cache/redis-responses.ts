import { createHash } from 'node:crypto'
import type { Logger } from '../logger.js'
import { connectSharedCache } from '../redis/shared-cache.js'
import { VERSION } from '../version.js'
import type { ComputedResponse } from './cached-response.js'
import type { SharedResponses } from './response-cache.js'

/** Larger responses would delay the counters, which share the server. */
const MAX_CHARACTERS = 512 * 1024

/** Unused responses expire after this time. Outdated ones are never hits but take memory. */
const KEEP_MS = 3_600_000

/** Stored with its name, so that an answer to another look-up is recognized. */
interface StoredResponse {
  readonly name: string
  readonly made: ComputedResponse
}

/** The second level of the response cache, in Redis. Without Redis every look-up is a miss. */
export function createSharedResponses(url: string, log: Pick<Logger, 'warn'>): SharedResponses {
  const { redis, lookUp, close } = connectSharedCache(url, {
    // Another release may write another response.
    keyPrefix: `mdg:response:${VERSION}:`,
    log,
    whileLost: 'responses are cached on this node only',
  })
  return {
    get: (key) => {
      const name = nameOf(key)
      const ofName = (text: string) => {
        const stored = JSON.parse(text) as StoredResponse // written by `set` of this format
        return stored.name === name ? stored.made : null
      }
      return lookUp(() => redis.get(name), ofName)
    },
    set: (key, made) => {
      if (redis.status !== 'ready' || made.json.length > MAX_CHARACTERS) return
      const untilMs = made.endsAtMs === null ? KEEP_MS : made.endsAtMs - made.madeAtMs
      const keptMs = Math.max(1, Math.min(KEEP_MS, Math.ceil(untilMs)))
      const name = nameOf(key)
      const stored: StoredResponse = { name, made }
      // A response that could not be stored is one more miss.
      redis.set(name, JSON.stringify(stored), 'PX', keptMs).catch(() => {})
    },
    close,
  }
}

/** A key contains the whole request; its name in Redis is a hash of it. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
