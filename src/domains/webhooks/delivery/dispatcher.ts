import { loadDatasetStates } from '../../../platform/database/data-version.js'
import type { LeaderLease } from '../../../platform/outbox/leader-lease.js'
import { type LeaderTerm, type Outbox, startOutbox } from '../../../platform/outbox/outbox.js'
import { type AttemptsOptions, attempt } from './attempts.js'
import { AttemptsInFlight, MOST_AT_ONCE } from './attempts-in-flight.js'
import { type DueDelivery, loadDueEvents, openDeliveries } from './delivery-store.js'
import { loadMessages } from './message.js'
import { disableLost, hasWork, queueChanges, recoverLost } from './queue-store.js'

export interface DispatcherOptions extends AttemptsOptions {
  /** The right to deliver. */
  readonly lease: LeaderLease
  /** Interval of queueing changes and sending due events; default 1 s. */
  readonly queueMs?: number
  /** Poll interval while no webhook is active; default 2 s. */
  readonly idleMs?: number
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

/** Delivers the changes to all webhooks while this process has the lease. */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { database, log, lease, queueMs = QUEUE_MS, idleMs = IDLE_MS } = options
  const inFlight = new AttemptsInFlight(options.webhooks.rules.concurrency)
  let queuedAtMs = Number.NEGATIVE_INFINITY
  let disabledAtMs = Number.NEGATIVE_INFINITY

  const poll = async (term: LeaderTerm): Promise<number> => {
    if (!(await hasWork(database))) return idleMs
    if (performance.now() - queuedAtMs >= queueMs) {
      await recover(options, term)
      if (performance.now() - disabledAtMs >= DISABLE_MS) {
        await disable(options, term)
        disabledAtMs = performance.now()
      }
      await queue(options, term)
      queuedAtMs = performance.now()
    }
    while (!term.signal.aborted && !inFlight.isFull && (await beginDue(options, inFlight, term)) > 0);
    return Math.max(0, queueMs - (performance.now() - queuedAtMs))
  }
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'a poll of the webhooks failed; the next poll tries again')
  return startOutbox({ lease, poll, onError, gatherMs: GATHER_MS })
}

async function recover({ database, clock, log }: DispatcherOptions, { number }: LeaderTerm): Promise<void> {
  const recovered = await recoverLost(database, number, clock.now())
  if (recovered > 0) log.warn({ events: recovered }, 'the attempts of a stopped process are repeated')
}

async function disable({ database, clock, log }: DispatcherOptions, { number }: LeaderTerm): Promise<void> {
  const disabled = await disableLost(database, number, clock.now())
  for (const { webhookId, reason } of disabled)
    log.info({ webhook_id: webhookId, reason }, 'a webhook is disabled')
}

async function queue({ database, clock }: DispatcherOptions, { number }: LeaderTerm): Promise<void> {
  const source = (await loadDatasetStates(database)).get('analysis')?.source ?? null
  while (await queueChanges(database, number, { source, now: clock.now(), window: WINDOW }));
}

/** Starts attempts for due events, within the limits of attempts in flight. Returns their number. */
async function beginDue(
  options: DispatcherOptions,
  inFlight: AttemptsInFlight,
  term: LeaderTerm,
): Promise<number> {
  const { database, clock, log } = options
  const due = await loadDueEvents(database, clock.now(), {
    busyAccounts: inFlight.busyAccounts(),
    busyHosts: inFlight.busyHosts(),
    perWebhook: MOST_AT_ONCE.perWebhook,
    perAccount: MOST_AT_ONCE.perAccount,
  })
  const releases = new Map<string, () => void>()
  const chosen = due.filter((delivery) => {
    const release = inFlight.begin(delivery)
    if (release !== null) releases.set(keyOf(delivery), release)
    return release !== null
  })
  if (chosen.length === 0) return 0
  try {
    // Messages are loaded before events are opened, so that an open event needs the database only to store its result.
    const messages = await loadMessages(database, chosen)
    const opened = await openDeliveries(database, term.number, clock.now(), chosen)
    for (const delivery of opened) {
      const release = releases.get(keyOf(delivery))
      releases.delete(keyOf(delivery))
      const attempting = attempt(options, delivery, messages.get(delivery.diffId), term.mayWrite)
        .catch((error: unknown) => {
          log.warn({ err: error }, 'an attempt of a webhook failed unexpectedly; another process repeats it')
        })
        .finally(release)
      term.follow(attempting)
    }
    return opened.length
  } finally {
    for (const release of releases.values()) release()
  }
}

function keyOf({ webhookId, diffId }: Pick<DueDelivery, 'webhookId' | 'diffId'>): string {
  return `${webhookId} ${diffId}`
}
