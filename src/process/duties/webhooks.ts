import { Counter, Gauge, type Registry } from 'prom-client'
import type { Config } from '../../config.js'
import { systemClock } from '../../core/time.js'
import { WEBHOOK_SHARDS, WEBHOOK_WORK } from '../../domains/webhooks/conditions.js'
import type { AttemptResult } from '../../domains/webhooks/delivery/attempts.js'
import { loadBacklog } from '../../domains/webhooks/delivery/delivery-store.js'
import { type Dispatcher, startDispatcher } from '../../domains/webhooks/delivery/dispatcher.js'
import { configuredWebhooks } from '../../domains/webhooks/wiring.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { startShardLeases } from '../../platform/outbox/shard-leases.js'
import { processTimers } from '../../platform/timers.js'
import { registerShardGauge } from '../shard-metrics.js'

export interface WebhooksOptions {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
  readonly metrics: Registry
}

/** How long a lease on a shard lasts without renewal: a killed process delays the events of its accounts by this time. */
const LEASE_MS = 5_000

/** Delivers the webhooks of the shards of this process. Does nothing if WEBHOOKS is off. */
export function startWebhooks({ config, database, log, metrics }: WebhooksOptions): Dispatcher {
  if (!config.webhooks.isOn) return { stop: async () => {} }
  const leases = startShardLeases({
    ...{ work: WEBHOOK_WORK, shards: WEBHOOK_SHARDS, database, log },
    ...{ timers: processTimers, leaseMs: LEASE_MS },
  })
  const onResult = createWebhookMetrics(metrics, database, log)
  registerShardGauge('webhook_shards', {
    work: WEBHOOK_WORK,
    shards: Array.from({ length: WEBHOOK_SHARDS }, (_, shard) => shard),
    ...{ metrics, database, log },
  })
  const webhooks = configuredWebhooks(config)
  return startDispatcher({ database, clock: systemClock, log, webhooks, leases, onResult })
}

/** Registers the metrics of the webhooks; the returned function counts attempts. */
function createWebhookMetrics(
  metrics: Registry,
  database: Database,
  log: Pick<Logger, 'warn'>,
): (result: AttemptResult) => void {
  const registers = [metrics]
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts of this process to deliver an event, by result (delivered, failed, dead: the last one for its event).',
    labelNames: ['result'],
    registers,
  })
  new Gauge({
    name: 'webhook_events',
    help: 'Events of all webhooks by state: pending, still to be delivered, and dead, given up in the last 30 days.',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset()
      try {
        for (const [state, count] of Object.entries(await loadBacklog(database))) this.set({ state }, count)
      } catch (error) {
        log.warn({ err: error }, 'the events of the webhooks could not be counted')
      }
    },
  })
  return (result) => attempts.inc({ result })
}
