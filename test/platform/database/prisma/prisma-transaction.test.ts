import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase, type Transaction } from '../../../../src/platform/database/database.js'
import { abortable } from '../../../../src/platform/database/interruptible.js'
import { migrate } from '../../../../src/platform/database/migrate.js'
import {
  availableDatabases,
  createPostgresDatabase,
  databasesOfFile,
  dropPostgresDatabase,
  MIGRATIONS,
} from '../../../support/database/database.js'

const databaseOf = databasesOfFile()

const UNAVAILABLE = expect.objectContaining({ name: 'ApiError', code: 'service_unavailable' })

/** A row of a table that no other test of this file has. */
const secret = (name: string) => ({
  name,
  fingerprint: `print of ${name}`,
  notedAt: new Date('2026-11-20T12:00:00Z'),
})

const namesBySql = async (sql: Pick<Transaction, 'rows'>) =>
  (await sql.rows<{ name: string }>('SELECT name FROM installation_secret ORDER BY name')).map(
    ({ name }) => name,
  )

const namesByPrisma = async ({ prisma }: Pick<Transaction, 'prisma'>) =>
  (await prisma.installationSecret.findMany({ orderBy: { name: 'asc' } })).map(({ name }) => name)

const insert = (tx: Transaction, name: string) =>
  tx.rows('INSERT INTO installation_secret (name, fingerprint, noted_at) VALUES ($1, $1, now())', [name])

describe.each(availableDatabases())('a transaction on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await databaseOf(kind)
  })
  beforeEach(async () => {
    await database.prisma.installationSecret.deleteMany()
  })

  it('shows to plain SQL what Prisma has written, and vice versa, before the commit', async () => {
    const seen = await database.transaction(async (tx) => {
      await tx.prisma.installationSecret.create({ data: secret('a') })
      const bySql = await namesBySql(tx)
      await insert(tx, 'b')
      return { bySql, byPrisma: await namesByPrisma(tx) }
    })
    expect(seen).toEqual({ bySql: ['a'], byPrisma: ['a', 'b'] })
    expect(await namesByPrisma(database)).toEqual(['a', 'b'])
  })

  it('runs both on one connection, in one transaction', async () => {
    const ID = 'SELECT pg_backend_pid() AS pid, pg_current_xact_id()::text AS id'
    const [bySql, byPrisma] = await database.transaction(async (tx) => [
      await tx.rows(ID),
      await tx.prisma.$queryRawUnsafe(ID),
    ])
    expect(byPrisma).toEqual(bySql)
  })

  it('gives each of several transactions that begin at the same time its own connection', async () => {
    const ID = 'SELECT pg_current_xact_id()::text AS id'
    const one = (pauseMs: number) =>
      database.transaction(async (tx) => {
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        return [await tx.prisma.$queryRawUnsafe(ID), await tx.rows(ID)]
      })
    const several = await Promise.all([0, 0, 1, 2, 2, 3].map(one))
    for (const [byPrisma, bySql] of several) expect(byPrisma).toEqual(bySql)
    expect(new Set(several.map(([rows]) => JSON.stringify(rows))).size).toBe(several.length)
  })

  it('rolls both back if the work throws', async () => {
    const failure = new Error('second thoughts')
    const failing = database.transaction(async (tx) => {
      await tx.prisma.installationSecret.create({ data: secret('a') })
      await insert(tx, 'b')
      throw failure
    })
    await expect(failing).rejects.toBe(failure)
    expect(await namesBySql(database)).toEqual([])
  })

  it('rethrows an error of Prisma, and leaves the connections usable', async () => {
    const failing = database.transaction(async (tx) => {
      await insert(tx, 'a')
      await tx.prisma.installationSecret.create({ data: secret('a') })
    })
    await expect(failing).rejects.toMatchObject({ code: 'P2002' })
    const next = database.transaction(async (tx) => {
      await tx.prisma.installationSecret.create({ data: secret('c') })
      return namesBySql(tx)
    })
    await expect(next).resolves.toEqual(['c'])
  })

  it('throws if the work swallowed an error of Prisma, because nothing was committed', async () => {
    const swallowing = database.transaction(async (tx) => {
      await insert(tx, 'a')
      await tx.prisma.installationSecret.create({ data: secret('a') }).catch(() => {})
    })
    await expect(swallowing).rejects.toThrow()
    expect(await namesBySql(database)).toEqual([])
  })

  it('refuses calls after its end', async () => {
    const { kept, model } = await database.transaction(async (tx) => ({
      kept: tx,
      model: tx.prisma.installationSecret,
    }))
    await expect(kept.prisma.installationSecret.count()).rejects.toThrow('the transaction is over')
    await expect(model.create({ data: secret('late') })).rejects.toThrow('the transaction is over')
    await expect(kept.prisma.$queryRaw`SELECT 1`).rejects.toThrow('the transaction is over')
    expect(await namesBySql(database)).toEqual([])
  })

  it('separates simultaneous transactions', async () => {
    const write = (name: string) =>
      database
        .transaction(async (tx) => {
          await tx.prisma.installationSecret.create({ data: secret(name) })
          if (name > 'c') throw new Error('beyond c')
          return namesByPrisma(tx)
        })
        .catch(() => [])
    const seen = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(write))
    expect(await namesBySql(database)).toEqual(['a', 'b', 'c'])
    for (const [at, name] of ['a', 'b', 'c'].entries()) expect(seen[at]).toContain(name)
    expect(seen.flat()).not.toContain('d')
  })

  it('starts no call of Prisma after its signal is aborted, and rolls earlier ones back', async () => {
    const abort = new AbortController()
    const reason = new Error('no longer wanted')
    const ended = database.transaction(async (whole) => {
      const tx = abortable(whole, abort.signal)
      await tx.prisma.installationSecret.create({ data: secret('a') })
      abort.abort(reason)
      await tx.prisma.installationSecret.create({ data: secret('b') })
    })
    await expect(ended).rejects.toBe(reason)
    expect(await namesBySql(database)).toEqual([])
  })

  it('gives a snapshot in which Prisma cannot write', async () => {
    const writing = database.snapshot(({ prisma }) => prisma.installationSecret.create({ data: secret('a') }))
    await expect(writing).rejects.toThrow('read-only transaction')
    expect(await namesBySql(database)).toEqual([])
  })
})

