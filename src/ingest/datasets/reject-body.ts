import { TooManyWithdrawn } from '../../platform/bi-temporal/withdraw/withdraw-unseen.js'
import { BrokenBody } from '../feed.js'

/** A body that lacks much of the stored data counts as cut off; the next one is still read. */
export function rejectBody(error: unknown): never {
  throw error instanceof TooManyWithdrawn ? new BrokenBody(error.message, { cause: error }) : error
}
