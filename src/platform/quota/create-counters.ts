import type { Clock } from '../../core/time.js'
import type { Database } from '../database/database.js'
import type { Logger } from '../logger.js'
import { LeasedPlaces } from '../stream-places/leased-places.js'
import type { Places } from '../stream-places/places.js'
import { createPostgresPlaces } from '../stream-places/postgres-places.js'
import { createRedisPlaces } from '../stream-places/redis-places.js'
import type { Counters } from './counters.js'
import { MemoryCounters } from './memory-counters.js'
import { PostgresCounters } from './postgres-counters.js'
import { createRecordedUse } from './recorded-use.js'
import { RedisCounters } from './redis/redis-counters.js'

export interface CountersOptions {
  readonly database: Database
  /** Null without Redis. */
  readonly redisUrl: string | null
  readonly clock: Clock
  readonly log: Logger
}

/** Counters in Redis if configured, else in PostgreSQL, else in memory and the embedded database. */
export function createCounters({ database, redisUrl, clock, log }: CountersOptions): Counters {
  if (redisUrl !== null) return new RedisCounters(redisUrl, clock, log, createRecordedUse(database))
  return database.kind === 'postgres'
    ? new PostgresCounters(database, log)
    : new MemoryCounters(database, log)
}

export interface PlacesOptions extends Pick<CountersOptions, 'database' | 'redisUrl' | 'log'> {
  readonly leaseMs?: number
}

/** Places in the same store as the counters. A gateway on the embedded database is one process and needs no store. */
export function createPlaces({ database, redisUrl, ...options }: PlacesOptions): Places {
  if (redisUrl !== null) return new LeasedPlaces({ ...options, store: createRedisPlaces(redisUrl) })
  const store = database.kind === 'postgres' ? createPostgresPlaces(database) : null
  return new LeasedPlaces({ ...options, store })
}
