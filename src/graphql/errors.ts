import type { ExecutionResult } from 'graphql'
import { GraphQLError } from 'graphql'
import { ApiError } from '../core/errors.js'
import { asUnavailable } from '../platform/connection-loss.js'
import type { DoorContext } from '../platform/door-context.js'
import type { DoorPlugin } from './door-plugin.js'

/**
 * The ApiError behind an error of the executor, through any wrapping; a client of the database that lost its
 * connection says so in words of its own. Null when there is none.
 */
export function apiErrorOf(error: unknown): ApiError | null {
  let current: unknown = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    const named = asUnavailable(current)
    if (named instanceof ApiError) return named
    current = current instanceof GraphQLError ? current.originalError : null
  }
  return null
}

/**
 * The public face of any error: an ApiError stays, an error of GraphQL itself (syntax, validation, variables)
 * is a bad request, anything else is masked.
 */
export function publicErrorOf(error: unknown): ApiError {
  const known = apiErrorOf(error)
  if (known) return known
  if (error instanceof GraphQLError && !error.originalError) {
    return new ApiError('bad_request', { message: error.message, cause: error })
  }
  return new ApiError('internal_error', { cause: error })
}

/** True for errors that GraphQL itself finds in the document or its variables, before anything runs. */
function isDocumentError(error: GraphQLError): boolean {
  // What concerns the HTTP request, such as malformed JSON, or a limit, points at no place in the document.
  return apiErrorOf(error) === null && !error.originalError && error.locations !== undefined
}

interface GraphQLErrorBody {
  readonly message: string
  readonly locations?: GraphQLError['locations']
  readonly path?: GraphQLError['path']
  readonly extensions: Readonly<Record<string, unknown>>
}

/** One entry of `errors`: the REST error body as extensions, with the code in upper case and the status. */
export function graphqlErrorBody(
  error: GraphQLError,
  requestId: string,
  upgradeUrl: string,
): GraphQLErrorBody {
  const api = publicErrorOf(error)
  return {
    message: api.message,
    ...(error.locations ? { locations: error.locations } : {}),
    ...(error.path ? { path: error.path } : {}),
    extensions: {
      code: api.code.toUpperCase(),
      http: { status: api.status },
      ...(api.upgrade ? { upgrade_url: upgradeUrl } : {}),
      ...(api.requiredScope ? { required_scope: api.requiredScope } : {}),
      ...(api.retryAfter !== null ? { retry_after: api.retryAfter } : {}),
      ...(api.details.length > 0 ? { details: api.details } : {}),
      request_id: requestId,
    },
  }
}

const RESPONSE_JSON = 'application/graphql-response+json'
const PLAIN_JSON = 'application/json'

/** The JSON media type an Accept header prefers (GraphQL over HTTP, §6.3); null when it takes no JSON at all. */
function jsonTypeFor(accept: string | null): string | null {
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

/** Writes GraphQL answers: error bodies and status by the error table, internals never shown. */
export function useGraphQLAnswers(options: { readonly upgradeUrl: string }): DoorPlugin {
  return {
    onResultProcess({ request, result, serverContext, setResultProcessor }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return
      const accept = request.headers.get('accept')
      // A refusal is no stream: it goes out as a body with its status, to those too who asked for events.
      const mediaType = jsonTypeFor(accept) ?? (result.errors && isForStream(accept) ? RESPONSE_JSON : null)
      if (mediaType === null) return
      const door = serverContext
      setResultProcessor((processed, fetchAPI) => {
        const { errors, ...rest } = processed as ExecutionResult // no array and no stream: checked above
        const body = errors?.length
          ? {
              errors: errors.map((error) => graphqlErrorBody(error, door.requestId, options.upgradeUrl)),
              ...rest,
            }
          : rest
        const status = statusOf(processed as ExecutionResult, mediaType)
        const headers = { 'content-type': `${mediaType}; charset=utf-8`, ...retryHeaders(errors, door.now) }
        return new fetchAPI.Response(JSON.stringify(body), { status, headers })
      }, mediaType)
    },
  }
}

/** Retry-After of the error that says when, in seconds from now; WWW-Authenticate where a key is missing. */
function retryHeaders(errors: ExecutionResult['errors'], now: Date): Record<string, string> {
  for (const error of errors ?? []) {
    const api = apiErrorOf(error)
    if (api?.retryAfter != null) {
      return { 'retry-after': String(Math.max(1, Math.ceil(api.retryAfter - now.getTime() / 1000))) }
    }
    if (api?.status === 401) return { 'www-authenticate': 'ApiKey realm="market-data-gateway"' }
  }
  return {}
}

/** Logs what is masked, with the request's id, once per error; runs for both doors. */
export function useMasking(): DoorPlugin {
  return {
    onExecute() {
      return {
        onExecuteDone({ result, args }) {
          if (Symbol.asyncIterator in result || !result.errors) return
          const door = args.contextValue as unknown as DoorContext // the server context is part of it
          for (const error of result.errors) {
            const { status } = publicErrorOf(error)
            const err = error.originalError ?? error
            if (status === 500) door.log.error({ err }, 'resolver failed')
            else if (status > 500)
              door.log.warn({ err, cause: apiErrorOf(error)?.cause }, 'resolver could not answer')
          }
        },
      }
    },
  }
}
