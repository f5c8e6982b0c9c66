import { withBackupFile, writeBackupFile } from '../../../src/platform/backup/backup-file.js'
import { type BackupSource, withDatabaseSource } from '../../../src/platform/backup/backup-source.js'
import { loadTables } from '../../../src/platform/backup/catalogue.js'
import { restore } from '../../../src/platform/backup/restore.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import {
  createPostgresDatabase,
  type DatabaseKind,
  dropPostgresDatabase,
  MIGRATIONS,
} from '../../support/database/database.js'

export const NEVER = new AbortController().signal

/** Does the work with a database that has not a single table. */
export async function inBlank<T>(kind: DatabaseKind, work: (database: Database) => Promise<T>): Promise<T> {
  const url = kind === 'postgres' ? await createPostgresDatabase() : null
  const database = await openDatabase(
    url === null ? { kind: 'memory' } : { kind: 'postgres', url, poolSize: 2 },
  )
  try {
    return await work(database)
  } finally {
    await database.close()
    if (url !== null) await dropPostgresDatabase(url)
  }
}

export const restoreInto = (database: Database, source: BackupSource) => restore(database, source, MIGRATIONS)

export const restoreFile = (database: Database, path: string) =>
  withBackupFile(path, (source) => restoreInto(database, source))

export const save = (database: Database, path: string) =>
  withDatabaseSource(database, (source) => writeBackupFile(path, source, NEVER))

/** Hash of all rows as text, whatever their order, by table. */
export async function hashesOf(database: Database): Promise<Readonly<Record<string, string>>> {
  const hashes: Record<string, string> = {}
  for (const { name } of await loadTables(database)) {
    const [row] = await database.transaction(async (tx) => {
      await tx.script(`SET LOCAL "TimeZone" TO 'UTC'`)
      return tx.rows<{ hash: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(md5(r::text), '' order by md5(r::text))), '') as hash from "${name}" as r`,
      )
    })
    hashes[name] = row?.hash ?? ''
  }
  return hashes
}

/** 700 accounts whose mails need every kind of quoting. */
export const ACCOUNTS = `insert into account (account_id, email, tier, grants, created_at)
  select gen_random_uuid(), case when n % 7 = 0 then null else E'"q\\' \\\\ (,){} \n ü 😀 ' || n end, 'free', array['a,b', '"'], now()
  from generate_series(1, 700) as n`

/** Tables with rows that no migration wrote. */
export async function filledTables(database: Database): Promise<readonly string[]> {
  const filled: string[] = []
  for (const { name } of await loadTables(database)) {
    const rows = await database.rows(`select 1 as one from "${name}" limit 1`)
    if (rows.length > 0) filled.push(name)
  }
  return filled
}
