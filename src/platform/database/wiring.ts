import { fileURLToPath } from 'node:url'
import { type Config, databaseTarget } from '../../config.js'
import type { Logger } from '../logger.js'
import { type Database, openDatabase } from './database.js'

/** The directory of the SQL migrations, for the sources and for the compiled files. */
export const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

/** Opens the configured database without migrating it; errors of idle connections are logged. */
export function openConfigured(config: Config, log: Logger): Promise<Database> {
  return openDatabase(databaseTarget(config), {
    onError: (error) => log.error({ err: error }, 'database connection broke'),
  })
}
