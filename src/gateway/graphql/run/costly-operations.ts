import { ApiError } from '../../../core/errors.js'
import { InFlight } from '../../../core/in-flight.js'
import type { Principal } from '../../../policy/principal.js'
import { COSTLY_VALUES } from '../plan/budget.js'

/** A caller who needs more at once loses no time by asking one after the other. */
const MAX_PER_ACCOUNT = 2

/** Each holds up to some hundred megabytes of rows while it is made. */
const MAX_AT_ONCE = 4

const RETRY_SECONDS = 1

/** Which accounts have operations under way that are costly; bounded per account and in all. */
export class CostlyOperations {
  readonly #inFlight = new InFlight()

  /** Gives the function that ends the operation. Throws 429 or 503 where too many are under way. */
  enter(values: number, principal: Principal, now: Date): () => void {
    if (values <= COSTLY_VALUES) return () => {}
    const account = principal.kind === 'anonymous' ? '' : principal.accountId
    const retryAfter = Math.ceil(now.getTime() / 1000) + RETRY_SECONDS
    if (this.#inFlight.of(account) >= MAX_PER_ACCOUNT) {
      throw new ApiError('rate_limit_exceeded', {
        message: `At most ${MAX_PER_ACCOUNT} operations of an account that may answer more than ${COSTLY_VALUES} values run at once; send this one when another is answered.`,
        retryAfter,
      })
    }
    if (this.#inFlight.total >= MAX_AT_ONCE) {
      throw new ApiError('service_unavailable', {
        message: 'Too many large operations run at once; try again.',
        retryAfter,
      })
    }
    return this.#inFlight.begin(account)
  }
}
