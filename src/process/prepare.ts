import type { Config } from '../config.js'
import { systemClock } from '../core/time.js'
import { type DevelopmentKeys, prepareDevelopment } from '../development.js'
import type { Database } from '../platform/database.js'
import type { Logger } from '../platform/logger.js'
import { migrate } from '../platform/migrate.js'
import { MIGRATIONS, openConfigured } from './open-database.js'

export interface Prepared {
  /** Open, migrated, and seeded where this is development. */
  readonly database: Database
  /** Null outside development. */
  readonly keys: DevelopmentKeys | null
}

/** What one process does before any may answer. */
export async function prepare(config: Config, log: Logger): Promise<Prepared> {
  const database = await openConfigured(config, log)
  await migrate(database, MIGRATIONS)
  const keys = config.isDevelopment ? await prepareDevelopment(database, config, systemClock, log) : null
  return { database, keys }
}
