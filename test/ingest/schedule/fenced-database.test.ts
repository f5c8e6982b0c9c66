import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AttemptLost, fencedDatabase } from '../../../src/ingest/schedule/fenced-database.js'
import { claimAttempt, finishAttempt } from '../../../src/ingest/schedule/job-store.js'
import { SCHEDULE_WORK } from '../../../src/ingest/schedule/schedule-work.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { storeHeldShards } from '../../support/outbox/held-shards.js'

const DUE = new Date('2026-11-20T12:00:00Z')

describe.runIf(availableDatabases().includes('postgres'))('an attempt of a scheduled run', () => {
  let database: Database
  const attempt = (number: number, term: number) => ({
    job: 'a',
    dueAt: DUE,
    coversTo: DUE,
    attempt: number,
    shard: 0,
    term,
    startedAt: DUE,
  })
  const lead = (term: number) => storeHeldShards(database, SCHEDULE_WORK, 1, term)
  const open = new AbortController().signal
  const write = (at: Database) => at.transaction((tx) => tx.rows(`insert into written values ('x')`))
  const written = async () => (await database.rows('select * from written')).length

  beforeAll(async () => {
    database = await openTestDatabase('postgres')
    await database.script('create table written (what text)')
  })
  afterAll(() => database?.close())
  beforeEach(async () => {
    await database.script('truncate job_run, written')
    await lead(1)
  })

  it('is begun once, only under the term of its shard', async () => {
    expect(await claimAttempt(database, attempt(1, 2))).toBe(false)
    const claims = await Promise.all([1, 2, 3].map(() => claimAttempt(database, attempt(1, 1))))
    expect(claims.filter((isMine) => isMine)).toHaveLength(1)
    await lead(2)
    expect(await claimAttempt(database, attempt(2, 1))).toBe(false)
    expect(await claimAttempt(database, attempt(2, 2))).toBe(true)
  })

  it('writes while it is the newest; after that neither data nor its end', async () => {
    await claimAttempt(database, attempt(1, 1))
    const fenced = fencedDatabase(database, attempt(1, 1), open)
    await write(fenced)
    expect(await written()).toBe(1)
    await lead(2)
    expect(await claimAttempt(database, attempt(2, 2))).toBe(true)
    await expect(write(fenced)).rejects.toThrow(AttemptLost)
    expect(await written()).toBe(1)
    const end = { status: 'succeeded', finishedAt: DUE, nextAttemptAt: null, detail: null } as const
    expect(await finishAttempt(database, attempt(1, 1), end)).toBe(false)
    expect(await finishAttempt(database, attempt(2, 2), end)).toBe(true)
    expect(await claimAttempt(database, attempt(3, 2))).toBe(false)
  })

  it('is not taken over within its transaction, and nothing waits for that', async () => {
    await claimAttempt(database, attempt(1, 1))
    const fenced = fencedDatabase(database, attempt(1, 1), open)
    await fenced.transaction(async (tx) => {
      await tx.rows(`insert into written values ('x')`)
      expect(await claimAttempt(database, attempt(2, 1))).toBe(false)
    })
    expect(await claimAttempt(database, attempt(2, 1))).toBe(true)
  })

  it('is rolled back when it is aborted', async () => {
    await claimAttempt(database, attempt(1, 1))
    const abort = new AbortController()
    const fenced = fencedDatabase(database, attempt(1, 1), abort.signal)
    const work = fenced.transaction(async (tx) => {
      await tx.rows(`insert into written values ('x')`)
      abort.abort(new Error('the process was stopped'))
      await tx.rows(`insert into written values ('y')`)
    })
    await expect(work).rejects.toThrow('the process was stopped')
    expect(await written()).toBe(0)
  })
})
