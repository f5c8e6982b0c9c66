import type { Clock } from '../../../core/time.js'
import type { Database } from '../../../platform/database/database.js'
import type { Guard } from '../../../platform/http-client/guarded-request.js'
import type { Logger } from '../../../platform/logger.js'
import type { limitAtOnce } from '../../../platform/outbox/limit-at-once.js'
import { settleUntilStored } from '../../../platform/outbox/settle-until-stored.js'
import type { Webhooks } from '../model.js'
import { holdMs, retryMs } from './back-off.js'
import { type EventDeliveryEnd, type OpenEventDelivery, settleEventDelivery } from './delivery-store.js'
import type { Message } from './message.js'
import { type AttemptOutcome, sendEvent } from './send-event.js'

/** Result of an attempt, for the metrics. */
export type AttemptResult = 'delivered' | 'failed' | 'dead'

export interface AttemptsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly webhooks: Webhooks
  readonly onResult: (result: AttemptResult) => void
  /** Bounds the answers that are being stored: those that wait for a connection of the pool would run into its time limit. */
  readonly storing?: ReturnType<typeof limitAtOnce>
  /** Default: only public addresses are allowed. */
  readonly guard?: Guard
}

/** Statuses by which a receiver requests a pause of the whole webhook, not only of this event. */
const PAUSING: ReadonlySet<number | null> = new Set([429, 503])

/** The change of an event is no longer stored, so nothing can be sent. */
const NO_CHANGE: AttemptOutcome = {
  kind: 'failed',
  status: null,
  error: 'the change is no longer stored',
  retryAfterMs: null,
  durationMs: 0,
}

/** Makes one attempt for an open event and stores its result. `mayWrite` tells whether this process still owns the event. */
export async function attempt(
  options: AttemptsOptions,
  delivery: OpenEventDelivery,
  message: Message | undefined,
  mayWrite: () => boolean,
): Promise<void> {
  const { webhooks, clock, guard } = options
  const outcome = message === undefined ? NO_CHANGE : await send(message)
  const end = attemptEndOf(outcome, delivery, webhooks.rules, clock.now())
  await settle(options, delivery, message === undefined ? { ...end, state: 'dead' } : end, mayWrite)

  function send(found: Message): Promise<AttemptOutcome> {
    const headers = webhooks.signatures.headersOf({ ...found, at: clock.now() }, delivery.seeds)
    const { timeoutMs } = webhooks.rules
    const { privateHosts, localHosts } = webhooks
    const event = { url: delivery.url, headers, body: found.body }
    return sendEvent(event, { timeoutMs, privateHosts, localHosts, ...(guard && { guard }) })
  }
}

/** The new state of the event and its webhook after an outcome. */
function attemptEndOf(
  outcome: AttemptOutcome,
  { attempts, failuresInRow }: Pick<OpenEventDelivery, 'attempts' | 'failuresInRow'>,
  rules: Webhooks['rules'],
  at: Date,
): EventDeliveryEnd {
  const { status, error, kind } = outcome
  const facts = { at, status, error, isGone: kind === 'gone' }
  if (kind === 'delivered') return { ...facts, state: 'delivered', nextAttemptAt: null, holdUntil: null }
  const later = (ms: number) => new Date(at.getTime() + ms)
  const requestedMs = PAUSING.has(status) ? (outcome.retryAfterMs ?? 0) : 0
  const hold = Math.max(requestedMs, holdMs(failuresInRow + 1, rules.firstRetryMs))
  const holdUntil = hold > 0 ? later(hold) : null
  if (attempts >= rules.attempts && kind !== 'gone')
    return { ...facts, state: 'dead', nextAttemptAt: null, holdUntil }
  const waitMs = Math.max(retryMs(attempts, rules.firstRetryMs), outcome.retryAfterMs ?? 0)
  return { ...facts, state: 'pending', nextAttemptAt: later(waitMs), holdUntil }
}

async function settle(
  { database, log, onResult, storing = (work) => work() }: AttemptsOptions,
  delivery: OpenEventDelivery,
  end: EventDeliveryEnd,
  mayWrite: () => boolean,
): Promise<void> {
  const settling = { mayWrite, log, outcome: 'the answer of a webhook' }
  const after = await settleUntilStored(settling, () =>
    storing(() => settleEventDelivery(database, delivery, end)),
  )
  if (after === null) return
  onResult(end.state === 'pending' ? 'failed' : end.state)
  if (end.state !== 'delivered' && after.state === 'disabled')
    log.warn({ webhook_id: delivery.webhookId, reason: after.reason }, 'a webhook is disabled')
}
