import { STATUS_CODES } from 'node:http'
import { Response } from '@whatwg-node/fetch'
import { GraphQLError } from 'graphql'
import { ApiError, type ErrorCode, type FieldProblem } from '../core/errors.js'
import { apiErrorOf, errorHeaders } from '../graphql/errors.js'
import type { Logger } from '../platform/logger.js'
import type { PlainAnswer } from '../platform/plain-answer.js'
import type { RequestFacts } from '../platform/request-facts.js'
import { prefersProblem } from './accept.js'

export interface ErrorBodyOptions {
  /** Where a higher tier can be had. */
  readonly upgradeUrl: string
}

export interface ErrorResponseOptions extends ErrorBodyOptions {
  readonly request: Pick<RequestFacts, 'method' | 'url' | 'headers'>
  readonly requestId: string
  readonly now: Date
}

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

/** A 503 that does not know better: long enough for a connection to come back. */
const RETRY_SECONDS = 5

/** The body of a failure. A 503 always says when to come back. */
export function errorBody(
  error: ApiError,
  options: Pick<ErrorResponseOptions, 'requestId' | 'upgradeUrl' | 'now'>,
): ErrorBody {
  const retryAfter = retryAfterOf(error, options.now)
  return {
    error: error.code,
    message: error.message,
    ...(error.upgrade ? { upgrade_url: options.upgradeUrl } : {}),
    ...(error.requiredScope === null ? {} : { required_scope: error.requiredScope }),
    ...(retryAfter === null ? {} : { retry_after: retryAfter }),
    ...(error.details.length === 0 ? {} : { details: error.details }),
    request_id: options.requestId,
  }
}

/**
 * The whole answer to a failure: body, media type as Accept prefers, and the headers that belong to the status.
 * `Retry-After` is in seconds from now, at least 1. `bodyText` replaces the body alone.
 */
export function errorAnswer(error: ApiError, options: ErrorResponseOptions, bodyText?: string): PlainAnswer {
  const isProblem = bodyText === undefined && prefersProblem(options.request.headers.get('accept'))
  const body = errorBody(error, options)
  const members = isProblem ? { ...problemMembers(error, options.request), ...body } : body
  const text = bodyText ?? JSON.stringify(members)
  const headers: Record<string, string> = {
    'content-type': isProblem ? 'application/problem+json' : 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
  }
  if (error.allow.length > 0) headers.allow = error.allow.join(', ')
  Object.assign(
    headers,
    errorHeaders({ code: error.code, retryAfter: body.retry_after ?? null }, options.now),
  )
  return { status: error.status, headers, text }
}

/** The same as a Response; HEAD gets no body. */
export function errorResponse(error: ApiError, options: ErrorResponseOptions, bodyText?: string): Response {
  const { status, headers, text } = errorAnswer(error, options, bodyText)
  return new Response(options.request.method === 'HEAD' ? null : text, { status, headers })
}

/** What failed, and whether the execution has seen and logged it: masking in the envelope does so for both doors. */
export interface Failure {
  readonly errors: readonly unknown[]
  readonly isExecuted: boolean
}

/**
 * One error for an answer that failed in one or more places. What is not an ApiError becomes `internal_error`;
 * of several the highest status is told. Whatever nobody logged yet is logged; causes are never shown.
 */
export function settleErrors({ errors, isExecuted }: Failure, log: Logger): ApiError {
  const settled = errors.map((error) => settle(error, isExecuted, log))
  return settled.reduce((worst, next) => (next.status > worst.status ? next : worst), settled[0] ?? masked())
}

function settle(error: unknown, isExecuted: boolean, log: Logger): ApiError {
  const known = apiErrorOf(error)
  if (known === null) {
    // Values are checked before: an error of GraphQL itself is a mistake of ours, and masking takes it for the client's.
    const isOfGraphQL = error instanceof GraphQLError && !error.originalError
    if (!isExecuted || isOfGraphQL) log.error({ err: error }, 'unexpected error')
    return masked(error)
  }
  if (known.status > 500 && !isExecuted) log.warn({ err: known, cause: known.cause }, known.message)
  return known
}

function masked(cause?: unknown): ApiError {
  return new ApiError('internal_error', { cause })
}

function retryAfterOf(error: ApiError, now: Date): number | null {
  if (error.retryAfter !== null || error.code !== 'service_unavailable') return error.retryAfter
  return Math.ceil(now.getTime() / 1000) + RETRY_SECONDS
}

/** RFC 9457; `about:blank` says that the status and our own `error` member are all there is to the type. */
function problemMembers(
  error: ApiError,
  request: Pick<RequestFacts, 'url'>,
): Readonly<Record<string, unknown>> {
  return {
    type: 'about:blank',
    title: STATUS_CODES[error.status] ?? error.code,
    status: error.status,
    detail: error.message,
    instance: new URL(request.url, 'http://localhost').pathname,
  }
}
