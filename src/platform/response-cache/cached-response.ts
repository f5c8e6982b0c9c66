import type { DatasetName } from '../../core/datasets.js'
import type { Price } from '../../policy/price.js'
import { type DatasetStates, stampIn } from '../database/data-version.js'
import { ResponseTemplate } from './response-template.js'

/** A cached response without its body. */
export interface ResponseFacts {
  /** The datasets that it was read from and their states: stampIn of platform/database/data-version.ts. */
  readonly stamps: readonly (readonly [DatasetName, string])[]
  /** Epoch milliseconds; null if only new data end it. */
  readonly endsAtMs: number | null
  /** When newer facts are due, epoch milliseconds; null if it shows no age. */
  readonly refreshAtMs: number | null
  /** Null for an operation by POST. */
  readonly etag: string | null
  /** Headers that are always the same: lower-case names and values alternate. */
  readonly headers: readonly string[]
  /** The price of serving it. */
  readonly price: Price
}

/** A response that can be served for equal requests with equal rights. */
export interface CachedResponse extends ResponseFacts {
  /** The versions as text: `instruments=3, candles=17`. */
  readonly dataVersion: string
  /** Root fields by comma, for the log. */
  readonly operation: string
  readonly body: ResponseTemplate
}

/** A computed response: its facts, its JSON, the instant, and the instants whose ages the JSON shows. */
export interface ComputedResponse extends ResponseFacts {
  readonly json: string
  readonly madeAtMs: number
  readonly observedMs: readonly number[]
}

/** Null if the ages in the JSON cannot be updated later. */
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

/** The versions that a response was read from, as in its header. */
export function dataVersionOf({ stamps }: Pick<ResponseFacts, 'stamps'>): string {
  return stamps.map(([name, stamp]) => `${name}=${stamp.split('@', 1)[0]}`).join(', ')
}

/** Whether its end has not passed. Newer data may still have ended it. */
export function isUnexpired({ endsAtMs }: Pick<ResponseFacts, 'endsAtMs'>, now: Date): boolean {
  return endsAtMs === null || now.getTime() < endsAtMs
}

/** Whether a new run would return the same response. */
export function isCurrent(facts: ResponseFacts, states: DatasetStates, now: Date): boolean {
  if (!isUnexpired(facts, now)) return false
  for (const [name, stamp] of facts.stamps) if (stampIn(states, name) !== stamp) return false
  return true
}
