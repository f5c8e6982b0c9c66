import { STATUS_CODES } from 'node:http'
import { GraphQLError } from 'graphql'
import { ApiError, type ErrorCode, type FieldProblem } from '../../../core/errors.js'
import { nameRoute } from '../../../core/operation-names.js'
import type { Logger } from '../../../platform/logger.js'
import type { Exchange, Reply } from '../../../platform/request/exchange.js'
import { JSON_UTF8, PROBLEM_TYPE } from '../../../platform/request/json-type.js'
import { errorHeaders, findApiError, retryAfterOf } from '../../graphql/errors.js'
import { prefersProblem } from './accept.js'

/** The public face of a failure, members in this order. */
export interface ErrorBody {
  readonly error: ErrorCode
  readonly message: string
  readonly upgrade_url?: string
  readonly required_scope?: string
  /** Epoch seconds. */
  readonly retry_after?: number
  readonly details?: readonly FieldProblem[]
  readonly request_id: string
}

type Failed = Pick<Exchange, 'header' | 'path' | 'requestId' | 'now' | 'nameOperation'>

/** The body of a failure. A 503 always says when to come back. `upgradeUrl`: where a higher tier can be had. */
export function errorBody(
  error: ApiError,
  { requestId, now, nameOperation = nameRoute }: Pick<Failed, 'requestId' | 'now' | 'nameOperation'>,
  upgradeUrl: string,
): ErrorBody {
  const retryAfter = retryAfterOf(error, now)
  return {
    error: error.code,
    message: error.textFor(nameOperation),
    ...(error.upgrade ? { upgrade_url: upgradeUrl } : {}),
    ...(error.requiredScope === null ? {} : { required_scope: error.requiredScope }),
    ...(retryAfter === null ? {} : { retry_after: retryAfter }),
    ...(error.details.length === 0 ? {} : { details: error.details }),
    request_id: requestId,
  }
}

/** The reply to a failure: body, media type as Accept prefers, and the headers that belong to the status. */
export function errorReply(error: ApiError, exchange: Failed, upgradeUrl: string): Reply {
  const isProblem = prefersProblem(exchange.header('accept'))
  const body = errorBody(error, exchange, upgradeUrl)
  const members = isProblem ? { ...problemMembers(error, body.message, exchange), ...body } : body
  const type = isProblem ? PROBLEM_TYPE : JSON_UTF8
  const headers = ['content-type', type, ...errorHeaders(error, exchange.now)]
  return { status: error.status, headers, body: JSON.stringify(members) }
}

/** The error that stands for all of a run that failed: the one of the highest status. What is no ApiError is masked. */
export function mostSevereError(errors: readonly GraphQLError[]): ApiError {
  return worst(errors.map((error) => findApiError(error) ?? masked(error)))
}

/**
 * One error for a request that failed in one or more places. What is not an ApiError becomes `internal_error`; of several
 * the highest status wins. Failures of ours are logged; causes are never shown.
 */
export function settleErrors(errors: readonly unknown[], log: Logger): ApiError {
  return worst(errors.map((error) => settle(error, log)))
}

function worst(errors: readonly ApiError[]): ApiError {
  return errors.reduce((found, next) => (next.status > found.status ? next : found), errors[0] ?? masked())
}

function settle(error: unknown, log: Logger): ApiError {
  const known = findApiError(error)
  if (known === null) {
    const err = error instanceof GraphQLError ? (error.originalError ?? error) : error
    log.error({ err }, 'unexpected error')
    return masked(error)
  }
  // A refusal of ours, as when too many wait, has no cause: its stack says nothing, and making it takes long under load.
  if (known.status > 500) log.warn(known.cause === undefined ? {} : { err: known.cause }, known.message)
  return known
}

function masked(cause?: unknown): ApiError {
  return new ApiError('internal_error', { cause })
}

/** RFC 9457; `about:blank` says that the status and our own `error` member are all there is to the type. */
function problemMembers(
  error: ApiError,
  detail: string,
  { path }: Pick<Failed, 'path'>,
): Readonly<Record<string, unknown>> {
  return {
    type: 'about:blank',
    title: STATUS_CODES[error.status] ?? error.code,
    status: error.status,
    detail,
    instance: path,
  }
}
