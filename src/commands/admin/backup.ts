import { loadConfig } from '../../config.js'
import { systemClock } from '../../core/time.js'
import { noteOperation } from '../../domains/access/audit-store.js'
import {
  type RestoredLogins,
  restoreSqlLogins,
} from '../../domains/access/sql-credentials/restore-sql-logins.js'
import { loadBrokenSnapshots } from '../../domains/analysis/snapshots/proof-store.js'
import { withBackupFile, writeBackupFile } from '../../platform/backup/backup-file.js'
import { type BackupSource, withDatabaseSource } from '../../platform/backup/backup-source.js'
import { type Restored, restore } from '../../platform/backup/restore.js'
import { settleStaged } from '../../platform/bi-temporal/settle-staged.js'
import { type Database, openDatabase } from '../../platform/database/database.js'
import { interruptible } from '../../platform/database/interruptible.js'
import { BATCH_LIMITS, MIGRATION_LIMITS } from '../../platform/database/statement-limits.js'
import { loadDatasetStates } from '../../platform/database/versions/dataset-states-store.js'
import { MIGRATIONS } from '../../platform/database/wiring.js'
import { withDatabase, withStoredData } from '../command-world.js'
import { filePathOf } from '../file-path.js'
import { UsageError } from '../usage-error.js'
import type { Answer, Command, CommandInput } from './command.js'
import { assertNewFile, fileExists } from './new-file-word.js'
import { facts, table } from './table.js'

const backup: Command = {
  name: 'backup',
  parameters: ['file'],
  summary:
    'writes the whole database as it is now into a new file, which admin restore reads on either kind of database',
  run: async (given) => {
    const path = filePathOf(given.word('file'), given.directory)
    await assertNewFile(path)
    return withDatabase(given, loadConfig(given.env), given.signal, async (database) => {
      const answer = await withDatabaseSource(database, async (source) => {
        const { rows, bytes } = await writeBackupFile(path, source, given.signal)
        const { tables, logins } = source.header
        const note =
          logins === null
            ? '\nThe database user may not read the passwords of SQL logins: a restore revokes these logins. A superuser may.\n'
            : ''
        return {
          json: { file: path, tables: tables.length, rows, bytes, sql_logins: logins?.length ?? null },
          text: `${facts([
            ['file', path],
            ['tables', tables.length],
            ['rows', rows],
            ['bytes', bytes],
            ['SQL logins', logins?.length ?? 'without their passwords'],
          ])}${note}`,
        }
      })
      await noteOperation(database.prisma, 'backup_written', systemClock.now())
      return answer
    })
  },
}

const restoreFile: Command = {
  name: 'restore',
  parameters: ['file'],
  summary: 'fills an empty database from a file of admin backup, checks it, and migrates it to this version',
  run: (given) => {
    const path = filePathOf(given.word('file'), given.directory)
    return withStoredData(given, (database) =>
      withBackupFile(path, (source) => restoreInto(database, source, given)),
    )
  },
}

const move: Command = {
  name: 'move',
  parameters: ['directory'],
  summary:
    'copies a stopped embedded database into the empty PostgreSQL database of DATABASE_URL; the directory stays as it is',
  run: (given) => {
    if (loadConfig(given.env).databaseUrl === null)
      throw new UsageError('DATABASE_URL must name the PostgreSQL database that gets the data')
    const directory = filePathOf(given.word('directory'), given.directory)
    return withStoredData(given, async (database) => {
      await assertEmbedded(directory)
      const embedded = await openDatabase({ kind: 'embedded', directory }, { limits: BATCH_LIMITS })
      try {
        await settleStaged(embedded)
        return await withDatabaseSource(embedded, (source) => restoreInto(database, source, given))
      } finally {
        await embedded.close()
      }
    })
  },
}

export const BACKUP_COMMANDS: readonly Command[] = [backup, restoreFile, move]

/** Opening a directory without a database would create one. */
async function assertEmbedded(directory: string): Promise<void> {
  if (await fileExists(`${directory}/PG_VERSION`)) return
  throw new UsageError(`${directory} has no embedded database`)
}

/** Broken snapshots that are named. */
const MAX_NAMED = 10

async function restoreInto(database: Database, source: BackupSource, given: CommandInput): Promise<Answer> {
  const stoppable = interruptible(database, given.signal)
  const { tables, foreign } = await restore(stoppable, source, MIGRATIONS)
  const logins = await stoppable.transaction((tx) =>
    restoreSqlLogins(tx, database.kind, source.header.logins, loadConfig(given.env).sqlAcceptedRisks),
  )
  await noteOperation(database.prisma, 'database_restored', systemClock.now(), {
    version: source.header.version,
    created_at: source.header.createdAt,
  })
  const { broken, states } = await database.transaction(
    async (tx) => ({
      broken: await loadBrokenSnapshots(tx, MAX_NAMED),
      states: [...(await loadDatasetStates(tx)).values()],
    }),
    MIGRATION_LIMITS,
  )
  const datasets = states.map(({ dataset, version, observedAt }) => ({ dataset, version, observedAt }))
  const { version, createdAt } = source.header
  return {
    isFailure: broken.length > 0,
    json: {
      backup: { version, created_at: createdAt },
      restored_at: systemClock.now(),
      tables: Object.fromEntries(tables),
      datasets: datasets.map(({ observedAt, ...dataset }) => ({ ...dataset, observed_at: observedAt })),
      broken_snapshots: broken,
      sql_logins: logins,
      not_restored: foreign,
    },
    text: [
      `${table(
        ['dataset', 'version', 'newest fact'],
        datasets.map((row) => [row.dataset, row.version, row.observedAt]),
        'no dataset has data',
      )}\n`,
      `${sumOf(tables)} rows of ${tables.size} tables are equal to those that version ${version} had at ${createdAt}.\n`,
      broken.length === 0
        ? 'All analysis snapshots have the hashes of their contents and predecessors.\n'
        : `Analysis snapshots with wrong hashes, which they had before too: ${broken.join(', ')}.\n`,
      foreign.length === 0
        ? ''
        : `Not restored, because they are not tables of the gateway: ${foreign.join(', ')}.\n`,
      loginsText(logins),
    ].join(''),
  }
}

function sumOf(tables: Restored['tables']): number {
  return [...tables.values()].reduce((sum, rows) => sum + rows, 0)
}

function loginsText({ restored, lost }: RestoredLogins): string {
  const working = restored.length === 0 ? '' : `SQL logins that work as before: ${restored.join(', ')}.\n`
  const ended =
    lost.length === 0
      ? ''
      : `SQL logins that are lost, and revoked; their holders make new ones: ${lost.join(', ')}.\n`
  return `${working}${ended}`
}
