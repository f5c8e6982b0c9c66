import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../src/domains/access/operator.js'
import type { SqlCredentialCreated } from '../../src/domains/access/sql-credentials/sql-credential-model.js'
import { withBackupFile } from '../../src/platform/backup/backup-file.js'
import { openDatabase } from '../../src/platform/database/database.js'
import { filledTables } from '../platform/backup/backup-world.js'
import { ask, cleanUp, newDataDir, START_MS, seededDataDir, startGateway } from '../process/gateway.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  copyPostgresWorld,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../support/database/database.js'
import { connectAs, openSqlWorld, type SqlWorld } from '../support/database/sql-world.js'
import { compiled } from '../support/processes/compiled.js'
import { runAdmin } from './admin-world.js'

const HAS_POSTGRES = availableDatabases().includes('postgres')
const PATHS = [
  '/v1/assets/bitcoin/ohlcv?limit=20&as_of=2026-11-26T00:00:00Z',
  '/v1/forex?quote=USD&from=2026-11-02&to=2026-11-20',
  '/v1/ai-analysis/changes?limit=20',
]

interface Created {
  readonly raw_key: string
}

/** A command that must succeed; its JSON. */
async function admin<Result>(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Result> {
  const { code, out, err } = await runAdmin({ PATH: process.env.PATH, ...env }, ...args, '--json')
  if (code !== 0) throw new Error(`admin ${args.join(' ')} ended with ${code}: ${err}${out}`)
  return JSON.parse(out) as Result // the caller names what it asserts
}

/** The data of each path, without what an answer says about its own time. */
async function answersOf(url: string, key: string): Promise<readonly unknown[]> {
  const answers = PATHS.map(async (path) => {
    const { status, body } = await ask<Record<string, unknown>>(`${url}${path}`, key)
    return { path, status, data: body.data ?? body.snapshots ?? body.items ?? body }
  })
  return Promise.all(answers)
}

describe('a gateway that is lost', { timeout: 5 * START_MS }, () => {
  const urls: string[] = []
  afterEach(async () => {
    await cleanUp()
    for (const url of urls.splice(0)) await dropPostgresDatabase(url)
  })

  it('serves the same to the same key after a restore, and after a move to PostgreSQL', async () => {
    const first = { ...OWN_SECRETS, DATA_DIR: await seededDataDir(), SCHEDULE: 'off' }
    const gateway = await startGateway(first)
    const { raw_key: key } = await admin<Created>(first, 'users', 'create', '--tier', 'pro')
    const before = await answersOf(gateway.url, key)
    expect(before).toMatchObject(PATHS.map((path) => ({ path, status: 200 })))
    const file = join(first.DATA_DIR, '..', 'backup')
    expect(await admin(first, 'backup', file)).toMatchObject({ file })
    await gateway.stop('SIGKILL')
    await rm(first.DATA_DIR, { recursive: true })

    const second = { ...first, DATA_DIR: newDataDir() }
    expect(await admin(second, 'restore', file)).toMatchObject({ broken_snapshots: [], not_restored: [] })
    const restored = await startGateway(second)
    expect(await answersOf(restored.url, key)).toEqual(before)
    expect((await ask(`${restored.url}/v1/stocks`, `${key}x`)).status).toBe(401)
    const again = await runAdmin({ PATH: process.env.PATH, ...second }, 'restore', file)
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringMatching(/^admin: the table \w+ has rows: a backup is restored into an empty/),
    ])
    await restored.stop('SIGTERM')
    if (!HAS_POSTGRES) return

    const url = await createPostgresDatabase()
    urls.push(url)
    const third = { ...first, DATA_DIR: newDataDir(), DATABASE_URL: url }
    expect(await admin(third, 'move', second.DATA_DIR)).toMatchObject({ broken_snapshots: [] })
    const moved = await startGateway(third)
    expect(await answersOf(moved.url, key)).toEqual(before)
    const verified = await admin<{ status: string }>(third, 'secrets', 'list')
    expect(verified).toMatchObject({
      secrets: expect.arrayContaining([expect.objectContaining({ name: 'KEY_PEPPER', status: 'shared' })]),
    })
    const missing = await runAdmin({ PATH: process.env.PATH, ...third }, 'move', join(third.DATA_DIR, 'none'))
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('has no embedded database')])
    expect(existsSync(join(third.DATA_DIR, 'none'))).toBe(false)
  })
})

const KILLS = 8

