import type { Database } from '../database/database.js'
import { appliedMigrations, type KnownMigration } from '../database/migrate.js'
import { quotedName } from '../database/sql-roles/quoted.js'
import { loadRoleVerifiers, type RoleVerifier } from '../database/sql-roles/role-verifiers.js'
import { BATCH_LIMITS } from '../database/statement-limits.js'
import { VERSION } from '../version.js'
import {
  type BackedUpTable,
  loadSequences,
  loadTables,
  ROW_TEXT_SETTINGS,
  type SequenceState,
} from './catalogue.js'
import { type RowSum, RowSummer } from './row-sum.js'

/** What a backup begins with. */
export interface BackupHeader {
  /** Version of the gateway that made it. */
  readonly version: string
  readonly createdAt: string
  readonly database: Database['kind']
  readonly migrations: readonly KnownMigration[]
  readonly tables: readonly BackedUpTable[]
  readonly sequences: readonly SequenceState[]
  /** What PostgreSQL stores of the passwords of SQL logins; null if the gateway's user may not read it. */
  readonly logins: readonly RoleVerifier[] | null
}

/** A batch of rows of a table, each as PostgreSQL writes a row, or the end of a table. The tables are in the header's order. */
export type BackupPart =
  | { readonly table: string; readonly rows: readonly string[] }
  | { readonly table: string; readonly end: RowSum }

export type WritePart = (part: BackupPart) => Promise<void>

/** Where a backup is read from: a database, or a file. */
export interface BackupSource {
  readonly header: BackupHeader
  /** Hands over all parts in order, waiting for each to be taken. */
  read(write: WritePart): Promise<void>
}

/** Bytes of rows that are read and held at once. */
const BATCH_BYTES = 512 * 1_024
const MAX_BATCH_ROWS = 2_000

/**
 * Does the work with a source that reads one state of the database. The embedded database serves nothing else until the work
 * ends; PostgreSQL keeps serving.
 */
export function withDatabaseSource<T>(
  database: Database,
  work: (source: BackupSource) => Promise<T>,
): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.script('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
    await tx.script(ROW_TEXT_SETTINGS)
    const tables = await loadTables(tx)
    const header: BackupHeader = {
      version: VERSION,
      createdAt: new Date().toISOString(),
      database: database.kind,
      migrations: await appliedMigrations(tx),
      tables,
      sequences: await loadSequences(tx),
      logins: database.kind === 'pglite' ? [] : await loadRoleVerifiers(tx),
    }
    const readTable = async (name: string, write: WritePart) => {
      const sum = new RowSummer()
      await tx.script(
        `DECLARE backup_rows NO SCROLL CURSOR FOR SELECT whole_row::text AS row FROM ${quotedName(name)} AS whole_row`,
      )
      for (let limit = 1; ; ) {
        const fetched = (await tx.rows(`FETCH ${limit} FROM backup_rows`)) as readonly { row: string }[]
        if (fetched.length === 0) break
        const rows = fetched.map(({ row }) => row)
        sum.add(rows)
        await write({ table: name, rows })
        limit = nextBatch(rows)
      }
      await tx.script('CLOSE backup_rows')
      await write({ table: name, end: sum.result() })
    }
    return work({
      header,
      read: async (write) => {
        for (const { name } of tables) await readTable(name, write)
      },
    })
  }, BATCH_LIMITS)
}

/** As many rows as probably fit, at most four times as many as before. */
function nextBatch(rows: readonly string[]): number {
  const bytes = rows.reduce((sum, row) => sum + row.length, 1)
  const fitting = Math.floor((BATCH_BYTES * rows.length) / bytes)
  return Math.max(1, Math.min(fitting, rows.length * 4, MAX_BATCH_ROWS))
}
