// A node that runs the jobs that ask the SEC, each due once, on the PostgreSQL database of the first argument. The second one is
// the address that plays the SEC. Prints `ends`, the job and its status for each attempt.
import { loadConfig } from '../../../../src/config.js'
import { systemClock } from '../../../../src/core/time.js'
import { createJobs } from '../../../../src/ingest/jobs.js'
import { startScheduler } from '../../../../src/ingest/schedule/scheduler.js'
import { openDatabase } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { configuredHttp } from '../../../../src/platform/wiring.js'

const [url = '', sec = ''] = process.argv.slice(2)
const DUE = new Date('2026-11-20T12:00:00Z')
const NEVER = new Date('2036-11-20T12:00:00Z')

const database = await openDatabase({ kind: 'postgres', url, poolSize: 6 })
const log = createLogger('silent')
const config = loadConfig({ PROVIDER_URL_SEC: sec, SEC_USER_AGENT: 'Test test@example.com' })
startScheduler({
  jobs: createJobs()
    .filter(({ keyVariable }) => keyVariable === 'SEC_USER_AGENT')
    .map(({ needs: _needs, ...job }) => ({
      ...job,
      schedule: { last: () => DUE, next: () => NEVER, jitterMs: 0 },
    })),
  database,
  clock: systemClock,
  http: configuredHttp(config, { database, log }),
  signer: null,
  log,
  onRun: ({ job, status }) => process.stdout.write(`ends ${job} ${status}\n`),
})
