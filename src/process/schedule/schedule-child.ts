// The schedule in a process of its own, forked by schedule-process.ts: its work takes no time from requests.
import { databaseTarget, loadConfig, withFlags } from '../../config.js'
import { openDatabase } from '../../platform/database/database.js'
import { BATCH_LIMITS } from '../../platform/database/statement-limits.js'
import { createLogger } from '../../platform/logger.js'
import { endOnce } from '../end-once.js'
import type { FromSchedule } from './messages.js'
import { runSchedule } from './run-schedule.js'

/** Runs at once, each in a transaction, the lease, and some to spare. */
const POOL_SIZE = 6

const config = loadConfig(withFlags(process.env, process.argv))
const log = createLogger(config.logLevel).child({ process: 'schedule' })
const say = (message: FromSchedule) => {
  // The gateway may go at any moment; `disconnect` says so.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

const target = { ...databaseTarget(config), poolSize: POOL_SIZE }
const database = await openDatabase(target, {
  limits: BATCH_LIMITS,
  onError: (error) => log.error({ err: error }, 'database connection broke'),
})
const scheduler = runSchedule({ config, database, log, onRun: (event) => say({ kind: 'ran', event }) })
const end = endOnce(async () => {
  await scheduler.stop()
  await database.close()
}, log)
const endAlone = () => end({ cause: 'the gateway is gone' })
process.once('disconnect', endAlone)
// It may have gone while this process started, when nobody listened.
if (!process.connected) endAlone()
say({ kind: 'here' })
