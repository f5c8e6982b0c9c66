import { apiErrorOf, type Failure, graphqlFailureOf } from './errors.js'
import { type Limits, limitsOf } from './limits.js'
import type { Values } from './targets.js'
import type { Received } from './transport.js'

/** The result of one operation. */
export interface GraphQLAnswer<Result> {
  readonly data: Result
  /** Failures of single fields, which are null in `data`. */
  readonly errors: readonly Failure[]
  /** The cost of the operation in units, and the remaining units. */
  readonly cost: { readonly charged: number; readonly remaining: number } | null
  readonly limits: Limits | null
  readonly requestId: string | null
}

/** The body of a GraphQL response. */
export interface GraphQLBody {
  readonly data?: unknown
  readonly errors?: readonly unknown[]
  readonly extensions?: { readonly cost?: { readonly charged: number; readonly remaining: number } }
}

/** With this media type the status of the response shows errors of the operation. */
const RESPONSE_JSON = 'application/graphql-response+json'

export function graphqlCall(query: string, variables: Values) {
  const headers = { accept: RESPONSE_JSON }
  return { method: 'POST', target: '/graphql', headers, body: { query, variables } } as const
}

export function graphqlAnswerOf<Result>({ status, headers, body }: Received): GraphQLAnswer<Result> {
  const { data, errors = [], extensions } = (body ?? {}) as GraphQLBody
  if (data === undefined || data === null) throw apiErrorOf(status, headers, body)
  return {
    data: data as Result, // the document says which
    errors: errors.map(graphqlFailureOf),
    cost: extensions?.cost ?? null,
    limits: limitsOf(headers),
    requestId: headers.get('x-request-id'),
  }
}
