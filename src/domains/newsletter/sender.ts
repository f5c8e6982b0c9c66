import type { ShardLeases } from '../../platform/outbox/shard-leases.js'
import {
  type BegunWork,
  type Outbox,
  type ShardTurn,
  startShardedOutbox,
} from '../../platform/outbox/sharded-outbox.js'
import { Deliveries, type DeliveriesOptions } from './deliveries.js'
import { type DueMails, loadDueMails, NEWSLETTER_SHARD, settleLeft } from './delivery-store.js'
import { RateLimiter } from './rate-limiter.js'

export interface SenderOptions extends DeliveriesOptions {
  /** The right to send. */
  readonly leases: ShardLeases
  /** Poll interval, which delays the first mail of an issue; default 2 s. Each poll reads unsettled issues and mails. */
  readonly lookMs?: number
}

export type Sender = Outbox

const LOOK_MS = 2_000

/** Mails per minute of one connection: most servers take a tenth of a second per mail. */
const PER_CONNECTION = 600
/** Many servers refuse more connections at once. */
const MAX_CONNECTIONS = 8

/** Sends the mails that are due while this node has the shard. */
export function startSender(options: SenderOptions): Sender {
  const { database, clock, log, route, leases, lookMs = LOOK_MS } = options
  const connections = Math.min(MAX_CONNECTIONS, Math.ceil(route.perMinute / PER_CONNECTION))
  const deliveries = new Deliveries(options)

  const send = async (work: BegunWork, due: DueMails): Promise<number> => {
    const { recovered } = await settleLeft(database, work.term, clock.now())
    if (recovered > 0) log.warn({ mails: recovered }, 'took over the mails of a stopped sender')
    if (due.nextAt === null || due.nextAt > clock.now()) return lookMs
    const pace = new RateLimiter(route.perMinute, { openedAt: due.openedAt, now: clock.now() })
    const transport = route.newTransport(connections)
    const runs = Array.from({ length: connections }, () => deliveries.run(work, pace, transport))
    // One that fails must not end the mails of the others.
    await Promise.allSettled(runs)
    transport.close()
    await Promise.all(runs)
    await settleLeft(database, work.term, clock.now())
    return deliveries.pauseMs()
  }
  const poll = async (turn: ShardTurn): Promise<number> => {
    const due = await loadDueMails(database)
    const work = due.unsettled === 0 ? null : turn.begin(NEWSLETTER_SHARD)
    return work === null ? lookMs : send(work, due).finally(work.release)
  }
  const onError = (error: unknown) =>
    log.error({ err: error }, 'a poll of the newsletter failed; the next poll tries again')
  return startShardedOutbox({ leases, poll, onError })
}
