import { existsSync, openAsBlob } from 'node:fs'
import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, inject } from 'vitest'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { BATCH_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { eventually } from '../eventually.js'
import { onceForRun } from '../vitest/once-for-run.js'
import { ReusedDatabases } from './reused-databases.js'

export type DatabaseKind = 'pglite' | 'postgres'

/** Empty: migrated tables only. Seeded: the synthetic world of src/ingest/seed, made at `SEEDED_AT`. */
export type World = 'empty' | 'seeded'

/** Current: the seeded world as a development start of today leaves it, so that a gateway started on it has little to add. */
export type StartedWorld = World | 'current'

/** The clock of the seeded world; tests on it fix theirs here. */
export const SEEDED_AT = new Date('2026-11-20T12:00:00Z')

export const MIGRATIONS = resolve(import.meta.dirname, '../../../prisma/migrations')

const SEED_FILE = resolve(import.meta.dirname, '../../../src/ingest/seed/seed-world.ts')

/** The kinds that this machine can test: PGlite always, PostgreSQL when it answers. */
export function availableDatabases(): readonly DatabaseKind[] {
  return inject('postgresUrl') === null ? ['pglite'] : ['pglite', 'postgres']
}

/** For what has nothing to do with the kind of database: PostgreSQL where it answers, which opens sooner. */
export function quickestDatabase(): DatabaseKind {
  return availableDatabases().at(-1) ?? 'pglite'
}

/** URL of a Redis that answers, or null: the test then skips. */
export function availableRedis(): string | null {
  return inject('redisUrl')
}

/** A database of the caller's own, migrated, holding the world, until it closes it. */
export async function openTestDatabase(kind: DatabaseKind, world: World = 'empty'): Promise<Database> {
  return reused[kind][world].open()
}

/**
 * For a file whose tests can share a database of each kind: opens it when it is first asked for, and closes it behind the
 * last test. To be called at the top of the file.
 */
export function databasesOfFile(world: World = 'empty'): (kind: DatabaseKind) => Promise<Database> {
  const opened = new Map<DatabaseKind, Promise<Database>>()
  afterAll(async () => {
    await Promise.all([...opened.values()].map(async (database) => (await database).close()))
  })
  return (kind) => {
    const database = opened.get(kind) ?? openTestDatabase(kind, world)
    opened.set(kind, database)
    return database
  }
}

/** URL of a new PostgreSQL database: blank, or a copy of `template`. */
export async function createPostgresDatabase(template = 'template0'): Promise<string> {
  const name = nextName()
  await onServer((server) => server.rows(`CREATE DATABASE "${name}" TEMPLATE "${template}"`))
  return urlOf(name)
}

export async function dropPostgresDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await onServer(async (server) => {
    const [found] = await server.rows<{ oid: number }>(
      'SELECT oid::int4 AS oid FROM pg_database WHERE datname = $1',
      [name],
    )
    await server.rows(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
    if (found !== undefined) await dropSqlRoles(server, `star_reader_${found.oid}`)
  })
}

/** Roles belong to the server, so they stay when their database goes. */
async function dropSqlRoles(server: Database, group: string): Promise<void> {
  const roles = await server.rows<{ name: string }>(
    `SELECT r.rolname::text AS name FROM pg_roles r WHERE r.rolname = $1 OR EXISTS (SELECT FROM pg_auth_members m
       JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid AND g.rolname = $1 AND r.rolname LIKE 'sql\\_%')
     ORDER BY r.rolname = $1`,
    [group],
  )
  for (const { name } of roles) await server.rows(`DROP ROLE "${name}"`)
}

/** Makes `directory`, which is not there yet, an embedded database that holds the world. */
export async function copyEmbeddedWorld(world: StartedWorld, directory: string): Promise<void> {
  await cp(await embeddedTemplate(world), directory, { recursive: true })
}

function reusedPglite(world: World): ReusedDatabases<Database> {
  return new ReusedDatabases({
    make: async () => openDatabase({ kind: 'memory', loadDataDir: await embeddedImage(world) }),
    open: async (engine) => engine,
    leave: async () => {},
    remove: (engine) => engine.close(),
  })
}

/**
 * The world as a database in memory loads it, several times as fast as it makes a blank one; made when the first asks, since
 * processes ask for directories alone.
 */
export async function embeddedImage(world: World): Promise<Blob> {
  const tarball = join(inject('runDirectory'), `pglite-${world}.tar`)
  const opened = join(inject('runDirectory'), `pglite-${world}-dumped`)
  await embeddedTemplate(world)
  await onceForRun(`pglite-${world}-tar`, async () => {
    // The dump needs the engine, and nobody may hold the template while others copy it.
    await copyEmbeddedWorld(world, opened)
    const engine = await PGlite.create(opened)
    const dump = await engine.dumpDataDir('none')
    await engine.close()
    await writeFile(tarball, Buffer.from(await dump.arrayBuffer()))
    await rm(opened, { recursive: true })
  })
  return openAsBlob(tarball)
}

/** What each world is made from: making a cluster and migrating it takes seconds, as does seeding. */
const MADE_FROM = { empty: null, seeded: 'empty', current: 'seeded' } as const

/** The world as a directory that nobody holds. */
async function embeddedTemplate(world: StartedWorld): Promise<string> {
  const directory = join(inject('runDirectory'), `pglite-${world}`)
  const base = MADE_FROM[world]
  if (base !== null) await embeddedTemplate(base)
  await onceForRun(`pglite-${world}`, async () => {
    if (base !== null) await copyEmbeddedWorld(base, directory)
    // Seeding needs the real Database, so the world is made in a directory.
    const database = await openDatabase({ kind: 'embedded', directory })
    await makeWorld(database, world).finally(() => database.close())
    await removeSpareFiles(directory)
  })
  return directory
}

/**
 * Removes what copying and opening a world takes longer for than for its data: the segments of the write-ahead log that
 * PostgreSQL keeps to write them again, 16 MB each, of which after a shutdown the newest checkpoint's alone is needed, and
 * the databases beside it, to which nobody connects.
 */
async function removeSpareFiles(directory: string): Promise<void> {
  const engine = await PGlite.create(directory)
  await engine.exec('checkpoint')
  const wal = await engine.query<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name')
  const others = await engine.query<{ oid: number }>(
    'select oid from pg_database where datname <> current_database()',
  )
  await engine.close()
  const log = join(directory, 'pg_wal')
  const segments = (await readdir(log)).filter((name) => /^[\dA-F]{24}$/.test(name))
  const spare = [
    ...segments.filter((name) => name !== wal.rows[0]?.name).map((name) => join(log, name)),
    ...others.rows.map(({ oid }) => join(directory, 'base', String(oid))),
  ]
  await Promise.all(spare.map((path) => rm(path, { recursive: true, force: true }))) // gone already in the world it was made from
}

/** URL of a new PostgreSQL database that holds the world; to be dropped by `dropPostgresDatabase`. */
export async function copyPostgresWorld(world: StartedWorld): Promise<string> {
  const template = await postgresTemplate(world)
  return createPostgresDatabase(template)
}

async function postgresTemplate(world: StartedWorld): Promise<string> {
  const template = `${inject('databasePrefix')}${world}`
  const base = MADE_FROM[world]
  const from = base === null ? 'template0' : await postgresTemplate(base)
  await onceForRun(`postgres-${world}`, async () => {
    await onServer((server) => server.rows(`CREATE DATABASE "${template}" TEMPLATE "${from}"`))
    const database = await openDatabase({ kind: 'postgres', url: urlOf(template) })
    await makeWorld(database, world).finally(() => database.close())
  })
  return template
}

function reusedPostgres(world: World): ReusedDatabases<string> {
  return new ReusedDatabases({
    make: () => copyPostgresWorld(world),
    open: (url) => openDatabase({ kind: 'postgres', url, poolSize: 4 }),
    leave: (database) => database.close(),
    remove: dropPostgresDatabase,
  })
}

const reused = {
  pglite: { empty: reusedPglite('empty'), seeded: reusedPglite('seeded') },
  postgres: { empty: reusedPostgres('empty'), seeded: reusedPostgres('seeded') },
} as const

async function makeWorld(database: Database, world: StartedWorld): Promise<void> {
  await migrate(database, MIGRATIONS)
  if (world === 'empty') return
  if (!existsSync(SEED_FILE)) throw new Error(`there is no seeded world: ${SEED_FILE} does not exist`)
  // By path, so that tests of other worlds load none of it. Cast: the compiler does not follow a computed import.
  const seed = (await import(pathToFileURL(SEED_FILE).href)) as {
    seedWorld: (database: Database, now: Date) => Promise<void>
  }
  await seed.seedWorld(database, world === 'current' ? new Date() : SEEDED_AT)
}

let made = 0

function nextName(): string {
  made += 1
  return `${inject('databasePrefix')}${process.pid}_${made}_${Date.now().toString(36)}`
}

function urlOf(name: string): string {
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return url.href
}

async function onServer(work: (server: Database) => Promise<unknown>): Promise<void> {
  // Creating and dropping a database takes seconds on a busy machine, and so does the first connection.
  const target = { kind: 'postgres', url: serverUrl(), poolSize: 1 } as const
  const server = await openDatabase(target, { limits: BATCH_LIMITS })
  try {
    await eventually(() => server.rows('select 1'))
    await work(server)
  } finally {
    await server.close()
  }
}

function serverUrl(): string {
  const url = inject('postgresUrl')
  if (url === null) throw new Error('PostgreSQL does not answer; ask availableDatabases() first')
  return url
}
