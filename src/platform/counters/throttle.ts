import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import type { Database } from '../database/database.js'
import type { Logger } from '../logger.js'
import { answerWithin, connectRedis, OverdueAnswer, REDIS_ANSWER_MS } from '../redis/redis-connection.js'

export interface ThrottleVerdict {
  readonly allowed: boolean
  /** When the key's window ends; from then on a hit is allowed again. */
  readonly retryAt: Date
}

/**
 * Bounds attempts, e.g. logins per account and address: `limit` hits per window, which begins with the key's first hit.
 * Refused hits count but do not prolong the window. Survives restart (database or Redis) and is shared by all nodes;
 * a node that loses Redis throttles by itself. Windows run on the system's clock.
 */
export interface Throttle {
  hit(key: string, limit: number, windowSeconds: number): Promise<ThrottleVerdict>
  close(): Promise<void>
}

export interface ThrottleOptions {
  readonly database: Database
  /** Null: the hits are kept in the database. */
  readonly redisUrl: string | null
  readonly log: Logger
}

export function createThrottle({ database, redisUrl, log }: ThrottleOptions): Throttle {
  return redisUrl === null ? databaseThrottle(database) : redisThrottle(redisUrl, log)
}

function databaseThrottle(database: Database): Throttle {
  // Statement names are dropped: behind a pooler a named statement may be missing on the next connection.
  const client = {
    query: async ({ text, values }: { text: string; values: readonly unknown[] }) => ({
      rows: await database.rows(text, values),
    }),
  }
  const limiters = limitersBy(
    (points, duration, keyPrefix) =>
      new RateLimiterPostgres({
        storeClient: client,
        storeType: 'client',
        tableName: 'rate_counter',
        tableCreated: true,
        // The counters' sweep clears the same table.
        clearExpiredByTimeout: false,
        points,
        duration,
        keyPrefix,
      }),
  )
  return {
    hit: (key, limit, windowSeconds) => consume(limiters(limit, windowSeconds), key),
    close: async () => {},
  }
}

function redisThrottle(url: string, log: Logger): Throttle {
  let state: 'starting' | 'up' | 'down' = 'starting'
  let start: () => void = () => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const connection = connectRedis(url, {
    keyPrefix: 'mdg:',
    onReady: () => {
      if (state === 'down') log.info({}, 'Redis is back: throttling there again')
      state = 'up'
      start()
    },
    onLost: (error) => {
      if (state !== 'down') log.error({ err: error }, 'Redis is lost: throttling on this node alone')
      state = 'down'
      start()
    },
  })
  const limiters = limitersBy((points, duration, keyPrefix) => {
    const here = new RateLimiterMemory({ points, duration, keyPrefix })
    const shared = new RateLimiterRedis({
      storeClient: connection.redis,
      rejectIfRedisNotReady: true,
      points,
      duration,
      keyPrefix,
    })
    return { here, shared }
  })
  return {
    hit: async (key, limit, windowSeconds) => {
      await started
      const { here, shared } = limiters(limit, windowSeconds)
      // Not the library's own insurance: it would wait for a Redis that is connected but silent.
      return answerWithin(REDIS_ANSWER_MS, consume(shared, key)).catch((error: unknown) => {
        if (error instanceof OverdueAnswer) connection.drop()
        return consume(here, key)
      })
    },
    close: () => connection.close(),
  }
}

/** One limiter per limit and window; both are constants of the callers, so there are few. */
function limitersBy<Limiter>(
  create: (limit: number, windowSeconds: number, keyPrefix: string) => Limiter,
): (limit: number, windowSeconds: number) => Limiter {
  const limiters = new Map<string, Limiter>()
  return (limit, windowSeconds) => {
    const keyPrefix = `throttle:${windowSeconds}`
    const name = `${keyPrefix}:${limit}`
    const known = limiters.get(name)
    if (known !== undefined) return known
    const limiter = create(limit, windowSeconds, keyPrefix)
    limiters.set(name, limiter)
    return limiter
  }
}

async function consume(limiter: RateLimiterAbstract, key: string): Promise<ThrottleVerdict> {
  try {
    return { allowed: true, retryAt: retryAt(await limiter.consume(key)) }
  } catch (refusal) {
    // The library refuses by throwing its result; anything else is a failure of the store.
    if (refusal instanceof RateLimiterRes) return { allowed: false, retryAt: retryAt(refusal) }
    throw refusal
  }
}

function retryAt(result: RateLimiterRes): Date {
  return new Date(Date.now() + result.msBeforeNext)
}
