import type { Logger } from '../logger.js'
import { connectRedis } from './connect-redis.js'
import { answerWithin } from './redis-answer.js'
import type { RedisClient } from './redis-connection.js'

/** A slower look-up is a miss: computing the value takes about as long. */
const ANSWER_MS = 50

export interface SharedCacheOptions {
  /** Prefix of every key. */
  readonly keyPrefix: string
  readonly log: Pick<Logger, 'warn'>
  /** For the log: what applies while Redis is lost. */
  readonly whileLost: string
}

/** A cache in Redis that nodes share. A failure is a miss, never an error. */
export interface SharedCache {
  readonly redis: RedisClient
  /** `read` returns null for a text that is not the answer to this look-up. */
  lookUp<T>(ask: () => Promise<string | null>, read: (text: string) => T | null): Promise<T | null>
  close(): Promise<void>
}

export function connectSharedCache(
  url: string,
  { keyPrefix, log, whileLost }: SharedCacheOptions,
): SharedCache {
  let isLost = false
  const { redis, drop, close } = connectRedis(url, {
    keyPrefix,
    onReady: () => {
      isLost = false
    },
    onLost: (error) => {
      if (!isLost) log.warn({ err: error }, `Redis is lost: ${whileLost} until it is back`)
      isLost = true
    },
  })
  return {
    redis,
    lookUp: async (ask, read) => {
      if (redis.status !== 'ready') return null
      // Read even if it comes too late: only the text shows whether it answers this look-up.
      const answer = ask().then((text) => {
        if (text === null) return null
        const value = read(text)
        // An answer was lost, so each later one would be mistaken for the one before.
        if (value === null) drop()
        return value
      })
      return answerWithin(ANSWER_MS, answer).catch(() => null) // a miss
    },
    close,
  }
}
