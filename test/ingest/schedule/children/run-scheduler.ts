// A node that runs the schedule of one job, due each second, on the PostgreSQL database of the first argument. The job adds
// a row of the table `effect` in a run of the ledger. Prints `leads` when it has the lease, and `begins`, `committed` and
// `ends` for each run, with its instant. The second argument: where its first run waits for the end of the process,
// `before` or `after` the commit, or `nowhere`.
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../../src/core/time.js'
import { runOneInLedger } from '../../../../src/ingest/run/run.js'
import { type Job, NO_ROWS } from '../../../../src/ingest/schedule/job.js'
import { startScheduler } from '../../../../src/ingest/schedule/scheduler.js'
import { byCron } from '../../../../src/ingest/schedule.js'
import { openDatabase } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'

const [url = '', waits = 'nowhere'] = process.argv.slice(2)
const database = await openDatabase({ kind: 'postgres', url, poolSize: 3 })
const say = (text: string) => process.stdout.write(`${text}\n`)
const forEver = () => new Promise<never>(() => setInterval(() => {}, 60_000))

const FEED = { id: 'effects', provider: { id: 'test' }, dataset: 'supply' } as const

const job: Job = {
  name: 'effects',
  dataset: FEED.dataset,
  cadence: 'every second',
  schedule: byCron('* * * * * *', 0),
  feeds: [FEED.id],
  run: (context) =>
    runOneInLedger(context, { feed: FEED, origin: 'test' }, async (run) => {
      const at = context.coversTo.toISOString()
      say(`begins ${at}`)
      await context.database.transaction(async (tx) => {
        await tx.rows('insert into effect (covers_to, pid) values ($1, $2)', [context.coversTo, process.pid])
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
    }),
}

const log = createLogger('info', {
  write: (line: string) => {
    if (line.includes('"runs the schedule"')) say('leads')
  },
})
startScheduler({
  jobs: [job],
  database,
  clock: systemClock,
  timers: { sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}) },
  http: createHttpClient({ log, userAgent: 'test' }),
  signer: null,
  log,
  onRun: ({ status }) => say(`ends ${status}`),
})
