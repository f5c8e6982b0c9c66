import { configuredJobs } from '../assembly/configured-jobs.js'
import { postgresFault } from '../assembly/database-fault.js'
import { MIGRATIONS, openConfigured } from '../assembly/open-database.js'
import type { Config } from '../config.js'
import { systemClock } from '../core/time.js'
import { failDeadRuns } from '../ingest/ledger.js'
import { settleStaged } from '../platform/bi-temporal/settle-staged.js'
import type { Database } from '../platform/database/database.js'
import { migrate, pendingMigrations } from '../platform/database/migrate.js'
import type { Logger } from '../platform/logger.js'
import { type DevelopmentKeys, prepareDevelopment } from './development.js'
import { type SqlGuard, startSqlGuard } from './sql-guard.js'
import { StartError } from './start-error.js'

export interface PreparedDatabase {
  /** Open, migrated, and seeded where this is development. */
  readonly database: Database
  /** Null outside development. */
  readonly keys: DevelopmentKeys | null
  readonly sqlGuard: SqlGuard
}

/** What one process does before any may answer: migrations, the ledger of ingestion, and seed in development. */
export async function prepare(config: Config, log: Logger): Promise<PreparedDatabase> {
  configuredJobs(config) // a wrong name in SCHEDULE ends the start before anything is touched
  const database = await openReachable(config, log)
  // Before the migrations: a session of an SQL role could hold what they wait for.
  const sqlGuard = startSqlGuard(config, log)
  await migrateLoudly(database, log)
  await sqlGuard.migrated()
  if (database.kind === 'pglite') await settleStaged(database)
  const dead = await failDeadRuns(database, systemClock.now())
  if (dead > 0) log.warn({ runs: dead }, 'ingestions were killed and are marked failed')
  const keys = config.isDevelopment ? await prepareDevelopment(database, config, systemClock, log) : null
  return { database, keys, sqlGuard }
}

/** Throws StartError where PostgreSQL does not answer. */
async function openReachable(config: Config, log: Logger): Promise<Database> {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === null) {
    log.info({ directory: dataDir }, 'opening the embedded database')
    return openConfigured(config, log)
  }
  log.info({ server: new URL(databaseUrl).host }, 'opening the database')
  const database = await openConfigured(config, log)
  try {
    await database.ping()
    return database
  } catch (error) {
    await database.close()
    const { message, advice } = postgresFault(databaseUrl, error)
    throw new StartError(`The database ${message}\n  → ${advice}`, { cause: error })
  }
}

async function migrateLoudly(database: Database, log: Logger): Promise<void> {
  const pending = await pendingMigrations(database, MIGRATIONS)
  if (pending.length === 0) return
  log.info({ migrations: pending.length }, 'migrating')
  const applied = await migrate(database, MIGRATIONS)
  log.info({ migrations: applied.length }, 'migrated')
}
