import type { DatasetName } from '../../core/datasets.js'
import type { Price } from '../../policy/price.js'
import { type DatasetStates, stampIn } from '../database/data-version.js'
import { ResponseTemplate } from './response-template.js'

/** What is known of a cached response, without its body. */
export interface ResponseFacts {
  /** The datasets it was made from, and their states: stampIn of platform/database/data-version.ts. */
  readonly stamps: readonly (readonly [DatasetName, string])[]
  /** Epoch milliseconds, null where only new data end it. */
  readonly endsAtMs: number | null
  /** When newer facts are due, epoch milliseconds; null where it shows no age. */
  readonly refreshAtMs: number | null
  /** Null for an operation by POST. */
  readonly etag: string | null
  /** Lower-case header names and values that are the same each time, in turn. */
  readonly headers: readonly string[]
  /** What giving it costs. */
  readonly price: Price
}

/** A response that can be given again, to all who ask the same and may see the same. */
export interface CachedResponse extends ResponseFacts {
  /** The versions as text: `instruments=3, candles=17`. */
  readonly dataVersion: string
  /** Root fields by comma, for the log. */
  readonly operation: string
  readonly body: ResponseTemplate
}

/** A response as it was made: its facts, its JSON, the instant, and the instants whose ages the JSON shows. */
export interface ComputedResponse extends ResponseFacts {
  readonly json: string
  readonly madeAtMs: number
  readonly observedMs: readonly number[]
}

/** Null where the ages in the JSON can not be renewed later. */
export function cachedResponse({
  json,
  madeAtMs,
  observedMs,
  ...facts
}: ComputedResponse): CachedResponse | null {
  const body = ResponseTemplate.of(json, madeAtMs, new Set(observedMs))
  if (body === null) return null
  return {
    ...facts,
    body,
    dataVersion: dataVersionOf(facts),
    operation: facts.price.fields.map(({ field }) => field).join(','),
  }
}

/** The versions a response was made from, as its header has them. */
export function dataVersionOf({ stamps }: Pick<ResponseFacts, 'stamps'>): string {
  return stamps.map(([name, stamp]) => `${name}=${stamp.split('@', 1)[0]}`).join(', ')
}

/** Whether its time is not over; newer data may have ended it all the same. */
export function isUnexpired({ endsAtMs }: Pick<ResponseFacts, 'endsAtMs'>, now: Date): boolean {
  return endsAtMs === null || now.getTime() < endsAtMs
}

/** Whether the response is still what a new run would give. */
export function isCurrent(facts: ResponseFacts, states: DatasetStates, now: Date): boolean {
  if (!isUnexpired(facts, now)) return false
  for (const [name, stamp] of facts.stamps) if (stampIn(states, name) !== stamp) return false
  return true
}
