import { Registry } from 'prom-client'
import type { Config } from '../../config.js'
import { systemClock } from '../../core/time.js'
import { createMetricsServer } from '../../gateway/http/telemetry/metrics.js'
import type { Logger } from '../../platform/logger.js'
import { configuredTelemetry } from '../../platform/telemetry/wiring.js'
import { collectMetrics } from '../collect-metrics.js'
import { shownKey, welcomeText } from '../development.js'
import { startHousekeeping } from '../duties/housekeeping.js'
import { startNewsletterWorker } from '../duties/newsletter-worker.js'
import { startWebhooks } from '../duties/webhooks.js'
import { assertPortsFree } from '../free-ports.js'
import { closeServer, listen, toUrl } from '../listen.js'
import { prepare } from '../prepare.js'
import { startScheduling } from '../schedule/scheduling.js'
import { stopOnce } from '../stop-once.js'
import { Workers } from './workers.js'

/**
 * Prepares the database once, then starts `config.workers` processes that run `file` and share one port. The primary does
 * the work that must happen once: migrations, seed, retention, the schedule and the metrics of all workers. It ends on
 * request, or when no worker can start.
 */
export async function runPrimary(config: Config, log: Logger, file: string): Promise<void> {
  const metrics = new Registry()
  const telemetry = await configuredTelemetry(config, { log, metrics })
  const tracing = telemetry?.tracing ?? null
  await assertPortsFree(config)
  const { database, keys, sqlGuard } = await prepare(config, log)
  const workers = new Workers({
    count: config.workers,
    file,
    port: config.port,
    pageKey: shownKey(config, keys),
    log,
    onFailedStart: (message) => {
      process.stderr.write(`${message}\n`)
      end({ cause: message }, 1)
    },
  })
  const metricsServer = createMetricsServer({
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    metrics: () => collectMetrics(workers.listening(), metrics),
  })
  const metricsPort = await listen(metricsServer, config.metricsPort, config.metricsHost)

  const scheduling = startScheduling({ config, database, log, metrics, tracing })
  const sending = startNewsletterWorker({ config, database, log })
  const webhooks = startWebhooks({ config, database, log, metrics })
  const housekeeping = startHousekeeping({ database, clock: systemClock, log })
  const end = stopOnce(async () => {
    await Promise.all([
      workers.stop(),
      closeServer(metricsServer),
      scheduling.stop(),
      sending.stop(),
      webhooks.stop(),
      housekeeping.stop(),
      sqlGuard.stop(),
    ])
    await Promise.all([database.close(), telemetry?.stop()])
  }, log)
  const port = await workers.start()
  log.info({ port, metrics_port: metricsPort, database: database.kind, workers: config.workers }, 'listening')
  const addresses = { url: toUrl(config.host, port), metricsUrl: toUrl(config.metricsHost, metricsPort) }
  if (keys) process.stdout.write(welcomeText(addresses, config, keys))
}