describe.skipIf(!availableDatabases().includes('postgres'))('simultaneous transactions', () => {
  let url: string
  let database: Database
  let other: Database
  beforeAll(async () => {
    url = await createPostgresDatabase()
    const limits = { statementMs: 1_000, idleMs: 5_000 }
    database = await openDatabase({ kind: 'postgres', url, poolSize: 2 }, { limits })
    other = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
    await migrate(other, MIGRATIONS)
  })
  afterAll(async () => {
    await Promise.all([database.close(), other.close()])
    await dropPostgresDatabase(url)
  })
  beforeEach(async () => {
    await other.prisma.installationSecret.deleteMany()
  })

  it('show to nobody what Prisma has written before the commit', async () => {
    const seen = await database.transaction(async (tx) => {
      await tx.prisma.installationSecret.create({ data: secret('a') })
      return [await namesBySql(other), await namesByPrisma(other), await namesByPrisma(database)]
    })
    expect(seen).toEqual([[], [], []])
    expect(await namesByPrisma(other)).toEqual(['a'])
  })

  it('see in a snapshot one state by both clients, whatever others commit meanwhile', async () => {
    await other.prisma.installationSecret.create({ data: secret('before') })
    const seen = await database.snapshot(async (snapshot) => {
      const first = await namesBySql(snapshot)
      await other.prisma.installationSecret.create({ data: secret('meanwhile') })
      return [first, await namesByPrisma(snapshot), await namesBySql(snapshot)]
    })
    expect(seen).toEqual([['before'], ['before'], ['before']])
    expect(await namesByPrisma(database)).toEqual(['before', 'meanwhile'])
  })

  it('give Prisma’s statements the time limit of the transaction, not of a request', async () => {
    const asked = await database.transaction(
      (tx) => tx.prisma.$queryRaw`SELECT pg_sleep(1.3)::text AS slept`,
      {
        statementMs: 10_000,
        idleMs: 5_000,
      },
    )
    expect(asked).toEqual([{ slept: '' }])
  })

  it('end a statement of Prisma at the limit of the transaction, and go on with other connections', async () => {
    const late = database.transaction((tx) => tx.prisma.$queryRaw`SELECT pg_sleep(20)::text`, {
      statementMs: 200,
      idleMs: 5_000,
    })
    await expect(late).rejects.toEqual(UNAVAILABLE)
    expect(await namesByPrisma(database)).toEqual([])
    expect(database.poolUse()).toMatchObject({ busy: 0, waiting: 0 })
  })

  it('are service_unavailable if their connection is lost between two calls of Prisma', async () => {
    const lost = database.transaction(async (tx) => {
      await tx.prisma.installationSecret.create({ data: secret('a') })
      const [own] = await tx.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await other.rows('SELECT pg_terminate_backend($1)', [own?.pid])
      await tx.prisma.installationSecret.count()
    })
    await expect(lost).rejects.toEqual(UNAVAILABLE)
    expect(await namesBySql(other)).toEqual([])
    expect(database.poolUse()).toMatchObject({ busy: 0, waiting: 0 })
  })

  it('commit work in progress while the database closes', async () => {
    const closing = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
    let closed: Promise<void> = Promise.resolve()
    await closing.transaction(async (tx) => {
      await tx.prisma.installationSecret.create({ data: secret('a') })
      closed = closing.close()
      await tx.prisma.installationSecret.create({ data: secret('b') })
    })
    await closed
    expect(await namesByPrisma(other)).toEqual(['a', 'b'])
  })
})
