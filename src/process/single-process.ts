import type { Config } from '../config.js'
import { systemClock } from '../core/time.js'
import { createMetrics, createMetricsServer } from '../gateway/http/telemetry/metrics.js'
import type { Logger } from '../platform/logger.js'
import { configuredTelemetry } from '../platform/telemetry/wiring.js'
import { startConfiguredControl } from './control.js'
import { shownKey, welcomeText } from './development.js'
import { startHousekeeping } from './duties/housekeeping.js'
import { startNewsletterWorker } from './duties/newsletter-worker.js'
import { startWebhooks } from './duties/webhooks.js'
import { assertPortsFree } from './free-ports.js'
import { closeServer, listen, toUrl } from './listen.js'
import { prepare } from './prepare.js'
import { startScheduling } from './schedule/scheduling.js'
import { serve } from './serve.js'
import { stopOnce } from './stop-once.js'

/** The whole gateway in this process. */
export async function runSingleProcess(given: Config, log: Logger): Promise<void> {
  const metrics = createMetrics()
  const telemetry = await configuredTelemetry(given, { log, metrics })
  const tracing = telemetry?.tracing ?? null
  await assertPortsFree(given)
  const { config, database, keys, sqlGuard } = await prepare(given, log)
  const metricsServer = createMetricsServer(metrics)
  const [serving, metricsPort] = await Promise.all([
    serve({ config, database, log, metrics, tracing, pageKey: shownKey(config, keys) }),
    listen(metricsServer, config.metricsPort, config.metricsHost),
  ])
  const control = await startConfiguredControl(config, database, log)
  const scheduling = startScheduling({ config, database, log, metrics, tracing })
  const sending = startNewsletterWorker({ config, database, log })
  const webhooks = startWebhooks({ config, database, log, metrics })
  const housekeeping = startHousekeeping({ database, clock: systemClock, log })
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
