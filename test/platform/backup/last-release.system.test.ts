import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
  MIGRATIONS,
} from '../../support/database/database.js'

const ROOT = resolve(import.meta.dirname, '../../..')

/** The commit of the last release, 0.1.0. */
const LAST_RELEASE = '09ccc8759e032bb29507901005b592d0e11a412e'

/** What 0.1.0 cannot do on the schema of 0.2.0: its ON CONFLICT (email) needs an index that is gone. The guide "Upgrades" says so. */
const FAILING: ReadonlySet<string> = new Set(['POST /auth/register'])

const directory = mkdtempSync(join(tmpdir(), 'mdg-last-release-'))

/** Installs the last release from the history of the checkout. Returns why it cannot be done here; null if it was done. */
function install(): string | null {
  const archive = spawnSync('git', ['archive', LAST_RELEASE], { cwd: ROOT, maxBuffer: 2 ** 28 })
  if (archive.status !== 0) return 'the history lacks its commit'
  const unpacked = spawnSync('tar', ['-x', '-C', directory], { input: archive.stdout })
  if (unpacked.status !== 0) return 'tar failed'
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory })
  return npm.status === 0 ? null : 'npm ci failed'
}

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const absent = availableDatabases().includes('postgres') ? install() : 'no PostgreSQL'

describe.skipIf(absent !== null)(
  `the last release on this schema${absent === null ? '' : ` (skipped: ${absent})`}`,
  () => {
    it('answers on each of its routes as on its own schema, and in a restored backup', {
      timeout: 900_000,
    }, async () => {
      const [url, restored] = [await createPostgresDatabase(), await createPostgresDatabase()]
      try {
        const before = await withLastRelease(url, statuses)
        expect(Object.values(before).filter((status) => status >= 500)).toEqual([])
        expect(Object.keys(before).length).toBeGreaterThanOrEqual(20)
        runOfGuide('pg_dump', url)
        const hashes = await snapshotHashes(url)
        expect(hashes.length).toBeGreaterThan(20)
        const database = await openDatabase({ kind: 'postgres', url })
        expect((await migrate(database, MIGRATIONS, { parts: 'expand' })).length).toBeGreaterThan(40)
        await database.close()
        const after = await withLastRelease(url, statuses)
        const changed = Object.keys(before).filter((route) => before[route] !== after[route])
        expect(changed.map((route) => [route, after[route]])).toEqual(
          [...FAILING].map((route) => [route, 500]),
        )
        runOfGuide('pg_restore', restored)
        expect(await snapshotHashes(restored)).toEqual(hashes)
        expect(await withLastRelease(restored, statuses)).toEqual(before)
      } finally {
        for (const one of [url, restored]) await dropPostgresDatabase(one)
      }
    })
  },
)

/** Runs the command of the guide "Upgrades" that begins so, in the directory of the test. */
function runOfGuide(program: string, databaseUrl: string): void {
  const guide = readFileSync(join(ROOT, 'src/gateway/pages/guides/upgrades.md'), 'utf8')
  const [, command = ''] = new RegExp(`\`(${program} [^\`]+)\``).exec(guide) ?? []
  const { status, stderr } = spawnSync('sh', ['-c', command], {
    cwd: directory,
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    encoding: 'utf8',
  })
  expect([command, status, stderr]).toEqual([expect.stringContaining(program), 0, ''])
}

async function snapshotHashes(databaseUrl: string): Promise<readonly string[]> {
  const database = await openDatabase({ kind: 'postgres', url: databaseUrl, poolSize: 1 })
  const rows = await database
    .rows<{ hash: string }>('select content_hash as hash from analysis_snapshot order by content_hash')
    .finally(() => database.close())
  return rows.map(({ hash }) => hash)
}

interface Running {
  readonly url: string
  readonly key: string
}

/** Runs the work on a gateway of the last release, which migrates and seeds the database to its own version. */
async function withLastRelease<T>(databaseUrl: string, work: (running: Running) => Promise<T>): Promise<T> {
  const dataDir = join(directory, 'data')
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...OWN_SECRETS }
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: directory,
    env: { ...env, SEED: 'on', PORT: '0', METRICS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /"port":(\d+).*"msg":"listening"/.exec(line)?.[1]
      if (port === undefined) continue
      child.stdout.resume()
      const keys = JSON.parse(readFileSync(join(dataDir, 'dev-keys.json'), 'utf8')) as { enterprise: string } // its own file
      return await work({ url: `http://127.0.0.1:${port}`, key: keys.enterprise })
    }
    throw new Error('the last release ended before it listened')
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

/** The status of each route, and of GraphQL. */
async function statuses({ url, key }: Running): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {}
  const send = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = { 'x-api-key': key },
  ) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(url + path, { method, headers: { ...headers, ...json }, ...init })
    const text = await response.text()
    return { status: response.status, text }
  }
  const document = JSON.parse((await send('GET', '/openapi.json')).text) as { paths: Record<string, object> }
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!('get' in methods)) continue
    const filled = path.replace(/\{(?:id|asset_id)\}/, 'bitcoin').replace('{ticker}', 'BTC')
    const { status } = await send('GET', filled === '/v1/forex' ? '/v1/forex?quote=USD' : filled)
    found[`GET ${path}`] = status
  }
  found['POST /graphql'] = (
    await send('POST', '/graphql', { query: '{ forex(quote: "USD") { data { date rate } } }' })
  ).status
  const made = await send('POST', '/auth/keys', { label: 'tried' })
  found['POST /auth/keys'] = made.status
  const id = /"key_id":"([^"]+)"/.exec(made.text)?.[1]
  found['POST /auth/keys/{key_id}/rotate'] = (await send('POST', `/auth/keys/${id}/rotate`)).status
  found['DELETE /auth/keys/{key_id}'] = (await send('DELETE', `/auth/keys/${id}`)).status
  const account = { email: `ada-${Date.now()}@example.org`, password: 'correct horse battery staple' }
  found['POST /auth/register'] = (await send('POST', '/auth/register', account, {})).status
  return found
}
