import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asUnavailable } from '../../../../src/platform/database/connection/connection-loss.js'
import { type Database, openDatabase } from '../../../../src/platform/database/database.js'
import { loadHeldLocks } from '../../../../src/platform/database/locks/load-held-locks.js'
import { migrate } from '../../../../src/platform/database/migrate.js'
import { startTestApp, type TestApp, TestClock } from '../../../support/app/app.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
  MIGRATIONS,
} from '../../../support/database/database.js'
import { reviseRates } from '../../../support/database/forex-revisions.js'
import { type Bouncer, pgbouncerBinary, startBouncer } from '../../../support/database/pgbouncer.js'
import { goneBack, hammer } from '../../../support/database/revision-readers.js'

const CLIENTS = 8
const COMMITS = 5

class SystemClock extends TestClock {
  override now(): Date {
    return new Date()
  }
}

describe.skipIf(pgbouncerBinary() === null || !availableDatabases().includes('postgres'))(
  'PgBouncer in transaction mode, with statements that are not prepared',
  () => {
    let direct: string
    let bouncer: Bouncer
    let database: Database
    const open = (isPreparing = false) =>
      openDatabase({ kind: 'postgres', url: bouncer.url, poolSize: CLIENTS, isPreparing })

    beforeAll(async () => {
      direct = await createPostgresDatabase()
      const server = await openDatabase({ kind: 'postgres', url: direct, poolSize: 1 })
      await server.rows(
        `do $$ begin execute format('alter database %I set timezone to ''Asia/Tokyo''', current_database()); end $$`,
      )
      await server.close()
      bouncer = await startBouncer(direct)
      database = await open()
    })
    afterAll(async () => {
      await database?.close()
      await bouncer?.close()
      await dropPostgresDatabase(direct)
    })

    it('lets several nodes migrate at once, each migration once', async () => {
      const other = await open()
      const applied = await Promise.all([migrate(database, MIGRATIONS), migrate(other, MIGRATIONS)])
      await other.close()
      const [row] = await database.rows<{ count: number }>('select count(*) as count from _prisma_migrations')
      expect(applied.flat().length).toBe(row?.count)
      expect(new Set(applied.flat()).size).toBe(row?.count)
    })

    it('gives instants in UTC, by plain SQL and by Prisma, on any connection', async () => {
      const at = new Date('2026-11-20T12:00:00Z')
      await database.prisma.account.count() // Prisma's first query loads its compiler
      const plain = Array.from({ length: 40 }, () =>
        database.rows<{ at: Date; zone: string; pid: number }>(
          `select $1::timestamptz as at, current_setting('TimeZone') as zone, pg_backend_pid() as pid
           from pg_sleep(0.005)`,
          [at],
        ),
      )
      const prisma = Array.from({ length: 10 }, () =>
        database.prisma.account.create({ data: { accountId: randomUUID(), tier: 'free', createdAt: at } }),
      )
      const [rows, accounts] = await Promise.all([Promise.all(plain), Promise.all(prisma)])
      const found = rows.flat()
      expect(new Set(found.map((row) => `${row.at.toISOString()} ${row.zone}`))).toEqual(
        new Set([`${at.toISOString()} UTC`]),
      )
      expect(new Set(found.map(({ pid }) => pid)).size).toBeGreaterThan(1)
      expect(new Set(accounts.map(({ createdAt }) => createdAt.toISOString()))).toEqual(
        new Set([at.toISOString()]),
      )
    })

    it('keeps names held while the work runs, beside transactions and snapshots of one state', async () => {
      await database.holding(['one', 'two'], async () => {
        const other = await open()
        expect(await loadHeldLocks(other, ['one', 'two', 'three'])).toEqual(new Set(['one', 'two']))
        await reviseRates(database, 1, new Date())
        const versions = await database.snapshot(async (snapshot) => {
          const read = () => snapshot.rows<{ version: number }>('select version from dataset_state')
          const before = await read()
          await reviseRates(other, 2, new Date())
          return [...before, ...(await read())].map(({ version }) => version)
        })
        expect(versions).toEqual([1, 1])
        await other.close()
      })
      expect(await loadHeldLocks(database, ['one', 'two'])).toEqual(new Set())
    })

    it('sets limits of a transaction for that one only', async () => {
      const limit = "select current_setting('statement_timeout') as limit"
      const inside = await database.transaction((tx) => tx.rows<{ limit: string }>(limit))
      const outside = await Promise.all(Array.from({ length: 20 }, () => database.rows(limit)))
      expect(inside).toEqual([{ limit: '48s' }])
      expect(new Set(outside.flat().map((row) => JSON.stringify(row)))).toEqual(new Set(['{"limit":"0"}']))
    })

    it('counts as unreachable, not as an error of a statement, while PgBouncer restarts', async () => {
      const restarted = await startBouncer(direct)
      const through = await openDatabase({ kind: 'postgres', url: restarted.url, isPreparing: false })
      const outcome = (answer: Promise<unknown>) => answer.then(() => 'ok', asUnavailable)
      const inFlight = Array.from({ length: 6 }, () => outcome(through.rows('select pg_sleep(1.5)')))
      const byPrisma = outcome(through.prisma.$queryRaw`select 1 as one from pg_sleep(1.5)`)
      await sleep(300)
      await restarted.close()
      const outcomes = await Promise.all([...inFlight, byPrisma, outcome(through.rows('select 1'))])
      for (const each of outcomes) expect(each).toMatchObject({ code: 'service_unavailable' })
      await through.close()
    })

    it('goes on after a statement that had no result in time', async () => {
      const slow = database.rows('select pg_sleep(3)::text', [], { withinMs: 100 })
      await expect(slow).rejects.toMatchObject({ code: 'service_unavailable' })
      expect(await database.rows('select 1 as one')).toEqual([{ one: 1 }])
    })

    describe('with a gateway behind it', () => {
      let app: TestApp
      beforeAll(async () => {
        app = await startTestApp('postgres', { database, clock: new SystemClock(new Date()) })
      })
      afterAll(() => app?.close())

      it('registers, logs in, creates a key and refuses it after its revocation', async () => {
        const who = { email: 'ada@example.org', password: 'a long enough passphrase' }
        expect((await app.rest('/auth/register', { method: 'POST', body: who })).status).toBe(201)
        const login = await app.rest<{ access_token: string }>('/auth/login', { method: 'POST', body: who })
        const headers = { authorization: `Bearer ${login.body.access_token}` }
        const made = await app.rest<{ raw_key: string; key_id: string }>('/auth/keys', {
          method: 'POST',
          headers,
          body: { label: 'behind' },
        })
        const { raw_key: key, key_id } = made.body
        expect((await app.rest('/v1/usage', { key })).status).toBe(200)
        expect((await app.rest(`/auth/keys/${key_id}`, { method: 'DELETE', headers })).status).toBe(204)
        expect((await app.rest('/v1/usage', { key })).status).toBe(401)
      })

      it('counts quotas exactly, and shows whole revisions in order', async () => {
        const key = await app.newKey({ tier: 'pro' })
        let isOver = false
        const run = { isOver: () => isOver, note: () => {} }
        const readers = Array.from({ length: 3 }, (_, index) =>
          hammer(app, { node: 0, client: `${index}`, key, pauseMs: 5 }, false, run),
        )
        for (let revision = 3; revision < 3 + COMMITS; revision++) {
          await reviseRates(database, revision, new Date())
          await app.rest(`/v1/forex?quote=USD&from=2026-10-${10 + revision}`, { key })
        }
        isOver = true
        const seen = (await Promise.all(readers)).flat()
        expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]))
        expect(seen.filter(({ revisions }) => revisions.length !== 1)).toEqual([])
        expect(goneBack(seen)).toEqual([])
        const { body } = await app.rest<{ policies: { used: number }[] }>('/v1/usage', { key })
        // An operation has three root fields.
        const units = seen.reduce((sum, { question }) => sum + (question.startsWith('/graphql') ? 3 : 1), 0)
        expect(body.policies.map(({ used }) => used)).toEqual([units + COMMITS, units + COMMITS])
      })
    })

    it('says what to set if statements are prepared', async () => {
      const preparing = await open(true)
      const reads = Array.from({ length: 40 }, () => preparing.rows('select 1 as one from pg_sleep(0.005)'))
      const failures = (await Promise.allSettled(reads)).flatMap((one) =>
        one.status === 'rejected' ? [String(one.reason)] : [],
      )
      await preparing.close()
      expect(failures.length).toBeGreaterThan(0)
      for (const failure of failures) expect(failure).toContain('DATABASE_PREPARE=false')
    })
  },
)
