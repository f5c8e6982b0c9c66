import { createHash } from 'node:crypto'
import type { Logger } from '../logger.js'
import { answerWithin, connectRedis } from '../redis/redis-connection.js'
import { VERSION } from '../version.js'
import type { MadeResponse } from './cached-response.js'
import type { SharedResponses } from './response-cache.js'

/** A look-up that takes longer is a miss: making the response takes about as long. */
const ANSWER_MS = 50

/** Larger ones would hold up the counters, which share the server. */
const MAX_CHARACTERS = 512 * 1024

/** Responses nobody asks for again go after this time; outdated ones are never hits, but take memory. */
const KEEP_MS = 3_600_000

/** With its name, so that an answer to another question is known as such. */
interface StoredResponse {
  readonly name: string
  readonly made: MadeResponse
}

/** The second level of the response cache, in Redis. Without Redis every look-up is a miss. */
export function createSharedResponses(url: string, log: Pick<Logger, 'warn'>): SharedResponses {
  let isLost = false
  const { redis, drop, close } = connectRedis(url, {
    // Another release may write another response.
    keyPrefix: `mdg:response:${VERSION}:`,
    onReady: () => {
      isLost = false
    },
    onLost: (error) => {
      if (!isLost)
        log.warn({ err: error }, 'Redis is lost: responses are cached on this node alone until it is back')
      isLost = true
    },
  })
  return {
    get: async (key) => {
      if (redis.status !== 'ready') return null
      const name = nameOf(key)
      // Read even when it comes too late: only its name shows whether it is the answer to this question.
      const answer = redis.get(name).then((text) => {
        if (text === null) return null
        const stored = JSON.parse(text) as StoredResponse // written by `set` of this format
        if (stored.name === name) return stored.made
        // An answer was lost on the way, and each one after it is taken for the one before.
        drop()
        return null
      })
      return answerWithin(ANSWER_MS, answer).catch(() => null) // a miss: the answer is made
    },
    set: (key, made) => {
      if (redis.status !== 'ready' || made.json.length > MAX_CHARACTERS) return
      const untilMs = made.endsAtMs === null ? KEEP_MS : made.endsAtMs - made.madeAtMs
      const keptMs = Math.max(1, Math.min(KEEP_MS, Math.ceil(untilMs)))
      const name = nameOf(key)
      const stored: StoredResponse = { name, made }
      // Lost on the way, it is one more miss.
      redis.set(name, JSON.stringify(stored), 'PX', keptMs).catch(() => {})
    },
    close,
  }
}

/** Keys hold whole questions; their names are as long as their hash. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
