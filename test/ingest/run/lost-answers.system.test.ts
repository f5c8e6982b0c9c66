import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { addDays, fixedClock, parseIsoDate } from '../../../src/core/time.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { failDeadRuns } from '../../../src/ingest/run/ledger.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { REQUEST_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { createLogger } from '../../../src/platform/logger.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../support/database/database.js'
import {
  BLACK_HOLE,
  type CuttableProxy,
  LOST_ANSWERS,
  startCuttableProxy,
} from '../../support/peers/cuttable-proxy.js'
import { startChild } from '../../support/processes/child.js'
import { waitedMs } from '../../support/waited-ms.js'

/** The statement without an answer, the note of the failure, and the release of the run, on the timers of the process. */
const ENDED_MS = 2 * REQUEST_LIMITS.statementMs + 2_000
const POOL_SIZE = 2

const NOW = new Date('2026-11-20T15:30:00Z')
const INGEST = resolve(import.meta.dirname, '../../../src/commands/ingest.ts')

const LAST_DAY = parseIsoDate('2025-01-01') ?? expect.fail('no day')
/** More rows than one statement writes. */
const ROWS = 9_000
const BODY = [
  'Date,USD,',
  ...Array.from({ length: ROWS }, (_, index) => `${addDays(LAST_DAY, -index)},1.16,`),
].join('\n')

describe.skipIf(!availableDatabases().includes('postgres'))(
  'an ingestion whose connection to PostgreSQL',
  () => {
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
      await direct.script('truncate forex_rate, instrument, asset, ingest_run, dataset_state cascade')
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
        const through = await openDatabase({ kind: 'postgres', url: proxy.url, poolSize: POOL_SIZE })
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
        let isDisturbed = false
        const run = () =>
          runFeed(deps, findFeed('ecb-history'), source, () => {
            if (!isDisturbed) proxy.disturb(disturbance)
            isDisturbed = true
          })
        const waited = await waitedMs(() =>
          expect(run()).rejects.toMatchObject({ code: 'service_unavailable' }),
        )
        expect(waited).toBeLessThan(ENDED_MS)
        proxy.pass()
        await expect.poll(facts).toMatchObject({ rates: 0, versions: 0 })
        // Each connection that was open meanwhile may fail one run.
        const outcomes: unknown[] = []
        while (outcomes.length <= POOL_SIZE && outcomes.at(-1) !== ROWS)
          outcomes.push(await run().then(({ added }) => added, String))
        expect(outcomes.at(-1)).toBe(ROWS)
        expect(await facts()).toEqual({ rates: ROWS, versions: 1, running: 0 })
        await through.close()
      },
    )

    it('is a black hole ends at once when asked to stop, and the next start knows that it did not finish', async () => {
      const file = join(inject('runDirectory'), 'lost-answers.csv')
      writeFileSync(file, BODY)
      const env = { DATABASE_URL: proxy.url, ...OWN_SECRETS }
      const child = await startChild(INGEST, ['ecb-history', '--file', file], env)
      await expect.poll(facts, { interval: 5 }).toMatchObject({ running: 1 })
      proxy.disturb(BLACK_HOLE)
      await child.kill('SIGTERM')
      await expect.poll(() => failDeadRuns(direct, NOW), { timeout: 10_000 }).toBe(1)
      expect(await facts()).toEqual({ rates: 0, versions: 0, running: 0 })
    }, 60_000)
  },
)
