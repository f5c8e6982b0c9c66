import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '../../../core/errors.js'
import { goesOn } from '../../../platform/request/follow-dataset.js'
import type { LiveRequest } from '../../../platform/request/request-context.js'
import type { Price } from '../../../policy/price.js'
import type { StreamStop } from '../../../policy/quota.js'

/** The answer to an event. */
export interface EventAnswer<Answer> {
  readonly answer: Answer
  /** The part of the price that is given back for what failed; null: nothing. */
  readonly refund: Price | null
}

export interface MeteredEventsOptions<Event, Answer> {
  readonly live: LiveRequest
  /** Of each event after the first, which was paid when the stream was opened. */
  readonly price: Price
  /** Waits for the turn of this stream among those of its account, and gives the function that ends it. */
  readonly takeTurn: () => Promise<() => void>
  /** Begins a costly answer, and gives the function that ends it; throws 429 or 503 where too many are made at once. */
  readonly begin: () => () => void
  readonly answer: (event: Event) => Promise<EventAnswer<Answer>>
  /** What the client gets when the quota is spent. */
  readonly refuse: (error: ApiError) => Answer
}

/**
 * The answers to events, each once and in order. An answer is made as that of a request is: in a place, within the bound of
 * costly operations, and charged, with what failed on our side given back. While no place is free the event waits. While the hour's quota is spent the stream pauses,
 * says so once, and goes on with the same event in the next hour; where the month's is spent it says so and ends. The event
 * loop turns before each event, and the streams of an account take turns, so that many events that are there already leave time
 * for other requests.
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
        if (!(await goesOn(live))) return
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
  const endTurn = await options.takeTurn()
  try {
    await nextTurn()
    return await answerInPlace(event, isPaid, options)
  } finally {
    endTurn()
  }
}

async function answerInPlace<Event, Answer>(
  event: Event,
  isPaid: boolean,
  options: MeteredEventsOptions<Event, Answer>,
): Promise<Attempt<Answer>> {
  const { live, price, begin } = options
  const leave = await orBusy(() => live.enter())
  if (leave === 'busy') return leave
  try {
    const end = await orBusy(begin)
    if (end === 'busy') return end
    try {
      const stop = isPaid ? null : await live.charge(price)
      return stop === null ? await answerRefunded(event, options) : { stop }
    } finally {
      end()
    }
  } finally {
    leave()
  }
}

async function answerRefunded<Event, Answer>(
  event: Event,
  { live, price, answer }: MeteredEventsOptions<Event, Answer>,
): Promise<{ readonly answer: Answer }> {
  // An answer that breaks is not sent at all.
  let refund: Price | null = price
  try {
    const made = await answer(event)
    refund = made.refund
    return made
  } finally {
    if (refund !== null) await live.refund(refund)
  }
}

/** A refusal that is over in a moment. */
async function orBusy<Result>(enter: () => Result | Promise<Result>): Promise<Result | 'busy'> {
  try {
    return await enter()
  } catch (error) {
    if (error instanceof ApiError && (error.status === 429 || error.status === 503)) return 'busy'
    throw error
  }
}

/** False where the stream is over: the caller has gone, or there is nothing to wait for. */
async function waitUntil(resumesAt: Date | null, live: LiveRequest): Promise<boolean> {
  if (resumesAt === null) return false
  while ((await live.refresh()).now < resumesAt) if (!(await goesOn(live))) return false
  return true
}
