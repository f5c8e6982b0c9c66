import type { LoadedSettings } from '../config.js'
import { systemClock } from '../core/time.js'
import { createMetrics, createMetricsServer } from '../gateway/http/telemetry/metrics.js'
import type { Logger } from '../platform/logger.js'
import { configuredTelemetry } from '../platform/telemetry/wiring.js'
import { startConfiguredControl } from './control.js'
import { shownKey, welcomeText } from './development.js'
import { assertPortsFree } from './free-ports.js'
import { startHousekeeping } from './housekeeping.js'
import { closeServer, listen, toUrl } from './listen.js'
import { startNewsletterWorker } from './newsletter-worker.js'
import { checkReloaded, prepare } from './prepare.js'
import { createReloading } from './reloading.js'
import { startScheduling } from './schedule/scheduling.js'
import { serve } from './serve.js'
import { stopOnce } from './stop-once.js'
import { startWebhooks } from './webhooks.js'

/** The whole gateway in this process. */
export async function runSingleProcess(
  settings: LoadedSettings,
  read: () => LoadedSettings,
  log: Logger,
): Promise<void> {
  const { config } = settings
  const metrics = createMetrics()
  const telemetry = await configuredTelemetry(config, { log, metrics })
  const tracing = telemetry?.tracing ?? null
  await assertPortsFree(config)
  const { database, keys, sqlGuard } = await prepare(config, log)
  const metricsServer = createMetricsServer(metrics)
  const { live, reload } = createReloading(settings, read, log, {
    check: (changed) => checkReloaded(changed, database, log),
    pageKeyOf: (changed) => shownKey(changed, keys),
    changed: (changed, isOfSchedule) =>
      isOfSchedule ? scheduling.restart(changed.config) : scheduling.reload(),
  })
  const [serving, metricsPort] = await Promise.all([
    serve({ config, database, log, metrics, tracing, live }),
    listen(metricsServer, config.metricsPort, config.metricsHost),
  ])
  const control = await startConfiguredControl(config, database, log)
  const scheduling = startScheduling({ config, database, log, metrics, tracing })
  const sending = startNewsletterWorker({ config, database, log, live })
  const webhooks = startWebhooks({ config, database, log, metrics })
  const housekeeping = startHousekeeping({ database, clock: systemClock, log })
  process.on('SIGHUP', () => void reload())
  stopOnce(async () => {
    await Promise.all([
      serving.stop(),
      closeServer(metricsServer),
      scheduling.stop(),
      sending.stop(),
      webhooks.stop(),
      housekeeping.stop(),
      sqlGuard.stop(),
      control?.stop(),
    ])
    await Promise.all([database.close(), telemetry?.stop()])
  }, log)
  // Last: a process that reads this line may stop the gateway at once.
  log.info({ port: serving.port, metrics_port: metricsPort, database: database.kind }, 'listening')
  const addresses = {
    url: toUrl(config.host, serving.port),
    metricsUrl: toUrl(config.metricsHost, metricsPort),
  }
  if (keys) process.stdout.write(welcomeText(addresses, config, keys))
}
