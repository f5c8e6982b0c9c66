import type { Price } from '../../policy/price.js'
import type { DataPart } from '../database/versions/data-parts.js'
import { type DatasetStates, stampIn } from '../database/versions/data-version.js'
import { ResponseTemplate } from './response-template.js'

/** A cached response without its body. */
export interface ResponseHead {
  /** The datasets and grains that it was read from and their states: stampIn of platform/database/versions/data-version.ts. */
  readonly stamps: readonly (readonly [DataPart, string])[]
  /** Epoch milliseconds; null if only new data end it. */
  readonly endsAtMs: number | null
  /** When newer data is due, epoch milliseconds; null if it shows no age. */
  readonly refreshAtMs: number | null
  /** Null for an operation by POST. */
  readonly etag: string | null
  /** Headers that are always the same: lower-case names and values alternate. */
  readonly headers: readonly string[]
  /** The price of serving it. */
  readonly price: Price
}

/** A response that can be served for equal requests with equal rights. */
export interface CachedResponse extends ResponseHead {
  /** Root fields by comma, for the log. */
  readonly operation: string
  readonly body: ResponseTemplate
}

/** A computed response: its head, its JSON, the instant, and the instants whose ages the JSON shows. */
export interface ComputedResponse extends ResponseHead {
  readonly json: string
  readonly madeAtMs: number
  readonly observedMs: readonly number[]
}

/** Null if the ages in the JSON cannot be updated later. */
export function cachedResponse({
  json,
  madeAtMs,
  observedMs,
  ...head
}: ComputedResponse): CachedResponse | null {
  const body = ResponseTemplate.of(json, madeAtMs, new Set(observedMs))
  if (body === null) return null
  return {
    ...head,
    body,
    operation: head.price.fields.map(({ field }) => field).join(','),
  }
}

/** What a response was read from. */
export function readsOf({ stamps }: Pick<ResponseHead, 'stamps'>): readonly DataPart[] {
  return stamps.map(([part]) => part)
}

/** Whether its end has not passed. Newer data may still have ended it. */
export function isUnexpired({ endsAtMs }: Pick<ResponseHead, 'endsAtMs'>, now: Date): boolean {
  return endsAtMs === null || now.getTime() < endsAtMs
}

/** Whether a new run would return the same response. */
export function isCurrent(head: ResponseHead, states: DatasetStates, now: Date): boolean {
  if (!isUnexpired(head, now)) return false
  for (const [part, stamp] of head.stamps) if (stampIn(states, part) !== stamp) return false
  return true
}
