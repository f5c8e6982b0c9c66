import { TooManyWithdrawn } from '../../platform/bi-temporal/withdraw/withdraw-unseen.js'

/** Share of the listed keys that may end with one list, and a number that may always. More means that the list is cut off. */
const MAX_ENDED_SHARE = 0.1
const ALWAYS_ALLOWED = 20

/** The numbers of keys that a list has, that are stored, and that are stored and missing from the list. */
interface ListSizes {
  /** What the list has, for the error, e.g. tickers. */
  readonly what: string
  readonly listed: number
  readonly stored: number
  readonly missing: number
}

/** Throws `TooManyWithdrawn` if a list lacks so much of what is stored that it is likely cut off. */
export function assertNotCutOff({ what, listed, stored, missing }: ListSizes): void {
  if (missing <= Math.max(ALWAYS_ALLOWED, listed * MAX_ENDED_SHARE)) return
  throw new TooManyWithdrawn(
    `${missing} of ${stored} known ${what} are not among the ${listed} listed ones: the list is likely cut off; if it is complete, run the command again with --whole`,
  )
}
