import { type JsonBody, type JsonObject, readJson, shown } from '../../bodies/json-body.js'
import { BrokenBody, NotInFormat, quoted } from '../../feed.js'

/** A reason is read by people. */
const MAX_WORDS = 200

/** Statuses that refuse the caller, whatever was asked: no access, a ban, a country that is not served. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 418, 451])

/** The venue answers no question at all for now: it sends a page or other garbage in place of its API, refuses the caller, or has a limit. */
export class VenueOut extends BrokenBody {}

/** The body of an answer; one that is no JSON is reported with its status where that says more. */
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

/** The venue's own words for what is wrong, under a good status or a bad one. `isOut`: it is wrong with any question. */
export function venueError(status: number, words: string, isOut = false): BrokenBody {
  const under = status === 200 ? '' : ` and status ${status}`
  const message = `the venue answered with an error${under}: ${words.slice(0, MAX_WORDS)}`
  return new (isOut || REFUSALS.has(status) ? VenueOut : BrokenBody)(message)
}

/** The members of an error object, e.g. `code "-1003", msg "Too many requests"`. */
export function describeError(error: JsonObject): string {
  return [...error].map(([name, value]) => `${quoted(name).slice(1, -1)} ${shown(value)}`).join(', ')
}

/** An answer that looks good under a bad status is not trusted. */
export function assertVenueStatus(status: number): void {
  if (status === 200) return
  throw new (REFUSALS.has(status) ? VenueOut : BrokenBody)(`the venue answered with status ${status}`)
}
