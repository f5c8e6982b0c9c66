import { setImmediate as nextIteration } from 'node:timers/promises'
import { ApiError } from '../../../core/errors.js'
import { waitWhileOpen } from '../../../platform/request/follow-dataset.js'
import type { LiveRequest } from '../../../platform/request/request-context.js'
import type { Price } from '../../../policy/price.js'
import type { StreamStop } from '../../../policy/quota.js'

export interface EventAnswer<Answer> {
  readonly answer: Answer
  /** The part of the price to refund for failed fields; null if nothing failed. */
  readonly refund: Price | null
}

export interface MeteredEventsOptions<Event, Answer> {
  readonly live: LiveRequest
  /** The price of each event after the first, which is charged when the stream opens. */
  readonly price: Price
  /** Waits for the other streams of the account. Returns the function that lets the next one run. */
  readonly lockAccount: () => Promise<() => void>
  /** Acquires a permit for a costly operation and returns the function that releases it. Throws 429 or 503 if too many run. */
  readonly acquireCostly: () => () => void
  readonly answer: (event: Event) => Promise<EventAnswer<Answer>>
  /** The response to a client whose quota is spent. */
  readonly refuse: (error: ApiError) => Answer
}

/**
 * Responds to events, each once and in order. Like a request, an event needs a permit to run, counts as a costly operation
 * if it is large, and is charged, with failed parts refunded. An event waits until a permit is free. If the hour's quota is
 * spent, the stream sends the error once and continues with the same event in the next hour; if the month's quota is spent,
 * it sends the error and ends. Before each event the generator yields to the event loop and waits for the other streams of
 * the account, so that a backlog of events leaves time for other requests.
 */
export async function* meteredEvents<Event, Answer>(
  events: AsyncIterable<Event>,
  options: MeteredEventsOptions<Event, Answer>,
): AsyncGenerator<Answer, void> {
  const { live, refuse } = options
  let isPaid = true
  for await (const event of events) {
    for (let isAnswered = false; !isAnswered; ) {
      const attempt = await attemptAnswer(event, isPaid, options)
      if (attempt === 'busy') {
        if (!(await waitWhileOpen(live))) return
      } else if ('stop' in attempt) {
        yield refuse(attempt.stop.error)
        if (!(await waitUntil(attempt.stop.resumesAt, live))) return
      } else {
        yield attempt.answer
        isAnswered = true
      }
    }
    isPaid = false
  }
}

type Attempt<Answer> = { readonly answer: Answer } | { readonly stop: StreamStop } | 'busy'

async function attemptAnswer<Event, Answer>(
  event: Event,
  isPaid: boolean,
  options: MeteredEventsOptions<Event, Answer>,
): Promise<Attempt<Answer>> {
  const unlock = await options.lockAccount()
  try {
    await nextIteration()
    return await answerWithPermit(event, isPaid, options)
  } finally {
    unlock()
  }
}

async function answerWithPermit<Event, Answer>(
  event: Event,
  isPaid: boolean,
  options: MeteredEventsOptions<Event, Answer>,
): Promise<Attempt<Answer>> {
  const { live, price, acquireCostly } = options
  const release = await orBusy(() => live.acquirePermit())
  if (release === 'busy') return release
  try {
    const releaseCostly = await orBusy(acquireCostly)
    if (releaseCostly === 'busy') return releaseCostly
    try {
      const stop = isPaid ? null : await live.charge(price)
      return stop === null ? await answerRefunded(event, options) : { stop }
    } finally {
      releaseCostly()
    }
  } finally {
    release()
  }
}

async function answerRefunded<Event, Answer>(
  event: Event,
  { live, price, answer }: MeteredEventsOptions<Event, Answer>,
): Promise<{ readonly answer: Answer }> {
  // If `answer` throws, nothing is sent, so the whole price is refunded.
  let refund: Price | null = price
  try {
    const answered = await answer(event)
    refund = answered.refund
    return answered
  } finally {
    if (refund !== null) await live.refund(refund)
  }
}

/** Converts a 429 or 503, which ends soon, to `busy`. */
async function orBusy<Result>(enter: () => Result | Promise<Result>): Promise<Result | 'busy'> {
  try {
    return await enter()
  } catch (error) {
    if (error instanceof ApiError && (error.status === 429 || error.status === 503)) return 'busy'
    throw error
  }
}

/** Waits until the instant. Returns false if the stream is over: it never resumes, or the caller has disconnected. */
async function waitUntil(resumesAt: Date | null, live: LiveRequest): Promise<boolean> {
  if (resumesAt === null) return false
  while ((await live.refresh()).now < resumesAt) if (!(await waitWhileOpen(live))) return false
  return true
}
