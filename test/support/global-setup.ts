import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { pgbouncerBinary } from './pgbouncer.js'
import { clusterBinaries } from './postgres-cluster.js'

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

const POSTGRES_URL = process.env.TEST_DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:5432/postgres'
const REDIS_URL = process.env.REDIS_TEST_URL ?? 'redis://127.0.0.1:6379'
const ANSWER_MS = 2_000

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgresUrl = await answering('PostgreSQL', POSTGRES_URL, askPostgres)
  const redisUrl = await answering('Redis', REDIS_URL, askRedis)
  // No service of this machine: tests start their own where they can.
  if (clusterBinaries() === null) skipped('initdb and pg_basebackup of PostgreSQL')
  if (pgbouncerBinary() === null) skipped('PgBouncer')
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

async function askPostgres(url: string): Promise<void> {
  await onServer(url, (client) => client.query('SELECT 1'))
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

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** A PING in Redis' own words: no client with its reconnecting is needed to see whether one answers. */
function askRedis(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: Number(port || 6379) })
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error(`no answer in ${ANSWER_MS} ms`)))
    socket.on('error', reject)
    socket.on('connect', () => socket.write('PING\r\n'))
    socket.on('data', () => {
      socket.destroy()
      resolve() // an error such as NOAUTH is an answer too
    })
  })
}
