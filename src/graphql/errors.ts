import { type ExecutionResult, GraphQLError } from 'graphql'
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
export function isDocumentError(error: GraphQLError): boolean {
  // What concerns the HTTP request, such as malformed JSON, or a limit, points at no place in the document.
  return apiErrorOf(error) === null && !error.originalError && error.locations !== undefined
}

/** Headers that belong to an error whatever the door: how to authenticate, or seconds until a retry may succeed. */
export function errorHeaders(
  { code, retryAfter }: Pick<ApiError, 'code' | 'retryAfter'>,
  now: Date,
): Record<string, string> {
  const headers: Record<string, string> = {}
  if (code === 'unauthorized') headers['www-authenticate'] = 'ApiKey realm="market-data-gateway"'
  if (retryAfter !== null) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfter - now.getTime() / 1000)))
  }
  return headers
}

/** The result of an operation that is refused before anything of it runs. */
export function refused(error: ApiError): ExecutionResult {
  return { data: null, errors: [new GraphQLError(error.message, { originalError: error })] }
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
