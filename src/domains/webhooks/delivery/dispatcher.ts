import { loadDatasetStates } from '../../../platform/database/versions/dataset-states-store.js'
import { limitAtOnce } from '../../../platform/outbox/limit-at-once.js'
import type { ShardLeases } from '../../../platform/outbox/shard-leases.js'
import type { Outbox } from '../../../platform/outbox/sharded-outbox.js'
import {
  type BegunWork,
  type ShardTurn,
  startShardedOutbox,
} from '../../../platform/outbox/sharded-outbox.js'
import { type AttemptsOptions, attempt } from './attempts.js'
import { AttemptsInFlight, MOST_AT_ONCE } from './attempts-in-flight.js'
import { type DueDelivery, loadDueEvents, openDeliveries } from './delivery-store.js'
import { loadMessages } from './message.js'
import { disableLost, hasWork, queueChanges, recoverLost } from './queue-store.js'

export interface DispatcherOptions extends AttemptsOptions {
  /** The right to deliver the events of shards of accounts. */
  readonly leases: ShardLeases
  /** Interval of queueing changes and sending due events; default 1 s. */
  readonly queueMs?: number
  /** Poll interval while no webhook is active; default 2 s. */
  readonly idleMs?: number
  readonly atOnce?: number
}

export type Dispatcher = Outbox

const QUEUE_MS = 1_000
const IDLE_MS = 2_000
/** Attempts that end within this time cause one poll together. */
const GATHER_MS = 20
/** Interval of disabling webhooks whose owners may no longer have them. Each attempt checks the rights too. */
const DISABLE_MS = 30_000

/** Maximum number of unsettled events per webhook in the queue. Further events are queued when these are settled. */
export const WINDOW = 200

/** Attempts of a node for all webhooks together. */
const ATTEMPTS_AT_ONCE = 64

/** Answers that are stored at once, fewer than the connections of a pool, which requests use too. */
const STORED_AT_ONCE = 4

/** Delivers the changes to the webhooks of the accounts whose shards this node has. */
export function startDispatcher(given: Omit<DispatcherOptions, 'storing'>): Dispatcher {
  const options: DispatcherOptions = { ...given, storing: limitAtOnce(STORED_AT_ONCE) }
  const { database, log, leases, queueMs = QUEUE_MS, idleMs = IDLE_MS, atOnce = ATTEMPTS_AT_ONCE } = options
  // Each node may send to each host, so more nodes than attempts exceed the limit.
  const perHost = () => Math.max(1, leases.partOf(MOST_AT_ONCE.perHost))
  const inFlight = new AttemptsInFlight(atOnce, perHost)
  let queuedAtMs = Number.NEGATIVE_INFINITY
  let disabledAtMs = Number.NEGATIVE_INFINITY

  const poll = async (turn: ShardTurn): Promise<number> => {
    if (!(await hasWork(database))) return idleMs
    if (performance.now() - queuedAtMs >= queueMs) {
      await recover(options, turn)
      if (performance.now() - disabledAtMs >= DISABLE_MS) {
        await disable(options, turn)
        disabledAtMs = performance.now()
      }
      await queue(options, turn)
      queuedAtMs = performance.now()
    }
    while (!turn.signal.aborted && !inFlight.isFull && (await beginDue(options, inFlight, turn)) > 0);
    return Math.max(0, queueMs - (performance.now() - queuedAtMs))
  }
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'a poll of the webhooks failed; the next poll tries again')
  return startShardedOutbox({ leases, poll, onError, gatherMs: GATHER_MS })
}

async function recover({ database, clock, log }: DispatcherOptions, { node }: ShardTurn): Promise<void> {
  const recovered = await recoverLost(database, node, clock.now())
  if (recovered > 0) log.warn({ events: recovered }, 'the attempts of a stopped process are repeated')
}

async function disable({ database, clock, log }: DispatcherOptions, { node }: ShardTurn): Promise<void> {
  const disabled = await disableLost(database, node, clock.now())
  for (const { webhookId, reason } of disabled)
    log.info({ webhook_id: webhookId, reason }, 'a webhook is disabled')
}

async function queue({ database, clock }: DispatcherOptions, { node }: ShardTurn): Promise<void> {
  const source = (await loadDatasetStates(database)).get('analysis')?.source ?? null
  while (await queueChanges(database, node, { source, now: clock.now(), window: WINDOW }));
}

/** A due event for which an attempt may begin. */
interface Reserved {
  readonly delivery: DueDelivery
  readonly begun: BegunWork
  /** Gives the capacity of the attempt back. */
  readonly release: () => void
}

/** Reserves the shard and the capacity of an attempt; null if it may not begin. */
function reserve(delivery: DueDelivery, inFlight: AttemptsInFlight, turn: ShardTurn): Reserved | null {
  const release = inFlight.begin(delivery)
  if (release === null) return null
  const begun = turn.begin(delivery.shard)
  if (begun !== null) return { delivery, begun, release }
  release()
  return null
}

/** Starts attempts for due events, within the limits of attempts in flight. Returns their number. */
async function beginDue(
  options: DispatcherOptions,
  inFlight: AttemptsInFlight,
  turn: ShardTurn,
): Promise<number> {
  const { database, clock, log } = options
  const due = await loadDueEvents(database, clock.now(), {
    shards: turn.shards.map(({ shard }) => shard),
    busyAccounts: inFlight.busyAccounts(),
    busyHosts: inFlight.busyHosts(),
    perWebhook: MOST_AT_ONCE.perWebhook,
    perAccount: MOST_AT_ONCE.perAccount,
  })
  const reserved = new Map<string, Reserved>()
  for (const delivery of due) {
    const one = reserve(delivery, inFlight, turn)
    if (one !== null) reserved.set(keyOf(delivery), one)
  }
  if (reserved.size === 0) return 0
  try {
    const chosen = [...reserved.values()].map(({ delivery, begun }) => ({ ...delivery, term: begun.term }))
    // Messages are loaded before events are opened, so that an open event needs the database only to store its result.
    const messages = await loadMessages(database, chosen)
    const opened = await openDeliveries(database, turn.node, clock.now(), chosen)
    for (const delivery of opened) {
      const one = reserved.get(keyOf(delivery))
      if (one === undefined) continue
      reserved.delete(keyOf(delivery))
      const attempting = attempt(options, delivery, messages.get(delivery.diffId), one.begun.mayWrite)
        .catch((error: unknown) => {
          log.warn({ err: error }, 'an attempt of a webhook failed unexpectedly; another process repeats it')
        })
        .finally(one.release)
      turn.follow(one.begun, attempting)
    }
    return opened.length
  } finally {
    for (const { begun, release } of reserved.values()) {
      begun.release()
      release()
    }
  }
}

function keyOf({ webhookId, diffId }: Pick<DueDelivery, 'webhookId' | 'diffId'>): string {
  return `${webhookId} ${diffId}`
}
