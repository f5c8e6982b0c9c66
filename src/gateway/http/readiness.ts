import type { Clock } from '../../core/time.js'
import type { Counters } from '../../platform/counters/counters.js'
import type { Database } from '../../platform/database/database.js'
import { loadLockedByMigration } from '../../platform/database/locks/blocking-migration.js'
import { watchMigrations } from '../../platform/database/migrate.js'
import { urgent } from '../../platform/database/urgent.js'
import type { HealthChecks } from './health.js'

export interface ReadinessDependencies {
  readonly database: Database
  readonly counters: Counters
  readonly clock: Clock
  /** Where the SQL migrations lie: none may be pending. */
  readonly migrations: string
}

/** A counter that nobody takes from: looking at it needs what every charge needs. */
const PROBE = 'readiness'

/**
 * What must work before traffic is wanted here: the database with its counters, and the tables of this version. What is
 * asked of PostgreSQL does not wait behind requests: a node that is busy is ready all the same.
 */
export function readinessChecks({
  database,
  counters,
  clock,
  migrations,
}: ReadinessDependencies): HealthChecks['ready'] {
  const pendingMigrations = watchMigrations(migrations)
  return {
    database: async () => {
      const now = clock.now()
      const probe = { key: PROBE, quota: 0, units: 0, windowEnd: now }
      await Promise.all([database.ping(), counters.peek([probe], now, { isUrgent: true })])
    },
    migrations: async () => {
      const pending = await pendingMigrations(urgent(database))
      if (pending.length > 0) throw new Error(`migrations are pending: ${pending.join(', ')}`)
      const locked = await loadLockedByMigration(urgent(database))
      if (locked.length > 0) throw new Error(`a migration keeps requests from ${locked.join(', ')}`)
    },
  }
}
