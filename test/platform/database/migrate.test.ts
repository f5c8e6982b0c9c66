import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate, pendingMigrations, watchMigrations } from '../../../src/platform/database/migrate.js'
import {
  availableDatabases,
  createPostgresDatabase,
  databasesOfFile,
  dropPostgresDatabase,
  MIGRATIONS,
} from '../../support/database/database.js'
import { startChild } from '../../support/processes/child.js'

/** The migrations of the project itself. */
const SHIPPED = readdirSync(MIGRATIONS)
  .filter((name) => /^\d{14}_/.test(name))
  .sort()
const FOUNDATION = SHIPPED[0] ?? ''
const LAST_SHIPPED = SHIPPED.at(-1) ?? ''

const databaseOf = databasesOfFile()

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'migrations-'))
  cpSync(MIGRATIONS, directory, { recursive: true })
})

/** The shipped migrations alone, as they are. */
afterEach(() => {
  for (const name of readdirSync(directory))
    if (name > LAST_SHIPPED && /^\d{14}_/.test(name)) rmSync(join(directory, name), { recursive: true })
  cpSync(join(MIGRATIONS, FOUNDATION), join(directory, FOUNDATION), { recursive: true })
})

afterAll(() => rmSync(directory, { recursive: true }))

function addMigration(name: string, sql: string): void {
  mkdirSync(join(directory, name), { recursive: true })
  writeFileSync(join(directory, name, 'migration.sql'), sql)
}

const recorded = (database: Database) =>
  database.rows(
    `SELECT migration_name AS name, applied_steps_count AS steps, finished_at >= started_at AS finished
     FROM _prisma_migrations ORDER BY migration_name`,
  )

