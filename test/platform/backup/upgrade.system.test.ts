import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadBrokenSnapshots } from '../../../src/domains/analysis/snapshots/proof-store.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { pendingMigrations } from '../../../src/platform/database/migrate.js'
import { VERSION } from '../../../src/platform/version.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
  MIGRATIONS,
  openTestDatabase,
  SEEDED_AT,
} from '../../support/database/database.js'
import { restoreFile, save } from './backup-world.js'

/** For each release, a small backup of its seeded database, and what it answered from it to the key of tier pro. */
const RELEASES = join(import.meta.dirname, 'releases')

const PATHS = {
  forex: '/v1/forex?quote=USD&from=2026-11-02&to=2026-11-06',
  candles: '/v1/assets/bitcoin/ohlcv?from=2026-11-16&to=2026-11-19',
  history: '/v1/assets/ethereum/ai-analysis/history?limit=3',
  changes: '/v1/ai-analysis/changes?limit=2',
} as const

/** Triggers are off, because they keep snapshots for ever. */
const FEWER_ROWS = `
  set session_replication_role = replica;
  delete from analysis_change where asset_id not in (select asset_id from asset where slug in ('bitcoin', 'ethereum'));
  delete from analysis_snapshot where asset_id not in (select asset_id from asset where slug in ('bitcoin', 'ethereum'));
  delete from candle where asset_id not in (select asset_id from asset where slug in ('bitcoin', 'ethereum'));
  delete from forex_rate where quote <> 'USD' or date < '2026-10-01';
  delete from asset_supply where asset_id not in (select asset_id from asset where slug in ('bitcoin', 'ethereum'));
  truncate filed_fact, etf_holding, etf_report, macro_observation, macro_series, sanctions_subject, sanctions_listing, protocol_tvl,
    protocol_economics, daily_price, minute_bar, news_article, news_mention, asset_onchain, ingest_run cascade;
  set session_replication_role = default;`

/** With WRITE_RELEASE=1, this version's own backup is written anew; CONTRIBUTING says when. */
describe.runIf(process.env.WRITE_RELEASE === '1')('the backup of this version', () => {
  it('is written with its answers', { timeout: 300_000 }, async () => {
    const database = await openTestDatabase('pglite', 'seeded')
    await database.script(FEWER_ROWS)
    const app = await startTestApp('pglite', { database, clock: new TestClock(SEEDED_AT), env: OWN_SECRETS })
    const key = await app.newKey({ tier: 'pro' })
    const bodyOf = async (path: string) =>
      (await app.rest<Readonly<Record<string, unknown>>>(path, { key })).body
    const { data: forex } = await bodyOf(PATHS.forex)
    const { data: series } = (await bodyOf(PATHS.candles)) as { data: { candles: readonly object[] } }
    const { items: history } = (await bodyOf(PATHS.history)) as {
      items: readonly { immutability: { content_hash: string } }[]
    }
    const { items: changes } = await bodyOf(PATHS.changes)
    const stated = {
      ...{ key, forex, candles: series.candles, changes },
      history: history.map(({ immutability: { content_hash }, ...item }) => ({ ...item, content_hash })),
    }
    await app.close()
    const rows = [stated.forex, stated.candles, stated.history, stated.changes]
    expect(rows.map((list) => (Array.isArray(list) ? list.length : null))).toEqual([5, 3, 3, 2])
    const file = join(RELEASES, VERSION)
    rmSync(`${file}.backup`, { force: true })
    await save(database, `${file}.backup`)
    writeFileSync(`${file}.json`, `${JSON.stringify(stated, null, 2)}\n`)
    await database.close()
  })
})
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
    const clock = new TestClock(SEEDED_AT)
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
    expect(count?.n).toBeGreaterThan(5)
  })

  it('answers the same values to the same key', async () => {
    expect(await get(PATHS.forex)).toMatchObject({
      data: answers.forex,
    })
    expect(await get(PATHS.candles)).toMatchObject({
      data: { candles: answers.candles },
    })
    const history = await get(PATHS.history)
    expect(history).toMatchObject({
      items: answers.history.map(({ content_hash, ...item }) => ({
        ...item,
        immutability: { content_hash },
      })),
    })
    expect(await get(PATHS.changes)).toMatchObject({ items: answers.changes })
  })

  it('takes new accounts and keys', async () => {
    const key = await app.newKey({ tier: 'free' })
    expect((await app.rest('/v1/assets/bitcoin', { key })).status).toBe(200)
    expect((await app.rest('/v1/assets/bitcoin', { key: `${key}x` })).status).toBe(401)
  })
})
