import {
  isJsonObject,
  isList,
  type Json,
  type JsonList,
  type JsonObject,
  readJson,
  shown,
} from '../../bodies/json/json-body.js'
import { BrokenBody, RetryLater } from '../../feed.js'

/** An answer of the API without an error. */
export interface BojAnswer {
  /** The parameters of the request; null for a list of the series of a database, which has no observations. */
  readonly parameter: JsonObject | null
  /** Database of the Bank, e.g. FM08. */
  readonly db: string
  /** Number of the first series of the next page, as text; null on the last page. */
  readonly nextPosition: string | null
  readonly series: JsonList
  /** Values that the end of the body cut off. */
  readonly cut: ReadonlySet<Json>
}

/** Statuses of a temporary failure, by the manual of the API. */
const BUSY = 'M181091S'

const DB = /^[A-Z]{2,4}\d{0,2}$/

/** Parses an answer. Throws BrokenBody for other text and for an error of the API, RetryLater while it is busy. */
export function readBojAnswer(body: Uint8Array): BojAnswer {
  const { value, cut } = readJson(body)
  if (!isJsonObject(value)) throw new BrokenBody(`the body is ${shown(value)}, not an object`)
  assertNoError(value)
  const parameter = value.get('PARAMETER')
  const request = isJsonObject(parameter) ? parameter : null
  const db = request?.get('DB') ?? value.get('DB')
  if (typeof db !== 'string' || !DB.test(db)) {
    throw new BrokenBody(`the answer does not name a database of the Bank: DB is ${shown(db)}`)
  }
  const series = value.get('RESULTSET')
  if (!isList(series)) throw new BrokenBody(`RESULTSET is ${shown(series)}, not a list`)
  return { parameter: request, db, nextPosition: nextPositionOf(value), series, cut }
}

function assertNoError(answer: JsonObject): void {
  const status = answer.get('STATUS')
  if (status === '200') return
  const [id, message] = [answer.get('MESSAGEID'), answer.get('MESSAGE')]
  if (status === undefined)
    throw new BrokenBody('the body is not an answer of the API of the Bank: it has no STATUS')
  const text = `the Bank refuses the request: STATUS is ${shown(status)}, ${shown(id)}: ${shown(message)}`
  throw id === BUSY ? new RetryLater(text, null) : new BrokenBody(text)
}

function nextPositionOf(answer: JsonObject): string | null {
  const position = answer.get('NEXTPOSITION') ?? null
  if (position === null || position === '') return null
  if (typeof position === 'string' && /^\d{1,9}$/.test(position)) return position
  throw new BrokenBody(`NEXTPOSITION is ${shown(position)}, not a number`)
}
