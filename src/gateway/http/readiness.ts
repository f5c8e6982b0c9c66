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
  /** Directory of the SQL migrations, none of which may be pending. */
  readonly migrations: string
}

/** An unused counter. Reading it needs the same connections as every charge. */
const PROBE = 'readiness'

/**
 * The checks that must pass before the process accepts traffic: the database with its counters, and the tables of this
 * version. Their statements do not wait behind those of requests, because a busy node is still ready.
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
      const probe = { key: PROBE, owner: PROBE, quota: 0, units: 0, windowEnd: now }
      await Promise.all([database.ping(), counters.peek([probe], now, { isUrgent: true })])
    },
    migrations: async () => {
      const pending = await pendingMigrations(urgent(database))
      if (pending.length > 0) throw new Error(`migrations are pending: ${pending.join(', ')}`)
      const locked = await loadLockedByMigration(urgent(database))
      if (locked.length > 0) throw new Error(`a migration locks ${locked.join(', ')}`)
    },
  }
}
