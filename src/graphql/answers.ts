import type { ExecutionResult, GraphQLError } from 'graphql'
import type { DoorContext } from '../platform/door-context.js'
import type { PlainAnswer } from '../platform/plain-answer.js'
import type { DoorPlugin } from './door-plugin.js'
import { apiErrorOf, errorHeaders, graphqlErrorBody, isDocumentError, publicErrorOf } from './errors.js'

const RESPONSE_JSON = 'application/graphql-response+json'
const PLAIN_JSON = 'application/json'

/** The JSON media type an Accept header prefers (GraphQL over HTTP, §6.3); null when it takes no JSON at all. */
export function jsonTypeFor(accept: string | null): string | null {
  for (const part of (accept ?? '*/*').split(',')) {
    const type = part.split(';', 1)[0]?.trim().toLowerCase()
    if (type === RESPONSE_JSON) return RESPONSE_JSON
    if (type === PLAIN_JSON || type === '*/*' || type === 'application/*') return PLAIN_JSON
    if (type === 'text/event-stream' || type === 'multipart/mixed') return null
  }
  return null
}

function isForStream(accept: string | null): boolean {
  return /text\/event-stream|multipart\/mixed/i.test(accept ?? '')
}

/**
 * Status of a GraphQL answer: 200 as soon as something of the operation ran, else that of its gravest error.
 * Errors of GraphQL itself are 400, or 200 for clients of plain application/json (GraphQL over HTTP, §6.4.1).
 */
function statusOf(result: ExecutionResult, mediaType: string): number {
  const errors = result.errors ?? []
  const ran = result.data && Object.values(result.data).some((value) => value !== null)
  if (errors.length === 0 || ran) return 200
  if (mediaType === PLAIN_JSON && errors.every(isDocumentError)) return 200
  return Math.max(...errors.map(graphqlStatus))
}

/** Errors that yoga raises for the HTTP request itself carry their own status. */
function graphqlStatus(error: GraphQLError): number {
  const http = error.extensions.http as { status?: number; spec?: boolean } | undefined
  return apiErrorOf(error) === null && http?.status && http.status >= 405
    ? http.status
    : publicErrorOf(error).status
}

/** The answer to an operation: error bodies and status by the error table, internals never shown. */
export function graphqlAnswer(
  result: ExecutionResult,
  mediaType: string,
  door: Pick<DoorContext, 'requestId' | 'now' | 'json'>,
  upgradeUrl: string,
): PlainAnswer {
  const { errors, data, extensions } = result
  const members: string[] = []
  if (errors?.length) {
    const bodies = errors.map((error) => graphqlErrorBody(error, door.requestId, upgradeUrl))
    members.push(`"errors":${JSON.stringify(bodies)}`)
  } else door.json = JSON.stringify(data)
  if (data !== undefined) members.push(`"data":${door.json ?? JSON.stringify(data)}`)
  if (extensions !== undefined) members.push(`"extensions":${JSON.stringify(extensions)}`)
  return {
    status: statusOf(result, mediaType),
    headers: { 'content-type': `${mediaType}; charset=utf-8`, ...headersOf(errors, door.now) },
    text: `{${members.join(',')}}`,
  }
}

/** Writes the answers that leave through yoga. */
export function useGraphQLAnswers(options: { readonly upgradeUrl: string }): DoorPlugin {
  return {
    onResultProcess({ request, result, serverContext, setResultProcessor }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return
      const accept = request.headers.get('accept')
      // A refusal is no stream: it goes out as a body with its status, to those too who asked for events.
      const mediaType = jsonTypeFor(accept) ?? (result.errors && isForStream(accept) ? RESPONSE_JSON : null)
      if (mediaType === null) return
      setResultProcessor((processed, fetchAPI) => {
        const answered = processed as ExecutionResult // no array and no stream: checked above
        const answer = graphqlAnswer(answered, mediaType, serverContext, options.upgradeUrl)
        return new fetchAPI.Response(answer.text, { status: answer.status, headers: answer.headers })
      }, mediaType)
    },
  }
}

/** The headers of the first error that has some. */
function headersOf(errors: ExecutionResult['errors'], now: Date): Record<string, string> {
  for (const error of errors ?? []) {
    const api = apiErrorOf(error)
    const headers = api ? errorHeaders(api, now) : {}
    if (Object.keys(headers).length > 0) return headers
  }
  return {}
}
