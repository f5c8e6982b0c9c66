import { type JsonBody, type JsonObject, readJson, shown } from '../../bodies/json-body.js'
import { BrokenBody, quoted } from '../../feed.js'

/** A reason is read by people. */
const MAX_WORDS = 200

/** The body of an answer; one that is no JSON is reported with its status where that says more. */
export function readAnswer(body: Uint8Array, status: number): JsonBody {
  try {
    return readJson(body)
  } catch (error) {
    if (!(error instanceof BrokenBody) || status === 200) throw error
    throw new BrokenBody(`the venue answered with status ${status}; ${error.message}`, { cause: error })
  }
}

/** The venue's own words for what is wrong, under a good status or a bad one. */
export function venueError(status: number, words: string): BrokenBody {
  const under = status === 200 ? '' : ` and status ${status}`
  return new BrokenBody(`the venue answered with an error${under}: ${words.slice(0, MAX_WORDS)}`)
}

/** The members of an error object, e.g. `code "-1003", msg "Too many requests"`. */
export function wordsOf(error: JsonObject): string {
  return [...error].map(([name, value]) => `${quoted(name).slice(1, -1)} ${shown(value)}`).join(', ')
}

/** An answer that looks good under a bad status is not trusted. */
export function refuseStatus(status: number): void {
  if (status !== 200) throw new BrokenBody(`the venue answered with status ${status}`)
}
