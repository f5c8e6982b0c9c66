import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../../src/platform/database/database.js'
import { loadHeldLocks } from '../../../../src/platform/database/locks/load-held-locks.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'

const NAMES = ['one', 'two "quoted" \\ {,}', 'ümlaut']

describe.each(availableDatabases())('Database.holding on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())

  it('holds its names while the work runs, beside other statements and transactions', async () => {
    const during = await database.holding(NAMES, async () => {
      await database.transaction((tx) => tx.rows('select 1'))
      return loadHeldLocks(database, [...NAMES, 'free'])
    })
    expect(during).toEqual(new Set(NAMES))
    expect(await loadHeldLocks(database, NAMES)).toEqual(new Set())
  })

  it('releases them if the work fails, and rethrows the error', async () => {
    await expect(database.holding(['one'], () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    expect(await loadHeldLocks(database, NAMES)).toEqual(new Set())
  })

  it('uses no connection of the pool', async () => {
    const nested = ['a', 'b', 'c', 'd', 'e', 'f'].reduce<() => Promise<number>>(
      (work, name) => () => database.holding([name], work),
      async () => (await loadHeldLocks(database, ['a', 'f'])).size,
    )
    expect(await nested()).toBe(2)
  })
})

it('refuses before the work if PostgreSQL is unreachable', async () => {
  const database = await openDatabase({ kind: 'postgres', url: 'postgresql://127.0.0.1:1/none' })
  const work = () => expect.fail('nothing runs')
  await expect(database.holding(['one'], work)).rejects.toMatchObject({ code: 'service_unavailable' })
  await database.close()
})
