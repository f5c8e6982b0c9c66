import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CheckWorld } from '../../../src/checks/check.js'
import { loadFeedLists } from '../../../src/checks/checks.js'
import { checkJobs } from '../../../src/checks/data/check-jobs.js'
import { loadConfig } from '../../../src/config.js'
import { fixedClock } from '../../../src/core/time.js'
import { feedGroup, NO_SETTINGS } from '../../../src/ingest/feed-group.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { groupJob } from '../../../src/ingest/schedule/group-job.js'
import type { Job } from '../../../src/ingest/schedule/job.js'
import { runAttempt } from '../../../src/ingest/schedule/run-attempt.js'
import { SCHEDULE_WORK } from '../../../src/ingest/schedule/schedule-work.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { storeHeldShards } from '../../support/outbox/held-shards.js'

const NOW = new Date('2026-11-22T10:00:00Z')
const WARN_LEVEL = 40
const NAME = 'bis-dsr'

interface Line {
  readonly level: number
  readonly msg: string
  readonly reason?: string
  readonly note?: string
}

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** What the doctor says about the job. */
async function ofJob(world: CheckWorld) {
  return (await checkJobs(world)).find(({ check }) => check === `job ${NAME}`)
}

describe('a job that fails', { timeout: 60_000 }, () => {
  let database: Database
  let server: Server
  let base: string
  /** Nobody listens there. */
  let closed: string
  const lines: Line[] = []
  const log = createLogger('debug', { write: (text: string) => void lines.push(JSON.parse(text)) })
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    server = createServer((_request, response) => response.writeHead(500).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = addressOf(server)
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    closed = addressOf(gone)
    await new Promise((resolve) => gone.close(resolve))
  })
  afterAll(async () => {
    server?.close()
    await database?.close()
  })
  beforeEach(async () => {
    lines.length = 0
    await database.script('truncate job_run, ingest_run, dataset_state')
    await storeHeldShards(database, SCHEDULE_WORK, 1, 1)
  })

  const jobAt = (url: string): Job => {
    const { feed, sink } = findFeed(NAME)
    const moved = { ...feed, request: () => ({ url, headers: {} }) }
    const schedule = feed.schedule ?? expect.fail('it is scheduled')
    const group = feedGroup({ feed: moved, sink }, { schedule })
    return groupJob(group, group.job ?? expect.fail('it has a job'), { settings: NO_SETTINGS, masters: null })
  }
  const runTimes = async (times: number, job: Job) => {
    const http = createHttpClient({ log, userAgent: 'test' })
    const options = { jobs: [job], database, clock: fixedClock(NOW), http, signer: null, log }
    for (let attempt = 1; attempt <= times; attempt++) {
      const due = { job, dueAt: NOW, coversTo: NOW, attempt, blockedBy: null, abandonedAt: null }
      const timers = { sleep: () => Promise.resolve() }
      const run = await runAttempt({ ...options, timers, random: () => 0 }, due, {
        shard: 0,
        term: 1,
        signal: new AbortController().signal,
      })
      await run?.ended
    }
  }
  const loud = () => lines.filter(({ level }) => level >= WARN_LEVEL)

  it.each([
    ['a refused connection', () => `${closed}/x`, 'ECONNREFUSED'],
    ['a status', () => `${base}/x`, '500'],
  ])('by %s is one line at level warn, with the cause', async (_what, url, cause) => {
    await runTimes(1, jobAt(url()))
    expect(loud()).toEqual([
      expect.objectContaining({
        level: WARN_LEVEL,
        msg: 'scheduled run did not complete',
        reason: expect.stringContaining(cause),
      }),
    ])
  })

  it('names the first failure to doctor, feeds and /readyz while its provider gets no requests', async () => {
    const config = loadConfig({ SCHEDULE: NAME })
    await runTimes(3, jobAt(`${closed}/x`))
    expect(loud()).toHaveLength(3)
    const leftAlone = /failed repeatedly \(.*ECONNREFUSED.*\); no further requests are sent/
    expect(loud()[2]?.reason).toMatch(leftAlone)
    const world = { database, config, clock: fixedClock(NOW) }
    const finding = await ofJob(world)
    expect(finding).toMatchObject({ check: `job ${NAME}`, message: expect.stringMatching(leftAlone) })
    const details = await loadFeedLists(world)
    const { jobs } = details as { jobs: readonly { job: string; last_error: string | null }[] } // as /readyz and feeds show it
    expect(jobs.find(({ job }) => job === NAME)?.last_error).toMatch(leftAlone)
  })

  it('in part is one line at level warn that names what failed, and doctor says so', async () => {
    const part: Job = {
      ...jobAt(base),
      run: async () => ({
        counts: { added: 1, revised: 0, unchanged: 0, rejected: 0, absent: 0 },
        note: '1 failed: NVDA: https://example.com is unreachable (ENOTFOUND)',
        isPartial: true,
        unfinished: null,
      }),
    }
    await runTimes(1, part)
    expect(loud()).toEqual([
      expect.objectContaining({
        msg: 'scheduled run succeeded in part',
        note: expect.stringContaining('ENOTFOUND'),
      }),
    ])
    const config = loadConfig({ SCHEDULE: NAME })
    const finding = await ofJob({ database, config, clock: fixedClock(NOW) })
    expect(finding?.message).toMatch(/succeeded, but 1 failed: NVDA: .*ENOTFOUND/)
  })
})
