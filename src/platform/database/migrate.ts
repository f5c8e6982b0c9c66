import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../../core/has-code.js'
import type { Database, Sql, Transaction } from './database.js'
import { statement } from './statement.js'
import { MIGRATION_LIMITS } from './statement-limits.js'

/** The advisory lock that Prisma's own `migrate deploy` takes: the two exclude each other. */
export const MIGRATION_LOCK = 72_707_369

// Prisma's own definition, so that its CLI and this runner accept what the other wrote.
const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`

export interface KnownMigration {
  readonly name: string
  /** SHA-256 of migration.sql, hex, as Prisma records it. */
  readonly checksum: string
}

interface Migration extends KnownMigration {
  readonly sql: string
}

/**
 * Which migrations: all, or only those that nodes of the version before survive (expand). A contract migration removes what
 * these nodes still read; its name ends with `_contract`.
 */
export type MigrationParts = 'expand' | 'all'

const CONTRACT = '_contract'

/**
 * Applies the migrations of `directory` (`<time>_<what>/migration.sql`) that the database lacks, in order of name,
 * and returns their names. Each is one transaction: a failing one leaves nothing behind, and its error is thrown with its
 * name. A migration that waits for a lock gives up soon and starts again, because requests wait behind it, or has a deadlock with one. Many nodes may
 * start at once: each migration runs once. Throws if an applied migration was edited, or if Prisma's CLI left one half
 * applied. Statements that cannot run in a transaction cannot be used.
 */
export async function migrate(
  database: Database,
  directory: string,
  { onBlocked = () => {}, patienceMs = PATIENCE_MS, only, parts = 'all' }: MigrateOptions = {},
): Promise<readonly string[]> {
  const applied: string[] = []
  const pending = await pendingOf(database, await readMigrations(directory), parts)
  for (const migration of only === undefined ? pending : pending.filter(({ name }) => only.has(name))) {
    const deadline = performance.now() + patienceMs
    for (;;) {
      try {
        if (await applyOnce(database, migration)) applied.push(migration.name)
        break
      } catch (error) {
        if (!isBlocked(error) || performance.now() > deadline) throw error
        onBlocked(migration.name)
        await sleep(PAUSE_MS * (1 + Math.random()))
      }
    }
  }
  return applied
}

export interface MigrateOptions {
  /** Called with the name of a migration each time it gives up waiting for a lock. */
  readonly onBlocked?: (name: string) => void
  /** How long a blocked migration is retried; by default PATIENCE_MS. */
  readonly patienceMs?: number
  /** Names of the migrations to apply; by default all. */
  readonly only?: ReadonlySet<string>
  /** By default all. A database without any migration gets all of them, because no node serves it yet. */
  readonly parts?: MigrationParts
}

/**
 * Requests for a table wait behind a statement that waits to lock it, and then for the statement itself: a quarter of the time that
 * a request's statement has. It is also shorter than PostgreSQL's `deadlock_timeout`.
 */
const LOCK_TIMEOUT_MS = 500

/** Pause between two attempts, up to twice as long: requests that waited behind the last one are served in the meantime. */
const PAUSE_MS = 1_000

/** How long a blocked migration is retried by default. */
export const PATIENCE_MS = 10 * 60_000

/** SQLSTATE of a lock that was not free in time, and of a transaction that was ended because a request waited for it too. */
const BLOCKED = ['55P03', '40P01'] as const

function isBlocked(error: unknown): boolean {
  return error instanceof Error && BLOCKED.some((code) => hasCode(error.cause, code))
}

/** Names of the migrations in `directory` that `migrate` would apply; throws as it does. Changes nothing. */
export async function pendingMigrations(
  database: Database,
  directory: string,
  parts: MigrationParts = 'all',
): Promise<readonly string[]> {
  return pendingNames(database, await readMigrations(directory), parts)
}

/** The expand migrations that are pending, for repeated calls: the files are read once. */
export function watchMigrations(directory: string): (sql: Sql) => Promise<readonly string[]> {
  let known: readonly KnownMigration[] | null = null
  return async (sql) => {
    known ??= await knownMigrations(directory)
    return pendingNames(sql, known, 'expand')
  }
}

/** The migrations in `directory`, by name. */
export async function knownMigrations(directory: string): Promise<readonly KnownMigration[]> {
  return (await readMigrations(directory)).map(({ name, checksum }) => ({ name, checksum }))
}

/** The migrations that a database has, by name; none before the first. */
export async function appliedMigrations(sql: Sql): Promise<readonly KnownMigration[]> {
  const applied = [...(await recordedChecksums(sql))].map(([name, checksum]) => ({ name, checksum }))
  return applied.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function pendingNames(
  sql: Sql,
  migrations: readonly KnownMigration[],
  parts: MigrationParts,
): Promise<readonly string[]> {
  return (await pendingOf(sql, migrations, parts)).map(({ name }) => name)
}

async function readMigrations(directory: string): Promise<readonly Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

const HISTORY_EXISTS = statement(
  'lacks catalogue',
  { exists: 'bool' },
  `SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS "exists"`,
)

async function pendingOf<M extends KnownMigration>(
  sql: Sql,
  migrations: readonly M[],
  parts: MigrationParts,
): Promise<readonly M[]> {
  const checksums = await recordedChecksums(sql)
  const isWhole = parts === 'all' || checksums.size === 0
  const wanted = isWhole ? migrations : migrations.filter(({ name }) => !name.endsWith(CONTRACT))
  return wanted.filter((migration) => !isApplied(migration, checksums))
}

/** Checksums by name; none before the first migration. */
async function recordedChecksums(sql: Sql): Promise<ReadonlyMap<string, string>> {
  const [table] = await sql.rows(HISTORY_EXISTS)
  return table?.exists === true ? appliedChecksums(sql) : new Map()
}

/** True if it was applied here, false if another node had applied it. */
async function applyOnce(database: Database, migration: Migration): Promise<boolean> {
  return database.transaction(async (tx) => {
    await tx.rows('SELECT pg_advisory_xact_lock($1)::text', [MIGRATION_LOCK])
    await tx.script(HISTORY_TABLE)
    // Only a read under the lock stays true until the commit.
    if (isApplied(migration, await appliedChecksums(tx))) return false
    // Only from here on: nodes wait for each other as long as a migration takes.
    await tx.script(`SET LOCAL lock_timeout TO ${LOCK_TIMEOUT_MS}`)
    await apply(tx, migration)
    return true
  }, MIGRATION_LIMITS)
}

async function apply(tx: Transaction, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await tx.script(sql)
  } catch (error) {
    throw new Error(`Migration ${name} failed and left nothing behind: ${messageOf(error)}`, { cause: error })
  }
  await tx.rows(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  )
}

const APPLIED = statement(
  'lacks table of migrations',
  { name: 'varchar', checksum: 'varchar', finished: 'bool' },
  `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
   FROM "_prisma_migrations" WHERE rolled_back_at IS NULL`,
)

async function appliedChecksums(sql: Sql): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.rows(APPLIED)
  const failed = rows.find((row) => !row.finished)
  if (failed !== undefined) {
    throw new Error(
      `Migration ${failed.name} failed half-way earlier: repair the database, then run ` +
        `"npx prisma migrate resolve" with --applied or --rolled-back ${failed.name}`,
    )
  }
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

function isApplied({ name, checksum }: KnownMigration, checksums: ReadonlyMap<string, string>): boolean {
  const recorded = checksums.get(name)
  if (recorded !== undefined && recorded !== checksum) {
    throw new Error(
      `Migration ${name} was edited after it was applied: restore it and add a new migration instead`,
    )
  }
  return recorded !== undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
