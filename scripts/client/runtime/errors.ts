import { type Limits, limitsOf } from './limits.js'

/** All error codes of the gateway, and `unexpected_answer` for the response of a proxy. */
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
  | 'range_not_satisfiable'
  | 'validation_error'
  | 'rate_limit_exceeded'
  | 'internal_error'
  | 'service_unavailable'

/** One problem with one parameter, variable or body field. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** A failure that the gateway reports, in REST and in GraphQL. */
export interface Failure {
  /** The code; `rate_limited` means that a subscription waits for its quota. */
  readonly code: ErrorCode | 'rate_limited' | 'unexpected_answer'
  readonly message: string
  /** Status of the response. For one field in GraphQL, the status that it would have in REST. */
  readonly status: number
  readonly details: readonly FieldProblem[]
  /** Identifies the request in the gateway's log. */
  readonly requestId: string | null
  readonly requiredScope: string | null
  readonly upgradeUrl: string | null
  /** Seconds until a retry may succeed; null if unknown. */
  readonly retryAfter: number | null
}

/** The gateway responded with a failure. */
export class ApiError extends Error implements Failure {
  override readonly name = 'ApiError'
  readonly code: Failure['code']
  readonly status: number
  readonly details: readonly FieldProblem[]
  readonly requestId: string | null
  readonly requiredScope: string | null
  readonly upgradeUrl: string | null
  readonly retryAfter: number | null
  /** The remaining quotas; null if the response does not contain them. */
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

/** No response arrived: the connection failed, broke, or took too long. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** A limit of the client's options is exceeded: bytes of a response, or pages. */
export class BoundError extends Error {
  override readonly name = 'BoundError'
}

/** The members of an error, in the body of a REST response or in `extensions` of GraphQL. */
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

/** Creates the failure of a response. */
export function apiErrorOf(status: number, headers: Headers, body: unknown): ApiError {
  const members = membersOf(body)
  const failure = failureOf(members, String(members.message ?? `The response has the status ${status}.`))
  const requestId = failure.requestId ?? headers.get('x-request-id')
  const retryAfter = secondsOf(headers.get('retry-after')) ?? failure.retryAfter
  return new ApiError({ ...failure, status, requestId, retryAfter }, limitsOf(headers))
}

/** Creates the failure of an entry of `errors` in GraphQL. */
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
