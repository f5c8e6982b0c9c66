import { GraphQLError } from 'graphql'
import { ApiError } from '../../core/errors.js'
import { nameField } from '../../core/operation-names.js'
import { asUnavailable } from '../../platform/database/connection/connection-loss.js'

/**
 * Returns the ApiError that an error of the executor wraps, or null. Errors of the database client about a lost connection
 * become `service_unavailable`.
 */
export function findApiError(error: unknown): ApiError | null {
  let current: unknown = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    const named = asUnavailable(current)
    if (named instanceof ApiError) return named
    current = current instanceof GraphQLError ? current.originalError : null
  }
  return null
}

/**
 * Converts any error for clients: an ApiError stays, an error of GraphQL itself (syntax, validation, variables) becomes
 * `bad_request`, and anything else becomes `internal_error` without details.
 */
export function toPublicError(error: unknown): ApiError {
  const known = findApiError(error)
  if (known) return known
  if (error instanceof GraphQLError && !error.originalError) {
    return new ApiError('bad_request', { message: error.message, cause: error })
  }
  return new ApiError('internal_error', { cause: error })
}

const WWW_AUTHENTICATE = 'ApiKey realm="market-data-gateway", Bearer realm="market-data-gateway"'

/**
 * Headers of an error in REST and GraphQL, alternating lower-case names and values: the allowed methods, how to
 * authenticate, seconds until a retry can succeed, at least 1, and the limit that refuses if it is no quota.
 */
export function errorHeaders(
  error: Pick<ApiError, 'code' | 'retryAfter' | 'allow' | 'limit'>,
  now: Date,
): readonly string[] {
  const headers: string[] = []
  if (error.allow.length > 0) headers.push('allow', error.allow.join(', '))
  if (error.code === 'unauthorized') headers.push('www-authenticate', WWW_AUTHENTICATE)
  const retryAfter = retryAfterOf(error, now)
  if (retryAfter !== null) {
    headers.push('retry-after', String(Math.max(1, Math.ceil(retryAfter - now.getTime() / 1000))))
    if (error.limit !== null) {
      headers.push('x-ratelimit-limit', String(error.limit), 'x-ratelimit-remaining', '0')
      headers.push('x-ratelimit-reset', String(retryAfter))
    }
  }
  return headers
}

/** Default of a 503: long enough to reconnect to the database. */
const RETRY_SECONDS = 5

/** Epoch seconds after which a retry can succeed; always set for a 503. Null if waiting does not help. */
export function retryAfterOf(
  { code, retryAfter }: Pick<ApiError, 'code' | 'retryAfter'>,
  now: Date,
): number | null {
  if (retryAfter !== null || code !== 'service_unavailable') return retryAfter
  return Math.ceil(now.getTime() / 1000) + RETRY_SECONDS
}

interface GraphQLErrorBody {
  readonly message: string
  readonly locations?: GraphQLError['locations']
  readonly path?: GraphQLError['path']
  readonly extensions: Readonly<Record<string, unknown>>
}

/** Creates an entry of `errors`. Its extensions contain the REST error body, with the code in upper case, and the status. */
export function graphqlErrorBody(
  error: GraphQLError,
  requestId: string,
  upgradeUrl: string | null,
  now?: Date,
): GraphQLErrorBody {
  const api = toPublicError(error)
  const retryAfter = now === undefined ? api.retryAfter : retryAfterOf(api, now)
  return {
    message: api.textFor(nameField),
    ...(error.locations ? { locations: error.locations } : {}),
    ...(error.path ? { path: error.path } : {}),
    extensions: {
      code: api.graphqlCode,
      http: { status: api.status },
      ...(api.upgrade && upgradeUrl !== null ? { upgrade_url: upgradeUrl } : {}),
      ...(api.requiredScope ? { required_scope: api.requiredScope } : {}),
      ...(retryAfter !== null ? { retry_after: retryAfter } : {}),
      ...(api.details.length > 0 ? { details: api.details } : {}),
      request_id: requestId,
    },
  }
}
