import { keySource, type NameOperation, type PublicText, textFor } from './operation-names.js'

/**
 * The error table: one row per public error code. Every failure that a client may see is raised as an
 * `ApiError` with one of these codes; anything else is masked as `internal_error` and logged.
 */
export const ERROR_TABLE = {
  bad_request: { status: 400, message: 'The request could not be read.' },
  unauthorized: { status: 401, message: 'Missing or invalid X-API-Key header.' },
  forbidden: { status: 403, message: 'Your tier or key does not include this.' },
  not_found: { status: 404, message: 'No such resource.' },
  method_not_allowed: { status: 405, message: 'This method is not allowed here.' },
  not_acceptable: { status: 406, message: 'None of the requested media types can be produced.' },
  conflict: { status: 409, message: 'The request conflicts with what is stored.' },
  payload_too_large: { status: 413, message: 'The request body is too large.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  range_not_satisfiable: { status: 416, message: 'The file has none of the requested bytes.' },
  validation_error: { status: 422, message: 'A parameter or body field is unknown, missing or invalid.' },
  rate_limit_exceeded: { status: 429, message: 'The limit of your tier is reached.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  service_unavailable: { status: 503, message: 'A part that this answer needs is unreachable; try again.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERROR_TABLE

/** One problem with one parameter or body field. `field` is the name as the client wrote or should write it. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

export interface ApiErrorOptions {
  /** Public text; the table's text by default. */
  readonly message?: PublicText
  readonly details?: readonly FieldProblem[]
  /** The scope whose absence caused a 403. */
  readonly requiredScope?: string
  /** Whether to show where a higher tier is sold. Always true for a 403. */
  readonly upgrade?: boolean
  /** Requests that the window allows whose end is `retryAfter`, if the refusal is no quota's (429). */
  readonly limit?: number
  /** Epoch seconds after which a retry may succeed (429, 503). */
  readonly retryAfter?: number
  /** Methods that would have been allowed (405). */
  readonly allow?: readonly string[]
  /** The code in GraphQL if its clients know the failure by another name; the table's code by default. */
  readonly graphqlCode?: string
  /** The gateway sent a request to a third party before the failure, so the price is not refunded. */
  readonly isCharged?: boolean
  /** The part that failed, for operators, e.g. the database; never shown to callers. */
  readonly part?: string
  /** The internal cause: logged, never shown. */
  readonly cause?: unknown
}

/** A failure that clients may see: its message and details, but not its cause. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly FieldProblem[]
  readonly requiredScope: string | null
  readonly upgrade: boolean
  readonly limit: number | null
  readonly retryAfter: number | null
  readonly allow: readonly string[]
  readonly graphqlCode: string
  readonly isCharged: boolean
  readonly part: string | null

  readonly #text: PublicText

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    const text = options.message ?? ERROR_TABLE[code].message
    // For logs; callers get `textFor` of their own interface.
    super(
      textFor(text, (operation) => operation),
      options.cause === undefined ? {} : { cause: options.cause },
    )
    this.#text = text
    this.code = code
    this.status = ERROR_TABLE[code].status
    this.details = options.details ?? []
    this.requiredScope = options.requiredScope ?? null
    this.upgrade = code === 'forbidden' || (options.upgrade ?? false)
    this.limit = options.limit ?? null
    this.retryAfter = options.retryAfter ?? null
    this.allow = options.allow ?? []
    this.graphqlCode = options.graphqlCode ?? code.toUpperCase()
    this.isCharged = options.isCharged ?? false
    this.part = options.part ?? null
  }

  /** The public text in the words of one interface. */
  textFor(name: NameOperation): string {
    return textFor(this.#text, name)
  }
}

/** A 422 that names each wrong field; the message repeats the first problem so that it reads alone. */
export function invalid(...problems: readonly [FieldProblem, ...FieldProblem[]]): ApiError {
  return withProblems('validation_error', problems)
}

/** A 400 that names all problems: values that are not of their declared types. */
export function malformed(...problems: readonly [FieldProblem, ...FieldProblem[]]): ApiError {
  return withProblems('bad_request', problems)
}

function withProblems(code: ErrorCode, problems: readonly [FieldProblem, ...FieldProblem[]]): ApiError {
  const first = problems[0]
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new ApiError(code, { message: `${first.field}: ${first.message}${more}`, details: problems })
}

/** A 401. `problem` says what is wrong with the credential of this header, as in "was revoked at …". */
export function unauthorized(field: 'X-API-Key' | 'Authorization', problem: string): ApiError {
  const text = `Missing or invalid ${field} header. It ${problem}.`
  return new ApiError('unauthorized', {
    message: field === 'X-API-Key' ? (name) => `${text} ${keySource(name)}` : text,
    details: [{ field, message: problem }],
  })
}

/** The 401 of a request without a credential. */
export function noCredential(): ApiError {
  return new ApiError('unauthorized', {
    message: (name) => `Missing or invalid X-API-Key header. The request has no API key. ${keySource(name)}`,
  })
}

/** A 404 with a text that says what was looked for and what to try. */
export function notFound(message: PublicText): ApiError {
  return new ApiError('not_found', { message })
}
