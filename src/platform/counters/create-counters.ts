import type { Clock } from '../../core/time.js'
import type { Database } from '../database/database.js'
import type { Logger } from '../logger.js'
import { startSweeping } from './counter-table.js'
import type { Counters } from './counters.js'
import { MemoryCounters } from './memory-counters.js'
import { PostgresCounters } from './postgres-counters.js'
import { RedisCounters } from './redis-counters.js'

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
  const counters: Counters =
    database.kind === 'postgres' ? new PostgresCounters(database, log) : new MemoryCounters(database, log)
  const stopSweeping = startSweeping(database, clock, log)
  return {
    take: (charges, now) => counters.take(charges, now),
    refund: (charges, now) => counters.refund(charges, now),
    peek: (charges, now, options) => counters.peek(charges, now, options),
    close: async () => {
      stopSweeping()
      await counters.close()
    },
  }
}
