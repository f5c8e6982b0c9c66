import { setTimeout as sleep } from 'node:timers/promises'
import { configuredAccess } from '../access.js'
import { type Config, keepsSigningKey } from '../config.js'
import { systemClock } from '../core/time.js'
import { listDevelopmentAccounts } from '../domains/access/accounts/development-accounts.js'
import { findDemoKeyFault } from '../domains/access/keys/demo-key-service.js'
import { revokeMissingCredentials } from '../domains/access/sql-credentials/sql-credential-store.js'
import { countSeedsOfOtherPeppers } from '../domains/webhooks/reseal-secrets.js'
import { failDeadRuns } from '../ingest/run/ledger.js'
import { listSeededDatasets } from '../ingest/seed/remove-seed.js'
import { configuredJobs } from '../ingest/wiring.js'
import { settleStaged } from '../platform/bi-temporal/settle-staged.js'
import type { Database } from '../platform/database/database.js'
import { postgresFault } from '../platform/database/database-fault.js'
import { migrate, pendingMigrations } from '../platform/database/migrate.js'
import { statement } from '../platform/database/statement.js'
import { MIGRATIONS, openConfigured } from '../platform/database/wiring.js'
import { commandLine } from '../platform/installation/command-line.js'
import { loadProductionSince, markProduction } from '../platform/installation/production-mark.js'
import { noteSnapshotKey } from '../platform/installation/snapshot-keys.js'
import { joinInstallation } from '../platform/installation/wiring.js'
import type { Logger } from '../platform/logger.js'
import { makeDevelopmentSigningKey } from '../platform/secrets/development-signing-key.js'
import { pepperId } from '../platform/secrets/peppers.js'
import { type DevelopmentKeys, prepareDevelopment } from './development.js'
import { type SqlGuard, startSqlGuard } from './duties/sql-guard.js'
import { StartError } from './start-error.js'

export interface PreparedStart {
  /** The given configuration. In development on the embedded database, it has a signing key. */
  readonly config: Config
  /** Open, migrated, and seeded where this is development. */
  readonly database: Database
  /** Null outside development. */
  readonly keys: DevelopmentKeys | null
  readonly sqlGuard: SqlGuard
}

/** The work of one process before any process serves requests: migrations, the ingestion ledger, and the seed in development. */
export async function prepare(given: Config, log: Logger): Promise<PreparedStart> {
  configuredJobs(given) // a wrong name in SCHEDULE ends the start before anything is touched
  const database = await openReachable(given, log)
  const config = await withSigningKey(given) // no other process holds the directory now
  // Before the migrations: a session of an SQL role could hold a lock that they wait for.
  const sqlGuard = startSqlGuard(config, log)
  await migrateLoudly(database, log)
  await sqlGuard.migrated()
  if (database.kind === 'pglite') await settleStaged(database)
  const dead = await failDeadRuns(database, systemClock.now())
  if (dead > 0) log.warn({ runs: dead }, 'ingestions were killed and are marked failed')
  await join(database, config, log)
  const lost = await revokeMissingCredentials(database)
  if (lost.length > 0) log.warn({ usernames: lost }, 'SQL logins are not on this server and are revoked')
  const keys = config.isSeeding ? await prepareDevelopment(database, config, systemClock, log) : null
  await assertDemoKey(database, config, log)
  if (config.mode === 'production') await warnOfDevelopmentData(database, log)
  return { config, database, keys, sqlGuard }
}

async function withSigningKey(config: Config): Promise<Config> {
  if (config.signingKey !== null || !keepsSigningKey(config)) return config
  return Object.freeze({ ...config, signingKey: await makeDevelopmentSigningKey(config.dataDir) })
}

