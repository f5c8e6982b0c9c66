import { createHash } from 'node:crypto'
import type { SharedAnswers } from './answer-cache.js'
import type { MadeText } from './kept-answer.js'
import type { Logger } from './logger.js'
import { answerWithin, connectRedis } from './redis-connection.js'
import { VERSION } from './version.js'

/** An answer that takes longer to come is made anew: that takes about as long. */
const ANSWER_MS = 50

/** Larger ones would hold up the counters, which share the server. */
const MAX_CHARACTERS = 512 * 1024

/** Answers nobody asks for again go after this time; those that no longer stand are never given, but take memory. */
const KEEP_MS = 3_600_000

/** The second level of kept answers, in Redis. Without Redis every look-up is a miss. */
export function createSharedAnswers(url: string, log: Pick<Logger, 'warn'>): SharedAnswers {
  let isLost = false
  const { redis, close } = connectRedis(url, {
    // Another release may write another answer.
    keyPrefix: `mdg:answer:${VERSION}:`,
    onReady: () => {
      isLost = false
    },
    onLost: (error) => {
      if (!isLost)
        log.warn({ err: error }, 'Redis is lost: answers are kept on this node alone until it is back')
      isLost = true
    },
  })
  return {
    get: async (key) => {
      if (redis.status !== 'ready') return null
      try {
        const text = await answerWithin(ANSWER_MS, redis.get(nameOf(key)))
        return text === null ? null : (JSON.parse(text) as MadeText) // written by `set` of this format
      } catch {
        return null // a miss: the answer is made
      }
    },
    set: (key, made) => {
      if (redis.status !== 'ready' || made.json.length > MAX_CHARACTERS) return
      const untilMs = made.endsAtMs === null ? KEEP_MS : made.endsAtMs - made.madeAtMs
      const keptMs = Math.max(1, Math.min(KEEP_MS, Math.ceil(untilMs)))
      // Lost on the way, it is one more miss.
      redis.set(nameOf(key), JSON.stringify(made), 'PX', keptMs).catch(() => {})
    },
    close,
  }
}

/** Keys hold whole questions; their names are as long as their hash. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
