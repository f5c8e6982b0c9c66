import { resolve } from 'node:path'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { BATCH_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { fillChanges, fillSnapshots } from './load-analysis.js'
import { fillMacro } from './load-macro.js'
import { fillAssets, fillCandles, fillRates } from './load-series.js'
import { type Scale, scaleOf } from './scale.js'

const MIGRATIONS = resolve(import.meta.dirname, '../../../prisma/migrations')

/** One connection for each core of the loader. */
const POOL_SIZE = 2

/** Tables in the order of loading. Each grows with the candles. */
const TABLES = [
  'asset',
  'instrument',
  'candle',
  'forex_rate',
  'macro_observation',
  'analysis_snapshot',
  'analysis_change',
] as const

export type Table = (typeof TABLES)[number]

/** A database of a given size. */
export interface Stage {
  readonly name: string
  readonly database: Database
  readonly scale: Scale
  readonly rows: Readonly<Record<Table, number>>
  readonly loadSeconds: number
}

/** Creates a database on the server, fills it and vacuums it. */
export async function prepare(server: Database, serverUrl: string, size: number): Promise<Stage> {
  const name = `mdg_growth_${size}_${process.pid}`
  await server.rows(`create database "${name}" template template0`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const database = await openDatabase(
    { kind: 'postgres', url: url.href, poolSize: POOL_SIZE },
    { limits: BATCH_LIMITS },
  )
  const scale = scaleOf(size)
  try {
    await migrate(database, MIGRATIONS)
    const startedAt = performance.now()
    await load(database, scale)
    const loadSeconds = (performance.now() - startedAt) / 1000
    return { name, database, scale, rows: await countRows(database), loadSeconds }
  } catch (error) {
    await drop(server, { name, database })
    throw error
  }
}

export async function drop(
  server: Database,
  { name, database }: Pick<Stage, 'name' | 'database'>,
): Promise<void> {
  await database.close()
  await server.rows(`drop database if exists "${name}" with (force)`)
}

async function load(database: Database, scale: Scale): Promise<void> {
  await fillAssets(database, scale)
  await withoutIndexes(database, 'candle', () => fillCandles(database, scale))
  await withoutIndexes(database, 'forex_rate', () => fillRates(database, scale))
  await withoutIndexes(database, 'macro_observation', () => fillMacro(database, scale))
  await withoutIndexes(database, 'analysis_snapshot', () => fillSnapshots(database, scale))
  await withoutIndexes(database, 'analysis_change', () => fillChanges(database))
  await database.rows('vacuum (analyze)')
}

interface Constraint {
  readonly owner: string
  readonly name: string
  readonly definition: string
}

/** Creates indexes after the rows, and the foreign keys that need them. Sorted builds are several times as fast. */
async function withoutIndexes(database: Database, table: Table, fill: () => Promise<void>): Promise<void> {
  const constraints = await database.rows<Constraint>(
    `select conrelid::regclass::text as owner, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where conparentid = 0 and (conrelid = $1::regclass and contype in ('p', 'u') or confrelid = $1::regclass and contype = 'f')
     order by contype <> 'f'`,
    [table],
  )
  const indexes = await database.rows<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name,
       replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition -- on the partitions as well
     from pg_index where indrelid = $1::regclass
       and not exists (select 1 from pg_constraint where conindid = indexrelid)`,
    [table],
  )
  await database.script(
    [
      ...constraints.map(({ owner, name }) => `alter table ${owner} drop constraint ${name};`),
      ...indexes.map(({ name }) => `drop index ${name};`),
    ].join('\n'),
  )
  await fill()
  await database.script(
    [
      "set local maintenance_work_mem = '512MB';",
      ...constraints
        .toReversed()
        .map(({ owner, name, definition }) => `alter table ${owner} add constraint ${name} ${definition};`),
      ...indexes.map(({ definition }) => `${definition};`),
    ].join('\n'),
  )
}

async function countRows(database: Database): Promise<Stage['rows']> {
  const counts = TABLES.map(async (table) => {
    const [count] = await database.rows<{ rows: number }>(`select count(*) as rows from ${table}`)
    return [table, count?.rows ?? 0] as const
  })
  return Object.fromEntries(await Promise.all(counts)) as Stage['rows'] // an entry per table
}
