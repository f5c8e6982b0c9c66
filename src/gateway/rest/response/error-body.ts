import { STATUS_CODES } from 'node:http'
import { GraphQLError } from 'graphql'
import { ApiError, type ErrorCode, type FieldProblem } from '../../../core/errors.js'
import { nameRoute } from '../../../core/operation-names.js'
import type { Logger } from '../../../platform/logger.js'
import type { Exchange, Reply } from '../../../platform/request/exchange.js'
import { JSON_UTF8, PROBLEM_TYPE } from '../../../platform/request/json-type.js'
import { errorHeaders, findApiError, retryAfterOf } from '../../graphql/errors.js'
import { prefersProblem } from './accept.js'

/** The body of an error response, with members in this order. */
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

type FailedExchange = Pick<Exchange, 'header' | 'path' | 'requestId' | 'now' | 'nameOperation'>

/** Creates the body of an error. A 503 always has `retry_after`. `upgradeUrl` is where users can upgrade their tier; null if the operator names no page. */
export function errorBody(
  error: ApiError,
  { requestId, now, nameOperation = nameRoute }: Pick<FailedExchange, 'requestId' | 'now' | 'nameOperation'>,
  upgradeUrl: string | null,
): ErrorBody {
  const retryAfter = retryAfterOf(error, now)
  return {
    error: error.code,
    message: error.textFor(nameOperation),
    ...(error.upgrade && upgradeUrl !== null ? { upgrade_url: upgradeUrl } : {}),
    ...(error.requiredScope === null ? {} : { required_scope: error.requiredScope }),
    ...(retryAfter === null ? {} : { retry_after: retryAfter }),
    ...(error.details.length === 0 ? {} : { details: error.details }),
    request_id: requestId,
  }
}

/** Creates an error reply: the body in the media type that Accept prefers, and the headers of the status. */
export function errorReply(error: ApiError, exchange: FailedExchange, upgradeUrl: string | null): Reply {
  const isProblem = prefersProblem(exchange.header('accept'))
  const body = errorBody(error, exchange, upgradeUrl)
  const members = isProblem ? { ...problemMembers(error, body.message, exchange), ...body } : body
  const type = isProblem ? PROBLEM_TYPE : JSON_UTF8
  const headers = ['content-type', type, ...errorHeaders(error, exchange.now)]
  return { status: error.status, headers, body: JSON.stringify(members) }
}

/** The error with the highest status. An error that is no ApiError becomes `internal_error`. */
export function mostSevereError(errors: readonly GraphQLError[]): ApiError {
  return worst(errors.map((error) => findApiError(error) ?? masked(error)))
}

/**
 * Returns one error for a request with one or more errors: the one with the highest status. An error that is no ApiError
 * becomes `internal_error`. Errors of the gateway are logged; clients never see their causes.
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
  // An overload error has no cause. Its stack trace says nothing, and creating it takes long under load.
  if (known.status > 500) log.warn(known.cause === undefined ? {} : { err: known.cause }, known.message)
  return known
}

function masked(cause?: unknown): ApiError {
  return new ApiError('internal_error', { cause })
}

/** The members of RFC 9457. `about:blank` means that the status describes the type; `error` has the code. */
function problemMembers(
  error: ApiError,
  detail: string,
  { path }: Pick<FailedExchange, 'path'>,
): Readonly<Record<string, unknown>> {
  return {
    type: 'about:blank',
    title: STATUS_CODES[error.status] ?? error.code,
    status: error.status,
    detail,
    instance: path,
  }
}
