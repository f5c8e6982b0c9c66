import type { Database, Sql, Transaction } from '../database/database.js'
import { appliedMigrations, knownMigrations, migrate } from '../database/migrate.js'
import { quotedName, quotedText } from '../database/sql-roles/quoted.js'
import { MIGRATION_LIMITS } from '../database/statement-limits.js'
import type { BackupHeader, BackupSource } from './backup-source.js'
import {
  type BackedUpTable,
  loadForeignKeys,
  loadSequences,
  loadTables,
  ROW_TEXT_SETTINGS,
} from './catalogue.js'
import { RestoreRefused } from './restore-refused.js'
import { type RowSum, rowSumOf } from './row-sum.js'

export interface Restored {
  /** Number of rows by table. */
  readonly tables: ReadonlyMap<string, number>
  /** Tables of the backup that no migration of the gateway creates: somebody else made them in its schema. */
  readonly foreign: readonly string[]
}

/**
 * Writes a backup into an empty database. The database gets the tables of the backup's version, then all rows in one
 * transaction, then the remaining migrations of this version. The rows are read back and compared with the backup before
 * the commit: a killed process, and a backup that is cut or damaged, leave no row. Throws RestoreRefused for a database
 * with rows and for a backup of a newer version. `migrations` is the directory of this version's migrations.
 */
export async function restore(
  database: Database,
  source: BackupSource,
  migrations: string,
): Promise<Restored> {
  const { header } = source
  await assertRestorable(database, header, migrations)
  const only = new Set(header.migrations.map(({ name }) => name))
  await migrate(database, migrations, { only })
  const restored = await database.transaction(async (tx) => {
    await tx.script(ROW_TEXT_SETTINGS)
    const own = await ownTables(tx, header)
    await lockTables(tx, own)
    await assertEmpty(tx, own)
    const tables = await load(tx, source, own)
    await setSequences(tx, header)
    const foreign = header.tables.flatMap(({ name }) => (tables.has(name) ? [] : [name]))
    return { tables, foreign }
  }, MIGRATION_LIMITS)
  await migrate(database, migrations)
  await database.script('ANALYZE')
  return restored
}

async function assertRestorable(
  database: Database,
  { migrations, version }: BackupHeader,
  directory: string,
): Promise<void> {
  const known = new Map((await knownMigrations(directory)).map(({ name, checksum }) => [name, checksum]))
  const foreign = migrations.find(({ name, checksum }) => known.get(name) !== checksum)
  if (foreign !== undefined)
    throw new RestoreRefused(
      `the backup is from version ${version}, whose migration ${foreign.name} this version lacks: restore it with version ${version} or a newer one`,
    )
  const wanted = new Set(migrations.map(({ name }) => name))
  const ahead = (await appliedMigrations(database)).find(({ name }) => !wanted.has(name))
  if (ahead !== undefined)
    throw new RestoreRefused(
      `the database has the migration ${ahead.name}, which is newer than the backup: create an empty database`,
    )
  await assertEmpty(database, await loadTables(database))
}

/** A start of the gateway writes rows too, so a database that served anything is never overwritten. */
async function assertEmpty(sql: Sql, tables: readonly BackedUpTable[]): Promise<void> {
  for (const { name } of tables) {
    const rows = await sql.rows(`select 1 as one from ${quotedName(name)} limit 1`)
    if (rows.length > 0)
      throw new RestoreRefused(`the table ${name} has rows: a backup is restored into an empty database only`)
  }
}

/** The tables of the backup that the database has too. */
async function ownTables(sql: Sql, { tables }: BackupHeader): Promise<readonly BackedUpTable[]> {
  const present = new Map((await loadTables(sql)).map(({ name, columns }) => [name, columns.join()]))
  const own = tables.filter(({ name }) => present.has(name))
  const other = own.find(({ name, columns }) => present.get(name) !== columns.join())
  if (other === undefined) return own
  throw new RestoreRefused(
    `the table ${other.name} has other columns than in the backup: create an empty database`,
  )
}

/** A node that starts meanwhile waits, and then finds a database in use. */
async function lockTables(tx: Transaction, tables: readonly BackedUpTable[]): Promise<void> {
  const names = tables.map(({ name }) => quotedName(name))
  await tx.script(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`)
}

/**
 * Foreign keys are declared anew behind the rows, which checks them all at once. Triggers are off: what they would write is
 * in the backup.
 */
async function load(
  tx: Transaction,
  { header, read }: BackupSource,
  own: readonly BackedUpTable[],
): Promise<ReadonlyMap<string, number>> {
  const keys = await loadForeignKeys(tx)
  for (const { table, name } of keys)
    await tx.script(`ALTER TABLE ${quotedName(table)} DROP CONSTRAINT ${quotedName(name)}`)
  for (const { name } of own) await tx.script(`ALTER TABLE ${quotedName(name)} DISABLE TRIGGER USER`)
  const ended = new Map<string, number>()
  const inserts = new Map(own.map((table) => [table.name, insertOf(table)]))
  const names = new Set(header.tables.map(({ name }) => name))
  await read(async (part) => {
    if (!names.has(part.table) || ended.has(part.table))
      throw new RestoreRefused(`the backup is damaged: rows of ${part.table} are at a wrong place`)
    const insert = inserts.get(part.table)
    if (insert === undefined) return
    if ('rows' in part) await tx.rows(insert, [part.rows])
    else ended.set(part.table, await checkedRows(tx, part.table, part.end))
  })
  const missing = own.find(({ name }) => !ended.has(name))
  if (missing !== undefined)
    throw new RestoreRefused(`the backup is cut: the table ${missing.name} is not complete`)
  for (const { name } of own) await tx.script(`ALTER TABLE ${quotedName(name)} ENABLE TRIGGER USER`)
  for (const { table, name, definition } of keys)
    await tx.script(`ALTER TABLE ${quotedName(table)} ADD CONSTRAINT ${quotedName(name)} ${definition}`)
  return ended
}

/** Inserts row texts; the row type reads each once. */
function insertOf({ name, columns, generated }: BackedUpTable): string {
  const written = columns.filter((column) => !generated.includes(column)).map(quotedName)
  const values = written.map((column) => `(given.row).${column}`)
  return `insert into ${quotedName(name)} (${written.join(', ')}) overriding system value
    select ${values.join(', ')} from (select text::${quotedName(name)} as row from unnest($1::text[]) as text offset 0) as given`
}

async function checkedRows(tx: Transaction, table: string, end: RowSum): Promise<number> {
  const [stored] = (await tx.rows(rowSumOf(quotedName(table)))) as readonly RowSum[]
  if (stored?.rows !== end.rows || stored.sum !== end.sum)
    throw new RestoreRefused(
      `the backup is damaged: ${table} should have ${end.rows} rows and a sum of ${end.sum}; ${stored?.rows} rows with ${stored?.sum} were read back`,
    )
  return end.rows
}

/** Sequences of foreign tables are left out, as the tables are. */
async function setSequences(tx: Transaction, { sequences }: BackupHeader): Promise<void> {
  const present = new Set((await loadSequences(tx)).map(({ name }) => name))
  for (const { name, lastValue } of sequences)
    if (lastValue !== null && present.has(name))
      await tx.rows(`select setval(${quotedText(quotedName(name))}, $1::int8)::text`, [lastValue])
}
