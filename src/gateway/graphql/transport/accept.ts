import { JSON_TYPE } from '../../../platform/request/json-type.js'
import { weightedList } from '../../weighted-list.js'

export const RESPONSE_JSON = 'application/graphql-response+json'
export const PLAIN_JSON = JSON_TYPE
const EVENTS = 'text/event-stream'

export type JsonType = typeof RESPONSE_JSON | typeof PLAIN_JSON

/** What a client takes. */
export interface Accepted {
  /** The JSON type to answer in; null when it takes none. */
  readonly json: JsonType | null
  /**
   * It names application/json itself: such clients are older than the statuses of GraphQL over HTTP and take an error
   * of the document as a 200 (§6.4.1). Everybody else gets the status of the error.
   */
  readonly isLegacy: boolean
  readonly events: boolean
}

/** Reads an Accept header (RFC 9110, §12.5.1; GraphQL over HTTP, §6.3); none means anything. */
export function negotiateMediaTypes(accept: string | null): Accepted {
  const ranges = weightedList(accept ?? '*/*')
  let best: { readonly json: JsonType; readonly isLegacy: boolean; readonly quality: number } | null = null
  for (const { name: type, weight: quality } of ranges) {
    const isNamed = type === RESPONSE_JSON || type === PLAIN_JSON
    const isAny = type === '*/*' || type === 'application/*'
    if (quality === 0 || (!isNamed && !isAny) || quality <= (best?.quality ?? 0)) continue
    // Until the clients of that time are gone, who takes anything gets the older type.
    best = {
      json: type === RESPONSE_JSON ? RESPONSE_JSON : PLAIN_JSON,
      isLegacy: type === PLAIN_JSON,
      quality,
    }
  }
  const events = ranges.some(
    ({ name, weight }) => weight > 0 && (name === EVENTS || name === 'text/*' || name === '*/*'),
  )
  return { json: best?.json ?? null, isLegacy: best?.isLegacy ?? false, events }
}

/** The header of a body in the type. */
export function contentType(type: JsonType): readonly string[] {
  return ['content-type', `${type}; charset=utf-8`]
}