/** Refuses secrets that differ from other nodes and a seed on a production database; records the secrets for later nodes. */
async function join(database: Database, config: Config, log: Logger): Promise<void> {
  const now = systemClock.now()
  await joinInstallation(database, config, now)
  const since = await loadProductionSince(database)
  if (config.isSeeding && since !== null) {
    throw new StartError(
      `This database has served production since ${since.toISOString()}: it is never seeded.\n  → start without --seed and SEED=on, or set DATABASE_URL to another database`,
    )
  }
  if (config.mode !== 'production' && since !== null) {
    log.warn(
      { mode: config.mode, production_since: since },
      'this node is not in production, but its database is: set NODE_ENV=production, or DATABASE_URL to another database',
    )
  }
  if (config.mode === 'production' && since === null) await markProduction(database, now)
  const { signingKey, keyPepper, keyPepperPrevious } = config
  if (signingKey !== null) await noteSnapshotKey(database, keyPepper, signingKey, now, keyPepperPrevious)
  const sealed = await countSeedsOfOtherPeppers(database, pepperId(keyPepper), now)
  if (sealed > 0 && keyPepperPrevious === null)
    log.warn(
      { webhooks: sealed },
      'secrets of webhooks need another KEY_PEPPER: receivers refuse their events',
    )
}

/** Refuses a DEMO_KEY that does not work, or that may do more than read what the tier free includes. */
async function assertDemoKey(database: Database, config: Config, log: Logger): Promise<void> {
  if (config.demoKey === null) return
  const access = configuredAccess(config, { database, clock: systemClock, log })
  try {
    const fault = await findDemoKeyFault(access, config.demoKey)
    if (fault === null) return
    throw new StartError(
      `DEMO_KEY ${fault}\n  → create a key without scopes: ${commandLine('key')} --tier free --label demo --scopes none; or remove DEMO_KEY`,
    )
  } finally {
    await access.close()
  }
}

/** Warns of synthetic data and development keys of an earlier development start. */
async function warnOfDevelopmentData(database: Database, log: Logger): Promise<void> {
  const datasets = await listSeededDatasets(database)
  const accounts = await listDevelopmentAccounts(database.prisma)
  if (datasets.length + accounts.length === 0) return
  log.warn(
    { datasets, accounts: accounts.length },
    `the database holds synthetic data or development keys; remove them: ${commandLine('admin')} seed remove`,
  )
}

/** A database that starts together with the gateway, or fails over, answers within this time. */
const PATIENCE_MS = 30_000
const RETRY_MS = 1_000

/** Throws StartError if PostgreSQL does not answer in time, refuses the login, or is a replica. */
async function openReachable(config: Config, log: Logger): Promise<Database> {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === null) {
    log.info({ directory: dataDir }, 'opening the embedded database')
    return openConfigured(config, log)
  }
  log.info({ server: new URL(databaseUrl).host }, 'opening the database')
  const database = await openConfigured(config, log)
  try {
    await answering(database, databaseUrl, log)
    await assertPrimary(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function answering(database: Database, databaseUrl: string, log: Logger): Promise<void> {
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.ping()
    } catch (error) {
      const { message, advice, isTemporary } = postgresFault(databaseUrl, error)
      const leftMs = PATIENCE_MS - (performance.now() - startedAt)
      if (!isTemporary || leftMs <= RETRY_MS)
        throw new StartError(`The database ${message}\n  → ${advice}`, { cause: error })
      if (attempt === 1)
        log.warn({ reason: message, wait_ms: PATIENCE_MS }, 'the database is tried again for a while')
      await sleep(RETRY_MS)
    }
  }
}

// Plain SQL: a function of the server.
const STANDBY = statement(
  'lacks session',
  { isStandby: 'bool?' },
  'select pg_is_in_recovery() as "isStandby"',
)

async function assertPrimary(database: Database): Promise<void> {
  const [server] = await database.rows(STANDBY)
  if (!server?.isStandby) return
  throw new StartError(
    'DATABASE_URL leads to a replica (standby), which accepts no writes.\n  → set DATABASE_URL to the primary, and put this address into DATABASE_REPLICA_URLS',
  )
}

/** Nodes of the version before may serve the same PostgreSQL database, but not the embedded one. */
async function migrateLoudly(database: Database, log: Logger): Promise<void> {
  const parts = database.kind === 'postgres' ? 'expand' : 'all'
  const pending = await pendingMigrations(database, MIGRATIONS, parts)
  if (pending.length === 0) return
  log.info({ migrations: pending.length }, 'migrating')
  const onBlocked = (migration: string) =>
    log.warn({ migration }, 'a migration waits for a table that a transaction holds, and is begun again')
  const applied = await migrate(database, MIGRATIONS, { onBlocked, parts })
  log.info({ migrations: applied.length }, 'migrated')
}
