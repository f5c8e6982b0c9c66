import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { HeldLease } from '../../platform/database/held-lease.js'
import type { Logger } from '../../platform/logger.js'
import { settledWithin } from '../../platform/settled-within.js'
import { Deliveries } from './deliveries.js'
import { readDueMails, settleLeft } from './delivery-store.js'
import type { MailRoute, Newsletter } from './model.js'
import { Pace } from './pace.js'

export interface SenderOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly newsletter: Newsletter
  readonly route: MailRoute
  /** The right to send. */
  readonly lease: HeldLease
  /** How soon the first mail of an issue is begun; 2 s when left out: each look is a statement over what is unsettled. */
  readonly lookMs?: number
}

export interface Sender {
  /** Begins no further mail, and waits for those under way, for 3 s at most; the database must still be open. */
  stop(): Promise<void>
}

const LOOK_MS = 2_000
/** How soon a process that another one has stopped or killed is followed, once it has the lease. */
const WITHOUT_LEASE_MS = 500
/** After a look that failed, for instance since the database is out of reach. */
const FAILED_LOOK_MS = 5_000
const STOP_MS = 3_000

/** Mails per minute of one connection: a mail takes a tenth of a second at most servers. */
const PER_CONNECTION = 600
/** More than this many at once is refused by many servers. */
const MAX_CONNECTIONS = 8

/** Sends what is to be sent while this process has the lease, and goes on where another one ended. */
export function startSender(options: SenderOptions): Sender {
  const { database, clock, log, route, lease, lookMs = LOOK_MS } = options
  const stop = new AbortController()
  const { signal } = stop
  const connections = Math.min(MAX_CONNECTIONS, Math.ceil(route.perMinute / PER_CONNECTION))

  const deliveries = new Deliveries(options)

  /** Answers how long there is nothing to do. */
  const look = async (): Promise<number> => {
    const term = lease.term()
    if (term === null) return WITHOUT_LEASE_MS
    const due = await readDueMails(database)
    if (due.unsettled === 0) return lookMs
    const { recovered } = await settleLeft(database, term, clock.now())
    if (recovered > 0) log.warn({ mails: recovered }, 'mails of a sender that stopped are taken over')
    if (due.nextAt === null || due.nextAt > clock.now()) return lookMs
    const pace = new Pace(route.perMinute, { openedAt: due.openedAt, now: clock.now() })
    const isCurrent = () => !signal.aborted && lease.term() === term
    const mayWrite = () => !signal.aborted && !lease.isLost(term)
    const round = { term, pace, signal, isCurrent, mayWrite }
    await Promise.all(Array.from({ length: connections }, () => deliveries.run(round)))
    await settleLeft(database, term, clock.now())
    return deliveries.pauseMs()
  }

  const loop = async () => {
    while (!signal.aborted) {
      const waitMs = await look().catch((error: unknown) => {
        log.error({ err: error }, 'the newsletter could not be looked after; it is tried again')
        return FAILED_LOOK_MS
      })
      await sleep(waitMs, undefined, { signal }).catch(() => {
        // Stopped.
      })
    }
  }
  const ended = loop()
  return {
    stop: async () => {
      stop.abort()
      await settledWithin(STOP_MS, ended)
    },
  }
}
