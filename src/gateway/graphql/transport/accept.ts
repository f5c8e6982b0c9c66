import { JSON_TYPE } from '../../../platform/request/json-type.js'
import { weightedList } from '../../weighted-list.js'

export const RESPONSE_JSON = 'application/graphql-response+json'
export const PLAIN_JSON = JSON_TYPE
const EVENTS = 'text/event-stream'

export type JsonType = typeof RESPONSE_JSON | typeof PLAIN_JSON

/** The media types that a client accepts. */
export interface Accepted {
  /** The JSON type of the response; null if the client accepts none. */
  readonly json: JsonType | null
  /**
   * The client asks for application/json by name. Such clients predate the status codes of GraphQL over HTTP and expect 200
   * for every operation that was looked at (§6.4.1). All others get the status of the error.
   */
  readonly isLegacy: boolean
  readonly events: boolean
}

/** Parses an Accept header (RFC 9110, §12.5.1; GraphQL over HTTP, §6.3). Without one, any type is accepted. */
export function negotiateMediaTypes(accept: string | null): Accepted {
  const ranges = weightedList(accept ?? '*/*')
  let best: { readonly json: JsonType; readonly isLegacy: boolean; readonly quality: number } | null = null
  for (const { name: type, weight: quality } of ranges) {
    const isNamed = type === RESPONSE_JSON || type === PLAIN_JSON
    const isAny = type === '*/*' || type === 'application/*'
    if (quality === 0 || (!isNamed && !isAny) || quality <= (best?.quality ?? 0)) continue
    // For a wildcard the response has the older type, which all clients understand.
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

/** Errors of fields. For legacy clients their status is 200, because the operation was well-formed and has an answer. */
const FIELD_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 422])

/** The status of a response without data whose most severe error has this status. */
export function statusFor({ isLegacy }: Pick<Accepted, 'isLegacy'>, status: number): number {
  return isLegacy && FIELD_STATUSES.has(status) ? 200 : status
}

export function contentType(type: JsonType): readonly string[] {
  return ['content-type', `${type}; charset=utf-8`]
}
