import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadBrokenSnapshots } from '../../../src/domains/analysis/snapshots/proof-store.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { pendingMigrations } from '../../../src/platform/database/migrate.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
  MIGRATIONS,
} from '../../support/database/database.js'
import { restoreFile } from './backup-world.js'

/** For each earlier release, a small backup of its seeded database, and what it answered from it to the key of tier pro. */
const RELEASES = join(import.meta.dirname, 'releases')
const VERSIONS = readdirSync(RELEASES).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))

interface Answers {
  readonly key: string
  readonly forex: readonly object[]
  readonly candles: readonly object[]
  readonly history: readonly { readonly content_hash: string }[]
  readonly changes: readonly object[]
}

const CASES = availableDatabases().flatMap((kind) => VERSIONS.map((version) => ({ kind, version })))

describe.each(CASES)('a database of $version on $kind', { timeout: 120_000 }, ({ kind, version }) => {
  const answers = JSON.parse(readFileSync(join(RELEASES, `${version}.json`), 'utf8')) as Answers // our own file
  let url: string | null = null
  let database: Database
  let app: TestApp
  beforeAll(async () => {
    if (kind === 'postgres') url = await createPostgresDatabase()
    database = await openDatabase(url === null ? { kind: 'memory' } : { kind: 'postgres', url, poolSize: 4 })
    await restoreFile(database, join(RELEASES, `${version}.backup`))
    const clock = new TestClock(new Date('2026-11-26T20:00:00Z'))
    app = await startTestApp(kind, { database, clock, env: OWN_SECRETS })
  }, 120_000)
  afterAll(async () => {
    await app?.close()
    await database?.close()
    if (url !== null) await dropPostgresDatabase(url)
  })

  const get = async (path: string) => {
    const { status, body } = await app.rest<Record<string, unknown>>(path, { key: answers.key })
    expect([path, status]).toEqual([path, 200])
    return body
  }

  it('has all migrations, and snapshots whose hashes still match', async () => {
    expect(await pendingMigrations(database, MIGRATIONS)).toEqual([])
    expect(await loadBrokenSnapshots(database, 10)).toEqual([])
    const [count] = await database.rows<{ n: number }>('select count(*)::int4 as n from analysis_snapshot')
    expect(count?.n).toBeGreaterThan(20)
  })

  it('answers the same values to the same key', async () => {
    expect(await get('/v1/forex?quote=USD&from=2026-11-02&to=2026-11-06')).toMatchObject({
      data: answers.forex,
    })
    expect(await get('/v1/assets/bitcoin/ohlcv?from=2026-11-22&to=2026-11-25')).toMatchObject({
      data: { candles: answers.candles },
    })
    const history = await get('/v1/assets/ethereum/ai-analysis/history?limit=3')
    expect(history).toMatchObject({
      items: answers.history.map(({ content_hash, ...item }) => ({
        ...item,
        immutability: { content_hash },
      })),
    })
    expect(await get('/v1/ai-analysis/changes?limit=2')).toMatchObject({ items: answers.changes })
  })

  it('takes new accounts and keys', async () => {
    const key = await app.newKey({ tier: 'free' })
    expect((await app.rest('/v1/assets/bitcoin', { key })).status).toBe(200)
    expect((await app.rest('/v1/assets/bitcoin', { key: `${key}x` })).status).toBe(401)
  })
})
