import { migrate, pendingMigrations } from '../../platform/database/migrate.js'
import { MIGRATIONS } from '../../platform/database/wiring.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { withStoredData } from '../command-world.js'
import type { Command } from './command.js'

/** Migrates the database to this version. */
export const migrateDatabase: Command = {
  name: 'migrate',
  options: ['contract'],
  summary: 'applies missing migrations, like a start of the gateway; other commands never apply them',
  run: (given) =>
    withStoredData(given, async (database) => {
      const parts = given.options.contract === true || database.kind === 'pglite' ? 'all' : 'expand'
      const applied = await migrate(database, MIGRATIONS, { parts })
      const waiting = await pendingMigrations(database, MIGRATIONS)
      const lines = applied.map((name) => `applied ${name}\n`).join('')
      return { json: { applied, waiting }, text: (lines || 'the database is up to date\n') + later(waiting) }
    }),
}

function later(waiting: readonly string[]): string {
  if (waiting.length === 0) return ''
  return `${waiting.join(', ')}: when every node runs this version, run ${commandLine('admin')} migrate --contract\n`
}
