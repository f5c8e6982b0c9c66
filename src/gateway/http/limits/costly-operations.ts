import { ApiError } from '../../../core/errors.js'
import { InFlight } from '../../../core/in-flight.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import type { Principal } from '../../../policy/principal.js'

/** Operations with more values (rows times fields, plus three per row) are costly. They run in slices. */
export const COSTLY_VALUES = 20_000

/** More parallel operations would not make a caller faster. */
const MAX_PER_ACCOUNT = 2

/** Each operation holds up to some hundred megabytes of rows while it runs. */
const MAX_AT_ONCE = 4

const RETRY_SECONDS = 1

/** A client that reads a costly answer more slowly than this is cut off, because it holds a permit. */
const MAX_HELD_MS = 120_000

/** Limits how many costly operations run or send their answers at once, per account and in total. */
export class CostlyOperations {
  readonly #inFlight = new InFlight()

  /** Acquires a permit and holds it until the last byte of the answer has left. Throws like `acquire`. */
  hold(values: number, principal: Principal, exchange: Exchange): void {
    if (values <= COSTLY_VALUES) return
    exchange.whenSent(this.acquire(values, principal, exchange.now), MAX_HELD_MS)
  }

  /** Returns a function to call when the operation ends. Throws 429 or 503 if too many are running. */
  acquire(values: number, principal: Principal, now: Date): () => void {
    if (values <= COSTLY_VALUES) return () => {}
    const account = principal.kind === 'anonymous' ? '' : principal.accountId
    const retryAfter = Math.ceil(now.getTime() / 1000) + RETRY_SECONDS
    if (this.#inFlight.of(account) >= MAX_PER_ACCOUNT) {
      throw new ApiError('rate_limit_exceeded', {
        message: `An account may run at most ${MAX_PER_ACCOUNT} operations of more than ${COSTLY_VALUES} values at once; wait until one has ended and its answer is read.`,
        retryAfter,
      })
    }
    if (this.#inFlight.total >= MAX_AT_ONCE) {
      throw new ApiError('service_unavailable', {
        message: 'Too many large operations are running; try again in a moment.',
        retryAfter,
      })
    }
    return this.#inFlight.begin(account)
  }
}
