import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/core/time.js'
import { runOneInLedger } from '../../../src/ingest/run/run.js'
import { type Job, NO_ROWS } from '../../../src/ingest/schedule/job.js'
import { loadJobRuns } from '../../../src/ingest/schedule/job-store.js'
import { type Scheduler, startScheduler } from '../../../src/ingest/schedule/scheduler.js'
import type { Database } from '../../../src/platform/database/database.js'
import { aroundCalls } from '../../../src/platform/database/prisma/prisma-models.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const DUE = new Date('2026-11-20T12:00:00Z')
const NEVER = new Date('2036-11-20T12:00:00Z')

describe('the scheduler', () => {
  let database: Database
  let scheduler: Scheduler | null = null
  const schedulers: Scheduler[] = []
  const log = createLogger('silent')
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database?.close())
  beforeEach(() => database.script('truncate job_run, schedule_node, schedule_shard'))
  afterEach(async () => {
    await Promise.all(schedulers.splice(0).map((one) => one.stop()))
  })

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
    schedulers.push(scheduler)
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

  it('runs each job on a node that lists it, whatever the other nodes list, and none of a dataset at once', async () => {
    const runs: string[] = []
    let atOnce = 0
    let most = 0
    const jobOf = (node: string, name: string, dataset: Job['dataset']): Job => ({
      ...job(name, dataset, () => {}),
      run: (context) => {
        const feed = { id: name, dataset, provider: { id: 'played' } }
        return runOneInLedger(context, { feed, origin: 'played' }, async (run) => {
          runs.push(`${name} on ${node}`)
          atOnce += dataset === 'bis' ? 1 : 0
          most = Math.max(most, atOnce)
          await new Promise((resolve) => setTimeout(resolve, 300))
          atOnce -= dataset === 'bis' ? 1 : 0
          await run.succeed(context.database, { ...NO_ROWS, rejections: [] })
          return { counts: NO_ROWS, note: null, unfinished: null }
        })
      },
    })
    start([jobOf('a', 'first', 'bis'), jobOf('a', 'both', 'forex'), jobOf('a', 'only-a', 'boj')])
    start([jobOf('b', 'second', 'bis'), jobOf('b', 'both', 'forex'), jobOf('b', 'only-b', 'boj')])
    const names = ['first', 'second', 'both', 'only-a', 'only-b']
    const succeeded = async () => {
      const found = await loadJobRuns(database, names)
      return names.filter((name) => found.get(name)?.status === 'succeeded')
    }
    await vi.waitFor(async () => expect(await succeeded()).toEqual(names), { timeout: 40_000 })
    expect(runs.filter((run) => !run.startsWith('both')).sort()).toEqual([
      ...['first on a', 'only-a on a', 'only-b on b', 'second on b'],
    ])
    expect([runs.length, most]).toEqual([5, 1])
  }, 60_000)

  it('stores the end of a run that the database refused at first, and does not run it again', async () => {
    const runs: string[] = []
    let refusals = 0
    const flaky: Database = {
      ...database,
      prisma: aroundCalls(database.prisma, async ({ model, operation }, run) => {
        if (model === 'jobRun' && operation === 'updateMany' && refusals === 0) {
          refusals += 1
          throw new Error('out of reach')
        }
        return run()
      }),
    }
    start([job('first', 'forex', () => void runs.push('first'))], flaky)
    await vi.waitFor(async () => expect(await statusOf('first')).toBe('succeeded'), { timeout: 10_000 })
    expect([runs, refusals]).toEqual([['first'], 1])
  })
})
