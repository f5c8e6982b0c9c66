import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, fixedClock, parseIsoDate } from '../../src/core/time.js'
import { failDeadRuns } from '../../src/ingest/ledger.js'
import { findFeed } from '../../src/ingest/registry.js'
import { runFeed } from '../../src/ingest/run-feed.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { REQUEST_LIMITS } from '../../src/platform/database/statement-limits.js'
import { createLogger } from '../../src/platform/logger.js'
import { startChild } from '../support/child.js'
import {
  BLACK_HOLE,
  type CuttableProxy,
  LOST_ANSWERS,
  startCuttableProxy,
} from '../support/cuttable-proxy.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database.js'
import { OWN_SECRETS } from '../support/secrets.js'

/** The statement without an answer, the note of the failure, and the release of the run. */
const ENDED_MS = 2 * REQUEST_LIMITS.statementMs + 2_000
/** How long after the end of a disturbance a run succeeds. */
const HEALTHY_MS = 5_000
/** Longest a process may take to end after SIGTERM. */
const STOPPED_MS = 10_000

const NOW = new Date('2026-11-20T15:30:00Z')
const INGEST = resolve(import.meta.dirname, '../../src/commands/ingest.ts')

const LAST_DAY = parseIsoDate('2025-01-01') ?? expect.fail('no day')
/** More rows than one statement writes. */
const ROWS = 9_000
const BODY = [
  'Date,USD,',
  ...Array.from({ length: ROWS }, (_, index) => `${addDays(LAST_DAY, -index)},1.16,`),
].join('\n')

describe.skipIf(!availableDatabases().includes('postgres'))('an ingestion whose way to PostgreSQL', () => {
  let url: string
  let proxy: CuttableProxy
  let direct: Database

  beforeAll(async () => {
    url = await copyPostgresWorld('empty')
    proxy = await startCuttableProxy(url)
    direct = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
  })

  afterEach(async () => {
    proxy.mend()
    await direct.script('truncate forex_rate, instrument, asset, ingest_run, dataset_state')
  })

  afterAll(async () => {
    await direct.close()
    await proxy.close()
    await dropPostgresDatabase(url)
  })

  const facts = async () => {
    const [row] = await direct.rows<{ rates: number; versions: number; running: number }>(
      `select (select count(*) from forex_rate) as rates, (select count(*) from dataset_state) as versions,
         (select count(*) from ingest_run where status = 'running') as running`,
    )
    return row
  }

  it.each(LOST_ANSWERS)(
    '%s in the middle ends in time with an error, has written nothing, and succeeds soon after',
    async (_, disturbance) => {
      const through = await openDatabase({ kind: 'postgres', url: proxy.url, poolSize: 2 })
      // A batch has a minute for each statement; here as long as a request has.
      const database: Database = {
        ...through,
        transaction: (work) => through.transaction(work, REQUEST_LIMITS),
      }
      const deps = {
        database,
        clock: fixedClock(NOW),
        fetchBody: () => expect.fail('nothing is fetched'),
        log: createLogger('silent'),
      }
      const source = { kind: 'bytes', origin: 'test', bytes: Buffer.from(BODY) } as const
      let disturbedAt = 0
      const run = runFeed(deps, findFeed('ecb-history'), source, () => {
        if (disturbedAt > 0) return
        disturbedAt = performance.now()
        proxy.disturb(disturbance)
      })
      await expect(run).rejects.toMatchObject({ code: 'service_unavailable' })
      expect(performance.now() - disturbedAt).toBeLessThan(ENDED_MS)
      proxy.pass()
      const passedAt = performance.now()
      await expect.poll(facts).toMatchObject({ rates: 0, versions: 0 })
      await expect
        .poll(() => runFeed(deps, findFeed('ecb-history'), source).then(({ added }) => added, String), {
          timeout: 4 * HEALTHY_MS,
        })
        .toBe(ROWS)
      expect(performance.now() - passedAt).toBeLessThan(HEALTHY_MS)
      expect(await facts()).toEqual({ rates: ROWS, versions: 1, running: 0 })
      await through.close()
    },
  )

  it('is a black hole ends at once when it is asked to stop, and the next start knows that it did not finish', async () => {
    const file = join(inject('runDirectory'), 'lost-answers.csv')
    writeFileSync(file, BODY)
    const env = { DATABASE_URL: proxy.url, ...OWN_SECRETS }
    const child = await startChild(INGEST, ['ecb-history', '--file', file], env)
    await expect.poll(facts, { timeout: STOPPED_MS, interval: 5 }).toMatchObject({ running: 1 })
    proxy.disturb(BLACK_HOLE)
    const askedAt = performance.now()
    await child.kill('SIGTERM')
    expect(performance.now() - askedAt).toBeLessThan(STOPPED_MS)
    const endedAt = performance.now()
    await expect.poll(() => failDeadRuns(direct, NOW), { timeout: 2 * HEALTHY_MS }).toBe(1)
    expect(performance.now() - endedAt).toBeLessThan(HEALTHY_MS)
    expect(await facts()).toEqual({ rates: 0, versions: 0, running: 0 })
  }, 60_000)
})
