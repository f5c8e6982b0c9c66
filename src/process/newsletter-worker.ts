import type { Config } from '../config.js'
import { systemClock } from '../core/time.js'
import { type Sender, startSender } from '../domains/newsletter/sender.js'
import { configuredNewsletter } from '../domains/newsletter/wiring.js'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/logger.js'
import { startLeaderLease } from '../platform/outbox/leader-lease.js'

export interface NewsletterWorkerOptions {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
}

/** Sends the newsletter if this process holds the lease. Does nothing without a mail server. */
export function startNewsletterWorker({ config, database, log }: NewsletterWorkerOptions): Sender {
  const newsletter = configuredNewsletter(config)
  const { route } = newsletter
  if (route === null) return { stop: async () => {} }
  const lease = startLeaderLease(database, 'newsletter', log)
  return startSender({ database, clock: systemClock, log, newsletter, route, lease })
}