describe.each(availableDatabases())('migrate on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await databaseOf(kind)
  })
  afterEach(async () => {
    await database.script('DROP TABLE IF EXISTS step, good, bad, next_step, half')
    await database.rows('DELETE FROM _prisma_migrations WHERE migration_name > $1', [LAST_SHIPPED])
  })

  it('applies missing migrations in order of name, once', async () => {
    addMigration('20270102000000_second', 'INSERT INTO step VALUES (2); INSERT INTO step VALUES (3);')
    addMigration('20270101000000_first', 'CREATE TABLE step (n int);\nINSERT INTO step VALUES (1);')
    const names = ['20270101000000_first', '20270102000000_second']
    expect(await pendingMigrations(database, directory)).toEqual(names)
    expect(await migrate(database, directory)).toEqual(names)
    expect(await database.rows('SELECT n FROM step')).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(await pendingMigrations(database, directory)).toEqual([])
    expect(await migrate(database, directory)).toEqual([])
    expect(await recorded(database)).toEqual(
      [...SHIPPED, ...names].map((name) => ({ name, steps: 1, finished: true })),
    )
  })

  it('are pending until they are applied, for repeated checks too', async () => {
    addMigration('20270101000000_first', 'CREATE TABLE step (n int);')
    const pending = watchMigrations(directory)
    expect(await pending(database)).toEqual(['20270101000000_first'])
    await migrate(database, directory)
    addMigration('20270102000000_second', 'INSERT INTO step VALUES (2);')
    expect(await pending(database)).toEqual([])
    expect(await watchMigrations(directory)(database)).toEqual(['20270102000000_second'])
  })

  it('leaves out contract migrations while nodes of the version before may serve, and applies them later', async () => {
    addMigration('20270101000000_next', 'CREATE TABLE next_step (n int);')
    addMigration('20270102000000_drop_step_contract', 'CREATE TABLE half (n int);')
    addMigration('20270103000000_good', 'CREATE TABLE good (n int);')
    const expand = ['20270101000000_next', '20270103000000_good']
    const contract = ['20270102000000_drop_step_contract']
    expect(await pendingMigrations(database, directory, 'expand')).toEqual(expand)
    expect(await watchMigrations(directory)(database)).toEqual(expand)
    expect(await migrate(database, directory, { parts: 'expand' })).toEqual(expand)
    expect(await watchMigrations(directory)(database)).toEqual([])
    expect(await pendingMigrations(database, directory)).toEqual(contract)
    expect(await migrate(database, directory)).toEqual(contract)
    expect(await pendingMigrations(database, directory)).toEqual([])
  })

  it('leaves nothing of a failing migration, keeps those before it and can be repeated', async () => {
    addMigration('20270101000000_good', 'CREATE TABLE good (n int);')
    addMigration('20270102000000_bad', 'CREATE TABLE bad (n int); SELECT 1/0;')
    await expect(migrate(database, directory)).rejects.toThrow(
      'Migration 20270102000000_bad failed and left nothing behind: division by zero',
    )
    expect(await database.rows("SELECT to_regclass('good') AS good, to_regclass('bad') AS bad")).toEqual([
      { good: 'good', bad: null },
    ])
    expect(await pendingMigrations(database, directory)).toEqual(['20270102000000_bad'])
    addMigration('20270102000000_bad', 'CREATE TABLE bad (n int);')
    expect(await migrate(database, directory)).toEqual(['20270102000000_bad'])
  })

  it('refuses to continue if an applied migration was edited', async () => {
    addMigration(FOUNDATION, 'SELECT 1;')
    addMigration('20270101000000_next', 'CREATE TABLE next_step (n int);')
    const message = `Migration ${FOUNDATION} was edited after it was applied`
    await expect(migrate(database, directory)).rejects.toThrow(message)
    await expect(pendingMigrations(database, directory)).rejects.toThrow(message)
    expect(await database.rows("SELECT to_regclass('next_step') AS found")).toEqual([{ found: null }])
  })

  it('refuses to continue after a half applied migration of the CLI, until it is marked rolled back', async () => {
    addMigration('20270101000000_half', 'CREATE TABLE half (n int);')
    await database.rows(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', 'x', '20270101000000_half')`,
    )
    await expect(migrate(database, directory)).rejects.toThrow('20270101000000_half failed half-way earlier')
    await database.rows(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = '1'`)
    expect(await migrate(database, directory)).toEqual(['20270101000000_half'])
  })
})

describe('a database without any migration', () => {
  it('gets contract migrations too, because no node serves it', async () => {
    const database = await openDatabase({ kind: 'memory' })
    const own = mkdtempSync(join(tmpdir(), 'migrations-'))
    try {
      for (const name of ['20270101000000_first', '20270102000000_second_contract']) {
        mkdirSync(join(own, name))
        writeFileSync(join(own, name, 'migration.sql'), 'SELECT 1;')
      }
      const names = ['20270101000000_first', '20270102000000_second_contract']
      expect(await migrate(database, own, { parts: 'expand' })).toEqual(names)
    } finally {
      rmSync(own, { recursive: true })
      await database.close()
    }
  })
})

describe.each(availableDatabases())('the foundation on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await databaseOf(kind)
  })

  const rate = (date: string, value: string, knownFrom: string, knownTo: string | null) =>
    database.rows(`INSERT INTO forex_rate VALUES ('USD', $1, $2, $3, $4, 'seed')`, [
      date,
      value,
      knownFrom,
      knownTo,
    ])

  it('allows one current rate per currency and day', async () => {
    await rate('2026-11-20', '1.08', '2026-11-20T15:00:00Z', '2026-11-21T15:00:00Z')
    await rate('2026-11-20', '1.09', '2026-11-21T15:00:00Z', null)
    await expect(rate('2026-11-20', '1.10', '2026-11-22T15:00:00Z', null)).rejects.toMatchObject({
      constraint: 'forex_rate_standing_key',
    })
  })

  it.each([
    ['0', '2026-11-20T15:00:00Z', null, 'forex_rate_rate_check'],
    ['1.08', '2026-11-20T15:00:00Z', '2026-11-20T15:00:00Z', 'forex_rate_known_check'],
  ])('refuses a rate of %s known from %s to %s', async (value, knownFrom, knownTo, constraint) => {
    await expect(rate('2026-11-19', value, knownFrom, knownTo)).rejects.toMatchObject({ constraint })
  })

  it.each([
    ["(1, 'bitcoin', 'BTC', 'Bitcoin', 'crypto', 4, now(), 'seed')", 'asset_tier_check'],
    ["(1, 'apple', 'AAPL', 'Apple', 'stock', 1, now(), 'seed')", 'asset_tier_class_check'],
    ["(1, 'Bitcoin', 'BTC', 'Bitcoin', 'crypto', 1, now(), 'seed')", 'asset_slug_check'],
  ])('refuses the asset %s', async (values, constraint) => {
    await expect(database.rows(`INSERT INTO asset VALUES ${values}`)).rejects.toMatchObject({ constraint })
  })

  it('refuses an account of an unknown tier', async () => {
    const insert = `INSERT INTO account (account_id, tier, created_at) VALUES (gen_random_uuid(), 'gold', now())`
    await expect(database.rows(insert)).rejects.toMatchObject({ constraint: 'account_tier_check' })
  })

  it('keeps audit events: no update, no truncate, no delete before 90 days', async () => {
    await database.rows(
      `INSERT INTO audit_event (event_id, at, action, actor)
       SELECT gen_random_uuid(), now() - age * interval '1 day', 'login', 'self' FROM unnest($1::int[]) AS t(age)`,
      [[0, 89, 91]],
    )
    await expect(database.rows(`UPDATE audit_event SET actor = 'operator'`)).rejects.toThrow('UPDATE refused')
    await expect(database.rows('DELETE FROM audit_event')).rejects.toThrow('DELETE refused')
    await expect(database.rows('TRUNCATE audit_event')).rejects.toThrow('TRUNCATE refused')
    await database.rows(`DELETE FROM audit_event WHERE at < now() - interval '90 days'`)
    expect(await database.rows('SELECT count(*) FROM audit_event')).toEqual([{ count: 2 }])
  })
})

describe.skipIf(!availableDatabases().includes('postgres'))('many nodes on one PostgreSQL', () => {
  it('apply each migration exactly once when they start together', async () => {
    for (let n = 1; n <= 5; n += 1) {
      const table = `step_${n}`
      addMigration(`2027010${n}000000_step`, `CREATE TABLE ${table} (n int); SELECT pg_sleep(0.02);`)
    }
    const url = await createPostgresDatabase()
    const file = resolve(import.meta.dirname, 'children/migrate-once.ts')
    const nodes = await Promise.all([1, 2, 3, 4].map(() => startChild(file, [url, directory])))
    for (const node of nodes) expect(await node.line()).toBe('ready')
    for (const node of nodes) node.send('go\n')
    const applied: string[] = []
    for (const node of nodes) applied.push(...JSON.parse(await node.line()))
    const names = [...SHIPPED, ...[1, 2, 3, 4, 5].map((n) => `2027010${n}000000_step`)]
    expect(applied.sort()).toEqual(names)
    const database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
    expect(await recorded(database)).toEqual(names.map((name) => ({ name, steps: 1, finished: true })))
    await database.close()
    await Promise.all(nodes.map((node) => node.kill('SIGKILL')))
    await dropPostgresDatabase(url)
  })
})
