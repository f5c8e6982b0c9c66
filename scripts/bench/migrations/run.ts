// Measures for how long each migration since 0.1.0 keeps requests from which tables, on a database with the rows of a million
// candles. The time is that of the whole transaction, so an upper bound. The guide "Upgrades" has the figures.
// npm run -s bench:migrations -- [--candles 1000000]
// BENCH_DATABASE_URL is the server. The database is dropped at the end.
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Database, openDatabase, type Sql } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { MIGRATION_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { DEFAULT_SERVER } from '../shared/options.js'
import { fillReleased } from './fill.js'

const MIGRATIONS = resolve(import.meta.dirname, '../../../prisma/migrations')
const LAST_OF_0_1_0 = '20261120190000_commits'

/** Tables of 0.1.0 that the transaction keeps from others, with what it keeps from them. */
const LOCKED = `SELECT c.relname::text AS name, bool_or(l.mode = 'AccessExclusiveLock') AS "areReads"
  FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  WHERE l.pid = pg_backend_pid() AND l.granted AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') AND c.oid = ANY ($1::oid[])
  GROUP BY 1 ORDER BY 1`

async function tablesOf(sql: Sql): Promise<readonly number[]> {
  const rows = await sql.rows<{ oid: number }>(
    `SELECT oid::int8 AS oid FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND NOT relispartition`,
  )
  return rows.map(({ oid }) => oid)
}

/** Applies one migration. Returns a line with its time and the tables that it locked. */
async function measure(database: Database, name: string, tables: readonly number[]): Promise<string> {
  const sql = readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8')
  const startedAt = performance.now()
  const locked = await database.transaction(async (tx) => {
    await tx.script(sql)
    return tx.rows<{ name: string; areReads: boolean }>(LOCKED, [tables])
  }, MIGRATION_LIMITS)
  const ms = Math.round(performance.now() - startedAt)
  const waits = locked.map((table) => `${table.name} (${table.areReads ? 'reads and writes' : 'writes'})`)
  return `| ${name} | ${ms} | ${waits.join(', ') || 'none'} |\n`
}

async function run(candles: number): Promise<void> {
  const serverUrl = process.env.BENCH_DATABASE_URL ?? DEFAULT_SERVER
  const server = await openDatabase({ kind: 'postgres', url: serverUrl }, { limits: MIGRATION_LIMITS })
  const name = `mdg_bench_migrations_${process.pid}`
  await server.rows(`CREATE DATABASE ${name} TEMPLATE template0`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const database = await openDatabase(
    { kind: 'postgres', url: url.href, poolSize: 1 },
    { limits: MIGRATION_LIMITS },
  )
  try {
    const names = readdirSync(MIGRATIONS)
      .filter((each) => /^\d{14}_/.test(each))
      .sort()
    await migrate(database, MIGRATIONS, { only: new Set(names.filter((each) => each <= LAST_OF_0_1_0)) })
    const tables = await tablesOf(database)
    const counts = await fillReleased(database, candles)
    process.stdout.write(`${cpus()[0]?.model}, ${cpus().length} cores; ${JSON.stringify(counts)}\n\n`)
    process.stdout.write('| migration | ms | tables that others wait for |\n|---|---|---|\n')
    for (const each of names.filter((later) => later > LAST_OF_0_1_0))
      process.stdout.write(await measure(database, each, tables))
  } finally {
    await database.close()
    await server.rows(`DROP DATABASE ${name} WITH (FORCE)`)
    await server.close()
  }
}

const { values } = parseArgs({ options: { candles: { type: 'string', default: '1000000' } } })
await run(Number(values.candles))
