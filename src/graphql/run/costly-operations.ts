import { ApiError } from '../../core/errors.js'
import type { Principal } from '../../policy/principal.js'
import { COSTLY_VALUES } from '../budget.js'

/** A caller who needs more at once loses no time by asking one after the other. */
const MAX_PER_ACCOUNT = 2

/** Each holds up to some hundred megabytes of rows while it is made. */
const MAX_AT_ONCE = 4

const RETRY_SECONDS = 1

/** Which accounts have operations under way that are costly; bounded per account and in all. */
export class CostlyOperations {
  readonly #open = new Map<string, number>()
  #count = 0

  /** Gives the function that ends the operation. Throws 429 or 503 where too many are under way. */
  enter(values: number, principal: Principal, now: Date): () => void {
    if (values <= COSTLY_VALUES) return () => {}
    const account = principal.kind === 'anonymous' ? '' : principal.accountId
    const ofAccount = this.#open.get(account) ?? 0
    const retryAfter = Math.ceil(now.getTime() / 1000) + RETRY_SECONDS
    if (ofAccount >= MAX_PER_ACCOUNT) {
      throw new ApiError('rate_limit_exceeded', {
        message: `At most ${MAX_PER_ACCOUNT} operations of an account that may answer more than ${COSTLY_VALUES} values run at once; send this one when another is answered.`,
        retryAfter,
      })
    }
    if (this.#count >= MAX_AT_ONCE) {
      throw new ApiError('service_unavailable', {
        message: 'Too many large operations run at once; try again.',
        retryAfter,
      })
    }
    this.#open.set(account, ofAccount + 1)
    this.#count += 1
    return () => this.#leave(account)
  }

  #leave(account: string): void {
    this.#count -= 1
    const left = (this.#open.get(account) ?? 1) - 1
    if (left > 0) this.#open.set(account, left)
    else this.#open.delete(account)
  }
}
