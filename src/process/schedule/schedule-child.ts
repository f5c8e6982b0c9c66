// The schedule in a separate process, forked by schedule-process.ts, so that its work does not delay requests.
import { Registry } from 'prom-client'
import { withFlags } from '../../config/start-options.js'
import { databaseTarget, loadConfig } from '../../config.js'
import type { JobEvent } from '../../ingest/schedule/options.js'
import { openDatabase } from '../../platform/database/database.js'
import { BATCH_LIMITS } from '../../platform/database/statement-limits.js'
import { logForeignLines } from '../../platform/foreign-lines.js'
import { createLogger } from '../../platform/logger.js'
import { configuredTelemetry } from '../../platform/telemetry/wiring.js'
import { stopOnce } from '../stop-once.js'
import type { FromSchedule } from './messages.js'
import { runSchedule } from './run-schedule.js'

/** Concurrent runs, each in a transaction, the lease, and a reserve. */
const POOL_SIZE = 6

const config = loadConfig(withFlags(process.env, process.argv))
const log = createLogger(config.logLevel).child({ process: 'schedule' })
logForeignLines(log)
const say = (message: FromSchedule) => {
  // The gateway may end at any moment; `disconnect` reports that.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

const target = { ...databaseTarget(config), poolSize: POOL_SIZE }
const database = await openDatabase(target, {
  limits: BATCH_LIMITS,
  onError: (error) => log.error({ err: error }, 'database connection broke'),
})
// The gateway counts: this process reports each run to it.
const telemetry = await configuredTelemetry(config, { log, metrics: new Registry() })
const tracing = telemetry?.tracing ?? null
const onRun = (event: JobEvent) => say({ kind: 'ran', event })
const scheduler = runSchedule({ config, database, log, onRun, tracing })
const end = stopOnce(async () => {
  await scheduler.stop()
  await Promise.all([database.close(), telemetry?.stop()])
}, log)
const endAlone = () => end({ cause: 'the gateway is gone' })
process.once('disconnect', endAlone)
// The gateway may have ended while this process started.
if (!process.connected) endAlone()
say({ kind: 'here' })
