import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyLedgerRetention } from '../../../src/ingest/run/ledger-retention.js'
import type { Database } from '../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

describe('the retention of runs', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database?.close())

  const add = (feed: string, days: number, status: string) =>
    database.rows(
      `insert into ingest_run (run_id, feed, provider, dataset, started_at, finished_at, status, origin)
       values ($1, $2, 'p', 'forex', $3, case when $4 <> 'running' then $3::timestamptz end, $4, 'o')`,
      [randomUUID(), feed, daysAgo(days), status],
    )
  const addJob = (job: string, days: number) =>
    database.rows(
      `insert into job_run (job, due_at, covers_to, status, attempt, term) values ($1, $2, $2, 'succeeded', 1, 1)`,
      [job, daysAgo(days)],
    )

  it('deletes rows older than 90 days, except the newest success of a feed and the newest run of a job', async () => {
    await add('a', 91, 'succeeded')
    await add('a', 89, 'succeeded')
    await add('b', 95, 'succeeded')
    await add('b', 94, 'failed')
    await add('b', 93, 'succeeded')
    await add('b', 92, 'running')
    await addJob('a', 91)
    await addJob('a', 89)
    await addJob('b', 95)
    await addJob('b', 91)
    expect(await applyLedgerRetention(database, NOW)).toEqual({ runs: 5 })
    const left = await database.rows<{ run: string }>(
      `select feed || ' ' || status || ' ' || extract(day from $1::timestamptz - started_at) as run from ingest_run order by 1`,
      [NOW],
    )
    expect(left.map(({ run }) => run)).toEqual(['a succeeded 89', 'b running 92', 'b succeeded 93'])
    const jobs = await database.rows<{ run: string }>(
      `select job || ' ' || extract(day from $1::timestamptz - due_at) as run from job_run order by 1`,
      [NOW],
    )
    expect(jobs.map(({ run }) => run)).toEqual(['a 89', 'b 91'])
    expect(await applyLedgerRetention(database, NOW)).toEqual({ runs: 0 })
  })

  it('deletes more than one batch', async () => {
    await database.rows(
      `insert into job_run (job, due_at, covers_to, status, attempt, term)
       select 'many', $1::timestamptz + n * interval '1 second', $1::timestamptz, 'succeeded', 1, 1
       from generate_series(1, 5001) as n`,
      [daysAgo(200)],
    )
    expect(await applyLedgerRetention(database, NOW)).toEqual({ runs: 5000 })
  })
})
