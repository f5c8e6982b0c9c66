import { AnswerTemplate } from '../core/answer-template.js'
import type { DatasetName } from '../core/freshness.js'
import { type DatasetStates, stampIn } from './data-version.js'

/** What is known of a kept answer, without its body. */
export interface KeptFacts {
  /** The datasets it was made from, and their states: stampIn of platform/data-version.ts. */
  readonly stamps: readonly (readonly [DatasetName, string])[]
  /** Epoch milliseconds, null where only new data end it. */
  readonly endsAtMs: number | null
  /** When newer facts are due, epoch milliseconds; null where it tells no age. */
  readonly refreshAtMs: number | null
  /** Null for an operation by POST. */
  readonly etag: string | null
  /** Header names and values that are the same each time, in turn. */
  readonly headers: readonly string[]
  /** What serving it costs, by root field. */
  readonly fields: readonly { readonly field: string; readonly units: number }[]
}

/** An answer that can be given again, to whoever asks the same and may see the same. */
export interface KeptAnswer extends KeptFacts {
  readonly units: number
  /** The versions as text: `instruments=3, candles=17`. */
  readonly dataVersion: string
  /** Root fields by comma, for the log. */
  readonly operation: string
  readonly body: AnswerTemplate
}

/** An answer as it was made: its facts, its JSON, the instant, and the instants whose ages the JSON tells. */
export interface MadeText extends KeptFacts {
  readonly json: string
  readonly madeAtMs: number
  readonly observedMs: readonly number[]
}

/** Null where the JSON can not be told rightly later. */
export function keptAnswer({ json, madeAtMs, observedMs, ...facts }: MadeText): KeptAnswer | null {
  const body = AnswerTemplate.of(json, madeAtMs, new Set(observedMs))
  if (body === null) return null
  const { fields } = facts
  return {
    ...facts,
    body,
    dataVersion: dataVersionOf(facts),
    units: fields.reduce((sum, { units }) => sum + units, 0),
    operation: fields.map(({ field }) => field).join(','),
  }
}

/** The versions an answer was made from, as its header tells them. */
export function dataVersionOf({ stamps }: Pick<KeptFacts, 'stamps'>): string {
  return stamps.map(([name, stamp]) => `${name}=${stamp.split('@', 1)[0]}`).join(', ')
}

/** Whether the answer is still what making it anew would give. */
export function stands({ stamps, endsAtMs }: KeptFacts, states: DatasetStates, now: Date): boolean {
  if (endsAtMs !== null && now.getTime() >= endsAtMs) return false
  for (const [name, stamp] of stamps) if (stampIn(states, name) !== stamp) return false
  return true
}