describe.skipIf(!HAS_POSTGRES)('a killed command', { timeout: 10 * START_MS }, () => {
  let source: string
  let target: string
  beforeAll(async () => {
    source = await copyPostgresWorld('seeded')
    target = await createPostgresDatabase()
  }, START_MS)
  afterAll(async () => {
    await cleanUp()
    await dropPostgresDatabase(source)
    await dropPostgresDatabase(target)
  })

  /**
   * Number of rows of each table, as the backup says it at the end of the table; without audit events, because each backup that
   * ends adds one. Throws for one that is cut.
   */
  async function rowsOf(file: string): Promise<Readonly<Record<string, number>>> {
    const rows: Record<string, number> = {}
    await withBackupFile(file, ({ read }) =>
      read(async (part) => {
        if ('end' in part && part.table !== 'audit_event') rows[part.table] = part.end.rows
      }),
    )
    return rows
  }

  /** Runs the command and kills it after a while; whether it ended before. */
  async function killed(url: string, args: readonly string[], afterMs: number): Promise<boolean> {
    const env = { PATH: process.env.PATH, ...OWN_SECRETS, DATABASE_URL: url }
    const child = spawn(process.execPath, [await compiled('src/commands/admin.ts'), ...args], {
      env,
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await wait(afterMs)
    child.kill('SIGKILL')
    const [code] = await ended
    return code === 0
  }

  /** Number of tables with rows that no migration wrote; without audit events, which a killed command may lack. */
  async function filledIn(url: string): Promise<number> {
    const database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
    return filledTables(database)
      .then((tables) => tables.filter((table) => table !== 'audit_event').length)
      .finally(() => database.close())
  }

  it('leaves no backup with its name unless it is whole, and no row of a restore', async () => {
    const file = join(newDataDir(), '..', 'killed')
    const env = { PATH: process.env.PATH, ...OWN_SECRETS }
    const began = performance.now()
    const whole = `${file}-whole`
    expect((await runAdmin({ ...env, DATABASE_URL: source }, 'backup', whole)).code).toBe(0)
    const tookMs = performance.now() - began
    const wholeRows = await rowsOf(whole)
    expect(Object.values(wholeRows).reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(1_000)
    for (let kill = 1; kill <= KILLS; kill++) {
      const hasEnded = await killed(source, ['backup', file], (tookMs * kill) / (KILLS + 2))
      // The command may be killed after it gave the whole backup its name.
      const found = existsSync(file) ? await rowsOf(file) : null
      expect([kill, found]).toEqual([kill, found !== null || hasEnded ? wholeRows : null])
      await rm(file, { force: true })
      await rm(`${file}.partial`, { force: true })
    }
    let isRestored = false
    for (let kill = 1; kill <= KILLS && !isRestored; kill++) {
      isRestored = await killed(target, ['restore', whole], (2 * tookMs * kill) / (KILLS + 2))
      if (!isRestored) {
        // The server ends the transaction when it notices that its client is gone.
        await expect
          .poll(() => filledIn(target), { timeout: 30_000 })
          .toSatisfy((rows) => rows === 0 || rows > 20)
        isRestored = (await filledIn(target)) > 0
      }
    }
    if (!isRestored) expect((await runAdmin({ ...env, DATABASE_URL: target }, 'restore', whole)).code).toBe(0)
    expect(await filledIn(target)).toBe(await filledIn(source))
  })
})

describe.skipIf(!HAS_POSTGRES)('SQL logins of a backup', { timeout: 3 * START_MS }, () => {
  let world: SqlWorld
  const urls: string[] = []
  beforeAll(async () => {
    world = await openSqlWorld('superuser')
  }, START_MS)
  afterAll(async () => {
    await cleanUp()
    for (const url of urls) await dropPostgresDatabase(url)
  })

  async function credential(): Promise<SqlCredentialCreated> {
    const { raw_key: key } = await createAccountWithKey(world.app.access, { tier: 'pro', label: 'x' })
    const options = { key, method: 'POST', body: {} } as const
    return (await world.app.rest<SqlCredentialCreated>('/v1/billing/sql-credentials', options)).body
  }
  const databaseOf = (url: string) => new URL(url).pathname.slice(1)

  it('are shown as lost beside the database that has them, and work as before once it is gone', async () => {
    const made = await credential()
    const file = join(newDataDir(), '..', 'logins')
    expect(await admin(world.env, 'backup', file)).toMatchObject({ sql_logins: 1 })

    const beside = await createPostgresDatabase()
    urls.push(beside)
    const asGateway = { ...world.env, DATABASE_URL: ownedUrl(beside) }
    await world.asSuperuser(`ALTER DATABASE "${databaseOf(beside)}" OWNER TO ${world.user}`)
    expect(await admin(asGateway, 'restore', file)).toMatchObject({
      sql_logins: { restored: [], lost: [made.username] },
      not_restored: ['sql_world_secret'],
    })
    const listed = await world.asSuperuser(
      'select disabled_reason, revoked_at is not null from sql_credential',
      [],
      databaseOf(beside),
    )
    expect(listed).toEqual([['access_lost', true]])

    await world.asSuperuser('select 1')
    const later = await createPostgresDatabase()
    urls.push(later)
    await world.asSuperuser(`ALTER DATABASE "${databaseOf(later)}" OWNER TO ${world.user}`)
    const env = { ...world.env, DATABASE_URL: ownedUrl(later) }
    await world.app.close()
    await world.database.close()
    await world.asSuperuser(`DROP DATABASE "${databaseOf(world.url)}" WITH (FORCE)`, [], 'postgres')
    expect(await admin(env, 'restore', file)).toMatchObject({
      sql_logins: { restored: [made.username], lost: [] },
    })
    const session = await connectAs(made, { database: databaseOf(later) })
    expect(await session.run('select count(*)::int from dim_asset')).toEqual([[0]])
    expect(await session.refusal('select * from account')).toBe('42P01')
    expect(await session.refusal('create temporary table t (a int)')).not.toBe(null)
    await session.close()
  })

  function ownedUrl(url: string): string {
    const owned = new URL(world.url)
    owned.pathname = new URL(url).pathname
    return owned.href
  }
})
