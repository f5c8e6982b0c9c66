import type { Config } from '../../config.js'
import { systemClock } from '../../core/time.js'
import { NEWSLETTER_WORK } from '../../domains/newsletter/delivery-store.js'
import { type Sender, startSender } from '../../domains/newsletter/sender.js'
import { configuredNewsletter } from '../../domains/newsletter/wiring.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { startShardLeases } from '../../platform/outbox/shard-leases.js'
import { processTimers } from '../../platform/timers.js'

export interface NewsletterWorkerOptions {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
}

/** How long a lease lasts without renewal: a killed sender delays the mails by this time. */
const LEASE_MS = 5_000

/** Sends the newsletter while this process has its shard. Does nothing without a mail server. */
export function startNewsletterWorker({ config, database, log }: NewsletterWorkerOptions): Sender {
  const newsletter = configuredNewsletter(config)
  const { route } = newsletter
  if (route === null) return { stop: async () => {} }
  const leases = startShardLeases({
    ...{ work: NEWSLETTER_WORK, shards: 1, database, log },
    ...{ timers: processTimers, leaseMs: LEASE_MS },
  })
  return startSender({ database, clock: systemClock, log, newsletter, route, leases })
}
