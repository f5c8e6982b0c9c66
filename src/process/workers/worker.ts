import type { Worker } from 'node:cluster'
import type { Registry } from 'prom-client'
import type { Config } from '../../config.js'
import { createMetrics } from '../../gateway/http/telemetry/metrics.js'
import { openConfigured } from '../../platform/database/wiring.js'
import type { Logger } from '../../platform/logger.js'
import { configuredTelemetry } from '../../platform/telemetry/wiring.js'
import { serve } from '../serve.js'
import { stopOnce } from '../stop-once.js'
import type { Assignment, FromPrimary, FromWorker } from './messages.js'

/** Runs one of several processes that share one port; `self` is its channel to the primary. */
export async function runWorker(config: Config, parentLog: Logger, self: Worker): Promise<void> {
  const metrics = createMetrics()
  const { number, port, pageKey } = await converse(self, metrics, parentLog)
  const log = parentLog.child({ worker: number })
  const database = await openConfigured(config, log)
  const telemetry = await configuredTelemetry(config, { log, metrics })
  const starting = serve({
    config: { ...config, port, burstPerMinute: shareOf(config.burstPerMinute, config.workers) },
    database,
    log,
    metrics,
    pageKey,
    tracing: telemetry?.tracing ?? null,
  })
  // Before it listens: the primary may have to stop as soon as it knows that.
  const end = stopOnce(async () => {
    const serving = await starting
    await serving.stop()
    await Promise.all([database.close(), telemetry?.stop()])
  }, log)
  const { port: listeningOn } = await starting
  log.info({ pid: process.pid, port: listeningOn }, 'worker listening')
  self.once('disconnect', () => {
    self.exitedAfterDisconnect = true // otherwise Node ends the process here, while requests are running
    end({ cause: 'the primary is gone' })
  })
}

/** Tells the primary that it is ready, answers requests for its metrics, and resolves with its assignment. */
function converse(self: Worker, metrics: Registry, log: Logger): Promise<Assignment> {
  const say = (message: FromWorker) => void self.send(message)
  const measure = (request: number) =>
    metrics.getMetricsAsJSON().then(
      (values) => say({ kind: 'metrics', request, values }),
      (error: unknown) => log.error({ err: error }, 'metrics could not be read'),
    )
  return new Promise((resolve) => {
    self.on('message', (message: FromPrimary) => {
      if (message.kind === 'assignment') resolve(message)
      if (message.kind === 'metrics') void measure(message.request)
    })
    say({ kind: 'here' })
  })
}

/** The share of one worker in a limit that each process counts separately. */
function shareOf(perMinute: number, workers: number): number {
  return Math.ceil(perMinute / workers)
}
