import { MIGRATIONS, openConfigured } from '../assembly/open-database.js'
import type { Config } from '../config.js'
import { systemClock } from '../core/time.js'
import { failDeadRuns } from '../ingest/ledger.js'
import { settleStaged } from '../platform/bi-temporal/settle-staged.js'
import type { Database } from '../platform/database/database.js'
import { migrate } from '../platform/database/migrate.js'
import type { Logger } from '../platform/logger.js'
import { type DevelopmentKeys, prepareDevelopment } from './development.js'

export interface Prepared {
  /** Open, migrated, and seeded where this is development. */
  readonly database: Database
  /** Null outside development. */
  readonly keys: DevelopmentKeys | null
}

/** What one process does before any may answer: migrations, the ledger of ingestion, and seed in development. */
export async function prepare(config: Config, log: Logger): Promise<Prepared> {
  const database = await openConfigured(config, log)
  await migrate(database, MIGRATIONS)
  if (database.kind === 'pglite') await settleStaged(database)
  const dead = await failDeadRuns(database, systemClock.now())
  if (dead > 0) log.warn({ runs: dead }, 'ingestions were killed and are marked failed')
  const keys = config.isDevelopment ? await prepareDevelopment(database, config, systemClock, log) : null
  return { database, keys }
}
