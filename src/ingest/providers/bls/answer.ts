import {
  isJsonObject,
  isList,
  type Json,
  type JsonObject,
  shown,
  wholeJson,
} from '../../bodies/json/json-body.js'
import { BrokenBody, quoted, RetryLater } from '../../feed.js'

/** An answer of the Bureau that has data. */
export interface BlsAnswer {
  readonly series: readonly Json[]
  /** What the Bureau says about single series and years. */
  readonly messages: readonly string[]
}

/** The daily threshold is that of a key, or of all callers without one, and ends at midnight in Washington. */
const THRESHOLD_RETRY_MS = 6 * 3_600_000

/** Several times the series that one request may name. */
const MAX_SERIES = 500

/**
 * Parses an answer. The Bureau answers errors with status 200. Throws RetryLater if it refuses all requests for now, which
 * says nothing about the data, and BrokenBody for any other refusal and text.
 */
export function readBlsAnswer(body: Uint8Array): BlsAnswer {
  const answer = wholeJson(body)
  if (!isJsonObject(answer)) throw new BrokenBody(`the body is ${shown(answer)}, not an object`)
  const status = answer.get('status')
  const messages = textsOf(answer.get('message'))
  if (status === 'REQUEST_NOT_PROCESSED') {
    throw new RetryLater(`the Bureau processes no request for now: ${reasonOf(messages)}`, THRESHOLD_RETRY_MS)
  }
  if (status !== 'REQUEST_SUCCEEDED') {
    throw new BrokenBody(`the Bureau refuses the request with status ${shown(status)}: ${reasonOf(messages)}`)
  }
  const results = answer.get('Results')
  const series = isJsonObject(results) ? results.get('series') : undefined
  if (!isList(series)) throw new BrokenBody(`Results has ${shown(series)}, not a list of series`)
  if (series.length > MAX_SERIES) throw new BrokenBody(`the answer has more than ${MAX_SERIES} series`)
  return { series, messages }
}

function textsOf(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((text) => typeof text === 'string') : []
}

/** A message may repeat the operator's key. */
const KEY_TEXT = /[0-9a-f]{16,}/gi

function reasonOf(messages: readonly string[]): string {
  const [message = 'without a reason'] = messages
  return message.replace(KEY_TEXT, '…').slice(0, 200)
}

/** A message about one series. */
export interface SeriesMessage {
  readonly seriesId: string | null
  readonly text: string
  /** True for a year without data, which is no fault: the year has just begun, or the series had not. */
  readonly isYearWithoutData: boolean
}

/** Reads `No Data Available for Series X Year: Y` and `Series does not exist for Series X`. */
export function readSeriesMessage(text: string): SeriesMessage {
  const [, seriesId = null] = /\bSeries ([A-Z0-9_#-]{3,40})\b/.exec(text) ?? []
  const isYearWithoutData = /^No Data Available for Series \S+ Year: \d{4}$/i.test(text.trim())
  return { seriesId, text: quoted(text), isYearWithoutData }
}

/** The id of a series for the position of a rejection. */
export function seriesIdOf(item: Json): string {
  const id = isJsonObject(item) ? item.get('seriesID') : undefined
  return typeof id === 'string' ? quoted(id) : 'without an id'
}

/** The member of an object as text; null if it is missing or something else. */
export function textMember(item: JsonObject, name: string): string | null {
  const value = item.get(name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}
