import { type Limits, limitsOf } from './limits.js'

/** Every kind of failure that the gateway names; a proxy's own answer is an `unexpected_answer`. */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'validation_error'
  | 'rate_limit_exceeded'
  | 'internal_error'
  | 'service_unavailable'

/** One problem with one parameter, variable or body field. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** What the gateway says of a failure, in REST and in GraphQL. */
export interface Failure {
  /** `rate_limited`: a subscription waits for its quota. */
  readonly code: ErrorCode | 'rate_limited' | 'unexpected_answer'
  readonly message: string
  /** Status of the answer; of one field of a GraphQL answer the status that it would have in REST. */
  readonly status: number
  readonly details: readonly FieldProblem[]
  /** Names the request in the gateway's log. */
  readonly requestId: string | null
  readonly requiredScope: string | null
  readonly upgradeUrl: string | null
  /** Seconds until a retry may succeed; null where the gateway does not say. */
  readonly retryAfter: number | null
}

/** The gateway answered with a failure. */
export class ApiError extends Error implements Failure {
  override readonly name = 'ApiError'
  readonly code: Failure['code']
  readonly status: number
  readonly details: readonly FieldProblem[]
  readonly requestId: string | null
  readonly requiredScope: string | null
  readonly upgradeUrl: string | null
  readonly retryAfter: number | null
  /** What is left of the quotas; null where the answer does not say. */
  readonly limits: Limits | null

  constructor(failure: Failure, limits: Limits | null) {
    super(failure.message)
    this.code = failure.code
    this.status = failure.status
    this.details = failure.details
    this.requestId = failure.requestId
    this.requiredScope = failure.requiredScope
    this.upgradeUrl = failure.upgradeUrl
    this.retryAfter = failure.retryAfter
    this.limits = limits
  }
}

/** No answer came: the connection failed, broke, or took too long. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** A bound of the client's options is exceeded: bytes of an answer, or pages. */
export class BoundError extends Error {
  override readonly name = 'BoundError'
}

/** The members of an error, in the body of a REST answer or as `extensions` in GraphQL. */
interface ErrorMembers {
  readonly error?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly details?: unknown
  readonly request_id?: unknown
  readonly required_scope?: unknown
  readonly upgrade_url?: unknown
  readonly retry_after?: unknown
  readonly http?: { readonly status?: unknown }
}

/** The failure that an answer with this status and body is. */
export function apiErrorOf(status: number, headers: Headers, body: unknown): ApiError {
  const members = membersOf(body)
  const failure = failureOf(members, String(members.message ?? `The answer has the status ${status}.`))
  const requestId = failure.requestId ?? headers.get('x-request-id')
  const retryAfter = secondsOf(headers.get('retry-after')) ?? failure.retryAfter
  return new ApiError({ ...failure, status, requestId, retryAfter }, limitsOf(headers))
}

/** One entry of `errors` of a GraphQL answer. */
export function graphqlFailureOf(entry: unknown): Failure {
  const { message, extensions } = (entry ?? {}) as { message?: unknown; extensions?: unknown } // of GraphQL
  return failureOf(membersOf(extensions), String(message ?? 'The operation failed.'))
}

/** GraphQL has the members in `extensions` of its first error. */
function membersOf(body: unknown): ErrorMembers {
  if (typeof body !== 'object' || body === null) return {}
  const first: unknown = 'errors' in body && Array.isArray(body.errors) ? body.errors[0] : undefined
  if (typeof first !== 'object' || first === null) return body
  const { message, extensions } = first as { message?: unknown; extensions?: object } // as GraphQL defines it
  return { message, ...extensions }
}

function failureOf(members: ErrorMembers, message: string): Failure {
  const { error, code, details, retry_after: retryAt, http } = members
  const named = String(error ?? code ?? 'unexpected_answer').toLowerCase()
  return {
    code: named as Failure['code'], // the gateway's table, which the document lists
    message,
    status: typeof http?.status === 'number' ? http.status : 500,
    details: Array.isArray(details) ? details : [],
    requestId: textOf(members.request_id),
    requiredScope: textOf(members.required_scope),
    upgradeUrl: textOf(members.upgrade_url),
    retryAfter: typeof retryAt === 'number' ? Math.max(0, Math.ceil(retryAt - Date.now() / 1000)) : null,
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** `Retry-After`: seconds, or the instant as a date (RFC 9110). */
function secondsOf(header: string | null): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const instant = Date.parse(header)
  return Number.isNaN(instant) ? null : Math.max(0, Math.ceil((instant - Date.now()) / 1000))
}
