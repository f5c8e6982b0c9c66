import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../../core/time.js'
import type { Database } from '../database/database.js'
import type { Logger } from '../logger.js'
import { startSweeping } from './counter-table.js'

export interface ThrottleVerdict {
  readonly allowed: boolean
  /** When the key's window ends; from then on a hit is allowed again. */
  readonly retryAt: Date
}

/**
 * Limits attempts, e.g. logins per account and address: `limit` hits per window, which begins with the key's first hit.
 * Refused hits count but do not extend the window. Hits are stored in the database, so every node sees them, and they
 * survive a restart and an emptied Redis. Windows use the system's clock.
 */
export interface Throttle {
  hit(key: string, limit: number, windowSeconds: number): Promise<ThrottleVerdict>
  /** Undoes a hit. */
  giveBack(key: string, limit: number, windowSeconds: number): Promise<void>
  close(): Promise<void>
}

export interface ThrottleOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}

export function createThrottle({ database, clock, log }: ThrottleOptions): Throttle {
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
        // The sweep clears the table, which quota counters are in too.
        clearExpiredByTimeout: false,
        points,
        duration,
        keyPrefix,
      }),
  )
  const stopSweeping = startSweeping(database, clock, log)
  return {
    hit: (key, limit, windowSeconds) => consume(limiters(limit, windowSeconds), key),
    giveBack: async (key, limit, windowSeconds) => {
      await limiters(limit, windowSeconds).reward(key)
    },
    close: async () => stopSweeping(),
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
