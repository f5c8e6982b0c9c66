import { type JsonBody, type JsonObject, readJson, shown } from '../../bodies/json/json-body.js'
import { BrokenBody, NotInFormat, quoted } from '../../feed.js'

/** The longest quote of a venue's error. */
const MAX_WORDS = 200

/** Statuses that refuse the caller for any request: no access, a ban, a country that is not served. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 418, 451])

/**
 * The venue answers no request for now: it sends an HTML page or other text, refuses the caller, or limits the
 * rate.
 */
export class VenueOut extends BrokenBody {}

/** Parses the body of an answer. The error for invalid JSON names the status if it is not 200. */
export function readVenueAnswer(body: Uint8Array, status: number): JsonBody {
  try {
    return readJson(body)
  } catch (error) {
    if (!(error instanceof BrokenBody)) throw error
    const under = status === 200 ? '' : `the venue answered with status ${status}; `
    const isOut = REFUSALS.has(status) || error instanceof NotInFormat
    throw new (isOut ? VenueOut : BrokenBody)(under + error.message, { cause: error })
  }
}

/** An error for a message of the venue. `isOut`: the venue would refuse any request. */
export function venueError(status: number, words: string, isOut = false): BrokenBody {
  const under = status === 200 ? '' : ` and status ${status}`
  const message = `the venue answered with an error${under}: ${words.slice(0, MAX_WORDS)}`
  return new (isOut || REFUSALS.has(status) ? VenueOut : BrokenBody)(message)
}

/** The members of an error object, e.g. `code "-1003", msg "Too many requests"`. */
export function describeError(error: JsonObject): string {
  return [...error].map(([name, value]) => `${quoted(name).slice(1, -1)} ${shown(value)}`).join(', ')
}

/** Throws for a bad status, even if the body looks good. */
export function assertVenueStatus(status: number): void {
  if (status === 200) return
  throw new (REFUSALS.has(status) ? VenueOut : BrokenBody)(`the venue answered with status ${status}`)
}
