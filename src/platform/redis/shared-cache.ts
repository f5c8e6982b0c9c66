import type { Redis } from 'ioredis'
import type { Logger } from '../logger.js'
import { answerWithin, connectRedis } from './redis-connection.js'

/** A look-up that takes longer is a miss: what it would find can be had otherwise in about that time. */
const ANSWER_MS = 50

export interface SharedCacheOptions {
  /** Put before every key. */
  readonly keyPrefix: string
  readonly log: Pick<Logger, 'warn'>
  /** For the log: what holds while Redis is lost. */
  readonly whileLost: string
}

/** A connection to a Redis that caches what nodes share. A failure is a miss, never an error. */
export interface SharedCache {
  readonly redis: Redis
  /** `read` gives null for a text that is not the answer to this question. */
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
      // Read even when it comes too late: only the text shows whether it is the answer to this question.
      const answer = ask().then((text) => {
        if (text === null) return null
        const value = read(text)
        // An answer was lost on the way, and each one after it is taken for the one before.
        if (value === null) drop()
        return value
      })
      return answerWithin(ANSWER_MS, answer).catch(() => null) // a miss
    },
    close,
  }
}
