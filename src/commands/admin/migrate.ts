import { migrate } from '../../platform/database/migrate.js'
import { MIGRATIONS } from '../../platform/database/wiring.js'
import { withStoredData } from '../command-world.js'
import type { Command } from './command.js'

/** Migrates the database to this version. */
export const migrateDatabase: Command = {
  name: 'migrate',
  parameters: [],
  options: [],
  summary: 'applies missing migrations, like a start of the gateway; other commands never apply them',
  run: (given) =>
    withStoredData(given, async (database) => {
      const applied = await migrate(database, MIGRATIONS)
      const lines = applied.map((name) => `applied ${name}\n`).join('')
      return { json: { applied }, text: lines || 'the database is up to date\n' }
    }),
}
