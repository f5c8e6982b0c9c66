import { migrate } from '../../platform/database/migrate.js'
import { MIGRATIONS } from '../../platform/database/wiring.js'
import { withStoredData } from '../command-world.js'
import type { Command } from './command.js'

/** Brings the tables of the database to this version, without a start. */
export const migrateDatabase: Command = {
  name: 'migrate',
  parameters: [],
  options: [],
  summary: 'applies the migrations that the database lacks, as a start does; the other commands never do',
  run: (given) =>
    withStoredData(given, async (database) => {
      const applied = await migrate(database, MIGRATIONS)
      const lines = applied.map((name) => `applied ${name}\n`).join('')
      return { json: { applied }, text: lines || 'the database is up to date\n' }
    }),
}
