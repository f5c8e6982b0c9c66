import { configuredNewsletter } from '../assembly/configured-newsletter.js'
import type { Config } from '../config.js'
import { systemClock } from '../core/time.js'
import { type Sender, startSender } from '../domains/newsletter/sender.js'
import { startLease } from '../ingest/schedule/lease.js'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/logger.js'

/** Sends the newsletter from the one process of all on the database that has the lease; nothing where there is no mail server. */
export function startSending(config: Config, database: Database, log: Logger): Sender {
  const newsletter = configuredNewsletter(config)
  const { route } = newsletter
  if (route === null) return { stop: async () => {} }
  const leased = { name: 'newsletter', work: 'sends the newsletter' } as const
  // The sender looks for the lease itself, often.
  const lease = startLease({ database, leased, log, onChange: () => {} })
  const sender = startSender({ database, clock: systemClock, log, newsletter, route, lease })
  return {
    stop: async () => {
      await sender.stop()
      await lease.stop()
    },
  }
}
