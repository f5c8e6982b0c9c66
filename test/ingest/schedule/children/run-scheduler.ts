// A node that runs one job for each dataset of the third argument, due each second, on the PostgreSQL database of the first one.
// A job adds a row of the table `effect` in a run of the ledger, and says whether no other run of it was in progress. Prints
// `leads` when its shards change, and `begins`, `committed` and `ends` for each run, with its instant. The second argument: where
// its first run waits for the end of the process, `before` or `after` the commit, or `nowhere`.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatasetName } from '../../../../src/core/datasets.js'
import { systemClock } from '../../../../src/core/time.js'
import { runOneInLedger } from '../../../../src/ingest/run/run.js'
import { type Job, NO_ROWS } from '../../../../src/ingest/schedule/job.js'
import { startScheduler } from '../../../../src/ingest/schedule/scheduler.js'
import { byCron } from '../../../../src/ingest/schedule.js'
import { openDatabase } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'

const [url = '', waits = 'nowhere', datasets = 'supply'] = process.argv.slice(2)
const database = await openDatabase({ kind: 'postgres', url, poolSize: 5 })
const say = (text: string) => process.stdout.write(`${text}\n`)
const forEver = () => new Promise<never>(() => setInterval(() => {}, 60_000))

const jobOf = (dataset: DatasetName): Job => ({
  name: `effects-${dataset}`,
  dataset,
  cadence: 'every second',
  schedule: byCron('* * * * * *', 0),
  feeds: [`effects-${dataset}`],
  run: (context) => {
    const feed = { id: `effects-${dataset}`, provider: { id: 'test' }, dataset }
    return runOneInLedger(context, { feed, origin: 'test' }, async (run) => {
      const at = context.coversTo.toISOString()
      say(`begins ${at}`)
      await context.database.transaction(async (tx) => {
        await tx.rows(
          `insert into effect (job, covers_to, pid, is_alone)
           values ($1, $2, $3, pg_try_advisory_xact_lock(hashtext($1)))`,
          [feed.id, context.coversTo, process.pid],
        )
        await run.succeed(tx, { ...NO_ROWS, added: 1, rejections: [] })
        if (waits === 'before') {
          say('waits')
          await forEver()
        }
      })
      say(`committed ${at}`)
      if (waits === 'after') {
        say('waits')
        await forEver()
      }
      return { counts: { ...NO_ROWS, added: 1 }, note: null, unfinished: null }
    })
  },
})

const log = createLogger('info', {
  write: (line: string) => {
    if (line.includes('"shards of the schedule"')) say('leads')
  },
})
startScheduler({
  jobs: datasets.split(',').map((dataset) => jobOf(dataset as DatasetName)), // the test names datasets
  database,
  clock: systemClock,
  timers: { sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}) },
  http: createHttpClient({ log, userAgent: 'test' }),
  signer: null,
  log,
  onRun: ({ status }) => say(`ends ${status}`),
})
