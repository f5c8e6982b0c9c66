import { Registry } from 'prom-client'
import type { LoadedSettings } from '../../config.js'
import { systemClock } from '../../core/time.js'
import { createMetricsServer } from '../../gateway/http/telemetry/metrics.js'
import type { Logger } from '../../platform/logger.js'
import { configuredTelemetry } from '../../platform/telemetry/wiring.js'
import { collectMetrics } from '../collect-metrics.js'
import { shownKey, welcomeText } from '../development.js'
import { assertPortsFree } from '../free-ports.js'
import { startHousekeeping } from '../housekeeping.js'
import { closeServer, listen, toUrl } from '../listen.js'
import { startNewsletterWorker } from '../newsletter-worker.js'
import { checkReloaded, prepare } from '../prepare.js'
import { createReloading } from '../reloading.js'
import { startScheduling } from '../schedule/scheduling.js'
import { stopOnce } from '../stop-once.js'
import { startWebhooks } from '../webhooks.js'
import { Workers } from './workers.js'

/**
 * Prepares the database once, then starts `config.workers` processes that run `file` and share one port. The primary does
 * the work that must happen once: migrations, seed, retention, the schedule and the metrics of all workers. It ends on
 * request, or when no worker can start.
 */
export async function runPrimary(
  settings: LoadedSettings,
  read: () => LoadedSettings,
  log: Logger,
  file: string,
): Promise<void> {
  const { config } = settings
  const metrics = new Registry()
  const telemetry = await configuredTelemetry(config, { log, metrics })
  const tracing = telemetry?.tracing ?? null
  await assertPortsFree(config)
  const { database, keys, sqlGuard } = await prepare(config, log)
  const { live, reload } = createReloading(settings, read, log, {
    check: (changed) => checkReloaded(changed, database, log),
    pageKeyOf: (changed) => shownKey(changed, keys),
    changed: async ({ config: changed }, isOfSchedule) => {
      workers.reload()
      await (isOfSchedule ? scheduling.restart(changed) : scheduling.reload())
    },
  })
  const workers = new Workers({
    count: config.workers,
    file,
    port: config.port,
    pageKey: () => live().pageKey,
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
  const sending = startNewsletterWorker({ config, database, log, live })
  const webhooks = startWebhooks({ config, database, log, metrics })
  const housekeeping = startHousekeeping({ database, clock: systemClock, log })
  process.on('SIGHUP', () => void reload())
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
