import type { Clock } from '../core/time.js'
import { startSweeping } from './counter-table.js'
import type { Counters } from './counters.js'
import { MemoryCounters } from './counters-memory.js'
import { PostgresCounters } from './counters-postgres.js'
import { RedisCounters } from './counters-redis.js'
import type { Database } from './database.js'
import type { Logger } from './logger.js'

export interface CountersOptions {
  readonly database: Database
  /** Null: no Redis. */
  readonly redisUrl: string | null
  readonly clock: Clock
  readonly log: Logger
}

/** Redis where there is one; else PostgreSQL itself; else memory, kept in the embedded database. */
export function createCounters({ database, redisUrl, clock, log }: CountersOptions): Counters {
  if (redisUrl !== null) return new RedisCounters(redisUrl, clock, log)
  const counters =
    database.kind === 'postgres' ? new PostgresCounters(database) : new MemoryCounters(database, log)
  const stopSweeping = startSweeping(database, clock, log)
  return {
    take: (charges, now) => counters.take(charges, now),
    peek: (charges, now) => counters.peek(charges, now),
    close: async () => {
      stopSweeping()
      await counters.close()
    },
  }
}
