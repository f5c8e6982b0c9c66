import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { KeyedMutex, lockInProcess } from '../locks/advisory-locks.js'
import type { SqlConnection, SqlDriver } from '../sql-driver.js'
import { COLUMN_READERS } from '../sql-values.js'
import { lockDirectory } from './directory-lock.js'
import {
  assertWholeDirectory,
  BrokenDirectory,
  hasCreationMarker,
  markCreation,
} from './embedded-directory.js'
import { NamedStatements } from './named-statements.js'
import { makeFilesPrivate, makePrivateDirectory, narrowContents } from './private-files.js'

/**
 * PGlite's own 128 MB of buffers take as much memory, and half the time of opening a database. With these, scans and reads
 * by key of the seeded world (50 MB) took as long: the files are in memory all the same, with the operating system.
 */
const START = [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB']

/** PGlite on a directory that only this process may hold and only its user may read; created when absent. */
export async function openEmbedded(directory: string): Promise<SqlDriver> {
  makeFilesPrivate()
  makePrivateDirectory(directory)
  const lock = lockDirectory(directory)
  try {
    const driver = await driverOf(await openOrCreate(lock.directory))
    await narrowContents(lock.directory)
    return {
      ...driver,
      close: async () => {
        await driver.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** PGlite without a directory, empty or from a tarball of `dumpDataDir`. */
export async function openMemory(loadDataDir: Blob | undefined): Promise<SqlDriver> {
  return driverOf(await PGlite.create({ startParams: START, ...(loadDataDir && { loadDataDir }) }))
}

/**
 * A process killed while it copied the new cluster leaves a directory that may never open. A marker beside the directory
 * exists until the first open has succeeded. Before that nothing was acknowledged, so the directory may be created again.
 * Only an empty directory is marked: other files of a user are not removed.
 */
async function openOrCreate(directory: string): Promise<PGlite> {
  const marker = `${directory}.creating`
  const entries = await readdir(directory)
  const isNew = (await hasCreationMarker(marker)) || entries.length === 0
  if (!isNew) {
    await assertWholeDirectory(directory)
    return openEngine(directory)
  }
  await markCreation(marker)
  await Promise.all(entries.map((entry) => rm(join(directory, entry), { recursive: true })))
  const engine = await openEngine(directory)
  await rm(marker)
  return engine
}

/** Throws BrokenDirectory when the engine fails: its own message describes internals. */
async function openEngine(directory: string): Promise<PGlite> {
  try {
    return await PGlite.create({ dataDir: directory, startParams: START })
  } catch (cause) {
    throw new BrokenDirectory(
      directory,
      'PostgreSQL gave up while it started, so some of its files are damaged',
      {
        cause,
      },
    )
  }
}

async function driverOf(engine: PGlite): Promise<SqlDriver> {
  await engine.exec("SET TIME ZONE 'UTC'") // Prisma's adapter reads and writes instants without offset
  // The engine's own parsers have an entry for each array type, rows of every table included. A statement with readers
  // copies them all, which is half the time of a short statement. Prisma's adapter passes the parsers that differ.
  engine.parsers = { ...COLUMN_READERS }
  // As on PostgreSQL: a named statement is planned once; in a transaction statements are planned for their values.
  await engine.exec('SET plan_cache_mode TO force_generic_plan')
  const named = new NamedStatements(engine)
  const inUse = new KeyedMutex()
  return {
    query: (sql, parameters) => named.rows(sql, parameters),
    transaction: (work) =>
      engine.transaction(async (tx) => {
        await tx.exec('SET LOCAL plan_cache_mode TO auto')
        return work({ ...connectionOf(tx), adapter: adapterOf(tx) })
      }),
    holding: (names, work) => lockInProcess(connectionOf(engine), inUse, names, work),
    ping: async () => {
      await engine.query('SELECT 1')
    },
    poolUse: () => null,
    limitMs: null,
    adapter: new PrismaPGlite(engine),
    close: async () => {
      await engine.exec('CHECKPOINT') // so that the next start has no log to replay
      await engine.close()
    },
  }
}

// PGlite's own serializer of bytea (17) takes no text; ours sends text for every type.
const OPTIONS = { serializers: { 17: (text: string) => text } }

function connectionOf(engine: PGlite | Transaction): SqlConnection {
  return {
    query: async (sql, parameters) => (await engine.query(sql, [...parameters], OPTIONS)).rows,
    execute: async (sql) => {
      await engine.exec(sql)
    },
  }
}

/** Prisma's adapter asks of the engine no more than a transaction has too: `query`. */
function adapterOf(tx: Transaction): PrismaPGlite {
  return new PrismaPGlite(tx as unknown as PGlite)
}
