import { MIGRATIONS } from '../assembly/open-database.js'
import { type Config, databaseTarget, loadConfig } from '../config.js'
import type { CommandCall } from '../control/command-call.js'
import { settleStaged } from '../platform/bi-temporal/settle-staged.js'
import { type Database, openDatabase } from '../platform/database/database.js'
import { interruptible } from '../platform/database/interruptible.js'
import { migrate } from '../platform/database/migrate.js'
import { BATCH_LIMITS } from '../platform/database/statement-limits.js'

/** Where a command works. */
export interface CommandWorld {
  readonly env: NodeJS.ProcessEnv
  /** The open database of the gateway that does the work for the command; null: the command opens the configured one. */
  readonly shared: Database | null
}

/** Does the work of a command and answers its exit code; what goes wrong is written to the call's error output. */
export type CommandRun = (call: CommandCall, world: CommandWorld) => Promise<number>

/**
 * Does the work on the database, which is brought up to date first where this process opens it. An interrupted call ends
 * the work at its next transaction.
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
    await migrate(database, MIGRATIONS)
    if (database.kind === 'pglite') await settleStaged(database)
    return await work(interruptible(database, signal))
  } finally {
    await database.close()
  }
}

/** Reads the database as it is: nothing is migrated or settled first. */
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
