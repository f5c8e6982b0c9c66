import { ApiError } from '../../../core/errors.js'
import { InFlight } from '../../../core/in-flight.js'
import type { Principal } from '../../../policy/principal.js'
import { COSTLY_VALUES } from '../plan/budget.js'

/** More parallel operations would not make a caller faster. */
const MAX_PER_ACCOUNT = 2

/** Each operation holds up to some hundred megabytes of rows while it runs. */
const MAX_AT_ONCE = 4

const RETRY_SECONDS = 1

/** Limits how many costly operations run at once, per account and in total. */
export class CostlyOperations {
  readonly #inFlight = new InFlight()

  /** Returns a function to call when the operation ends. Throws 429 or 503 if too many are running. */
  acquire(values: number, principal: Principal, now: Date): () => void {
    if (values <= COSTLY_VALUES) return () => {}
    const account = principal.kind === 'anonymous' ? '' : principal.accountId
    const retryAfter = Math.ceil(now.getTime() / 1000) + RETRY_SECONDS
    if (this.#inFlight.of(account) >= MAX_PER_ACCOUNT) {
      throw new ApiError('rate_limit_exceeded', {
        message: `An account may run at most ${MAX_PER_ACCOUNT} operations of more than ${COSTLY_VALUES} values at once; wait until one has ended.`,
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
