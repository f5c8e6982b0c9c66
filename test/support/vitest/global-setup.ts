import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { pgbouncerBinary } from '../database/pgbouncer.js'
import { clusterBinaries } from '../database/postgres-cluster.js'
import { mayStartRedis } from '../redis/redis-server.js'
import { askPostgres, askRedis, onServer, POSTGRES_URL, REDIS_URL } from './services.js'

// Runs once per test run, before the workers: looks which services answer and names what the run makes.
// The template databases themselves are made by the first test that asks (database.ts), since most tests need none.

declare module 'vitest' {
  interface ProvidedContext {
    /** Base URL of a PostgreSQL that answers, or null. */
    postgresUrl: string | null
    /** URL of a Redis that answers, or null. */
    redisUrl: string | null
    /** Directory of this run: templates and their locks. */
    runDirectory: string
    /** Begins the name of each database this run makes. */
    databasePrefix: string
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgresUrl = await answering('PostgreSQL', POSTGRES_URL, askPostgres)
  const redisUrl = await answering('Redis', REDIS_URL, askRedis)
  // No service of this machine: tests start their own where they can.
  if (clusterBinaries() === null) skipped('initdb and pg_basebackup of PostgreSQL')
  if (pgbouncerBinary() === null) skipped('PgBouncer')
  if (!mayStartRedis()) skipped('redis-server and redis-cli')
  const databasePrefix = `mdg_test_${process.pid}_`
  const runDirectory = await mkdtemp(join(tmpdir(), databasePrefix))
  project.provide('postgresUrl', postgresUrl)
  project.provide('redisUrl', redisUrl)
  project.provide('runDirectory', runDirectory)
  project.provide('databasePrefix', databasePrefix)
  return async () => {
    await rm(runDirectory, { recursive: true, force: true })
    if (postgresUrl !== null) await dropDatabases(postgresUrl, databasePrefix)
  }
}

function skipped(what: string): void {
  process.stderr.write(`${what}: not installed, or no user to run as; tests that start it are skipped\n`)
}

async function answering(
  name: string,
  url: string,
  ask: (url: string) => Promise<void>,
): Promise<string | null> {
  try {
    await ask(url)
    return url
  } catch (error) {
    const where = new URL(url).host
    if (process.env.REQUIRE_SERVICES === '1')
      throw new Error(`${name} does not answer at ${where}`, { cause: error })
    process.stderr.write(`${name} does not answer at ${where}: its tests are skipped\n`)
    return null
  }
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  await onServer(url, async (client) => {
    const found = await client.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
      prefix,
    ])
    for (const { datname } of found.rows)
      await client.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`)
  })
}
