import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/core/time.js'
import { type Job, NO_ROWS } from '../../../src/ingest/schedule/job.js'
import { loadJobRuns } from '../../../src/ingest/schedule/job-store.js'
import { type Scheduler, startScheduler } from '../../../src/ingest/schedule/scheduler.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const DUE = new Date('2026-11-20T12:00:00Z')
const NEVER = new Date('2036-11-20T12:00:00Z')

describe('the scheduler', () => {
  let database: Database
  let scheduler: Scheduler | null = null
  const log = createLogger('silent')
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database?.close())
  beforeEach(() => database.script('truncate job_run, schedule_lease, schedule_node, schedule_shard'))
  afterEach(() => scheduler?.stop())

  const job = (name: string, dataset: Job['dataset'], run: () => void): Job => ({
    name,
    dataset,
    cadence: 'once',
    schedule: { last: () => DUE, next: () => NEVER, jitterMs: 0 },
    feeds: [],
    run: async () => {
      run()
      return { counts: NO_ROWS, note: null, unfinished: null }
    },
  })
  function start(jobs: readonly Job[], on: Database = database): Scheduler {
    const http = createHttpClient({ log, userAgent: 'test' })
    scheduler = startScheduler({ jobs, database: on, clock: systemClock, http, signer: null, log })
    return scheduler
  }
  const statusOf = async (name: string) => (await loadJobRuns(database, [name])).get(name)?.status

  it('begins no further run once it is stopped', async () => {
    const begun: string[] = []
    let stopped: Promise<void> | undefined
    const stop = () => {
      begun.push('first')
      stopped = scheduler?.stop()
    }
    start([job('first', 'forex', stop), job('second', 'bis', () => void begun.push('second'))])
    await vi.waitFor(() => expect(begun).toContain('first'), { timeout: 10_000 })
    await stopped
    expect(begun).toEqual(['first'])
    expect(await statusOf('second')).toBeUndefined()
  })

  it('stores the end of a run that the database refused at first, and does not run it again', async () => {
    const runs: string[] = []
    let refusals = 0
    const flaky: Database = {
      ...database,
      rows: async (text, ...rest) => {
        if (text.includes('set status = $4') && refusals === 0) {
          refusals += 1
          throw new Error('out of reach')
        }
        return database.rows(text, ...rest)
      },
    }
    start([job('first', 'forex', () => void runs.push('first'))], flaky)
    await vi.waitFor(async () => expect(await statusOf('first')).toBe('succeeded'), { timeout: 10_000 })
    expect([runs, refusals]).toEqual([['first'], 1])
  })
})
