import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import type { LeaderLease } from '../../platform/outbox/leader-lease.js'
import { type LeaderTerm, type Outbox, startOutbox } from '../../platform/outbox/outbox.js'
import { Deliveries } from './deliveries.js'
import { loadDueMails, settleLeft } from './delivery-store.js'
import type { MailRoute, Newsletter } from './model.js'
import { RateLimiter } from './rate-limiter.js'

export interface SenderOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly newsletter: Newsletter
  readonly route: MailRoute
  /** The right to send. */
  readonly lease: LeaderLease
  /** Poll interval, which delays the first mail of an issue; default 2 s. Each poll runs a statement over unsettled mails. */
  readonly lookMs?: number
}

export type Sender = Outbox

const LOOK_MS = 2_000

/** Mails per minute of one connection: most servers take a tenth of a second per mail. */
const PER_CONNECTION = 600
/** Many servers refuse more connections at once. */
const MAX_CONNECTIONS = 8

/** Sends the mails that are due while this process has the lease. */
export function startSender(options: SenderOptions): Sender {
  const { database, clock, log, route, lease, lookMs = LOOK_MS } = options
  const connections = Math.min(MAX_CONNECTIONS, Math.ceil(route.perMinute / PER_CONNECTION))
  const deliveries = new Deliveries(options)

  const poll = async (term: LeaderTerm): Promise<number> => {
    const due = await loadDueMails(database)
    if (due.unsettled === 0) return lookMs
    const { recovered } = await settleLeft(database, term.number, clock.now())
    if (recovered > 0) log.warn({ mails: recovered }, 'took over the mails of a stopped sender')
    if (due.nextAt === null || due.nextAt > clock.now()) return lookMs
    const pace = new RateLimiter(route.perMinute, { openedAt: due.openedAt, now: clock.now() })
    await Promise.all(Array.from({ length: connections }, () => deliveries.run(term, pace)))
    await settleLeft(database, term.number, clock.now())
    return deliveries.pauseMs()
  }
  const onError = (error: unknown) =>
    log.error({ err: error }, 'a poll of the newsletter failed; the next poll tries again')
  return startOutbox({ lease, poll, onError })
}
