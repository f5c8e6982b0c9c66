import { type Config, databaseTarget, loadConfig } from '../config.js'
import type { CommandCall } from '../control/command-call.js'
import { formatCount } from '../core/format-count.js'
import { settleStaged } from '../platform/bi-temporal/settle-staged.js'
import { type Database, openDatabase } from '../platform/database/database.js'
import { interruptible } from '../platform/database/interruptible.js'
import { pendingMigrations } from '../platform/database/migrate.js'
import { BATCH_LIMITS } from '../platform/database/statement-limits.js'
import { MIGRATIONS } from '../platform/database/wiring.js'
import { commandLine } from '../platform/installation/command-line.js'

/** The database lacks migrations of this version. */
export class PendingMigrationsError extends Error {}

/** The environment of a command. */
export interface CommandWorld {
  readonly env: NodeJS.ProcessEnv
  /** The open database of the gateway that runs the command; null if the command opens the configured one. */
  readonly shared: Database | null
}

/** Runs a command and returns its exit code. Errors are written to the error output of the call. */
export type CommandRun = (call: CommandCall, world: CommandWorld) => Promise<number>

/**
 * Does the work on the database. Throws if the database lacks migrations, because an operator decides when they run. An
 * interruption ends the work at its next transaction.
 */
export async function withDatabase<T>(
  { shared }: CommandWorld,
  config: Config,
  signal: AbortSignal,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (shared !== null) return work(interruptible(shared, signal))
  const database = await openDatabase(databaseTarget(config), { limits: BATCH_LIMITS })
  try {
    await assertMigrated(database)
    if (database.kind === 'pglite') await settleStaged(database)
    return await work(interruptible(database, signal))
  } finally {
    await database.close()
  }
}

async function assertMigrated(database: Database): Promise<void> {
  const { length } = await pendingMigrations(database, MIGRATIONS, 'expand')
  if (length === 0) return
  throw new PendingMigrationsError(
    `the database lacks ${formatCount(length, 'migration')} of this version: run ${commandLine('admin')} migrate, or ${commandLine('start')}`,
  )
}

/** Reads the database without migrating or settling anything first. */
export async function withStoredData<T>(
  { shared, env }: CommandWorld,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (shared !== null) return work(shared)
  const database = await openDatabase(databaseTarget(loadConfig(env)), { limits: BATCH_LIMITS })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
