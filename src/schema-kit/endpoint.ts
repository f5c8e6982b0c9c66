import type { GraphQLArgument, GraphQLField } from 'graphql'
import type { DatasetName } from '../core/datasets.js'
import type { ErrorCode } from '../core/errors.js'
import type { PublicText } from '../core/operation-names.js'
import type { RequestContext } from '../platform/request/request-context.js'
import type { AccessRule } from '../policy/decide.js'
import type { Scope } from '../policy/scopes.js'

/** The REST face of a root field. */
export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Full path with parameters in braces, named as the field's arguments: /v1/assets/{id}. */
  readonly path: string
  /** Section of the REST documentation. */
  readonly tag: string
  /** Status of a success; 200 when left out. A 204 has no body. */
  readonly status?: 200 | 201 | 204
  /** Name of the body's schema in OpenAPI, where the specification names it. */
  readonly bodyName?: string
  /** A repeated Idempotency-Key is refused instead of running again. */
  readonly idempotent?: true
  /** The answer is a list or series: `Link`, `X-Total-Count`, and exports as CSV and NDJSON. */
  readonly table?: TableSpec
}

/** Where the rows of an answer are, by dotted members of the body. */
export interface TableSpec {
  /** The list: data.candles. */
  readonly rows: string
  /** The number of rows on all pages: meta.total. Left out: the list has them all. */
  readonly total?: string
  /** How the other pages are reached; left out: there are none. */
  readonly paging?: Paging
}

/** By limit and offset, or limit and page; by a cursor, which the body has in a member; or by the arguments of the next page, null on the last. */
export type Paging =
  | { readonly by: 'offset' | 'page' }
  | { readonly by: 'cursor'; readonly member: string }
  | {
      readonly by: 'arguments'
      readonly next: (input: unknown) => Readonly<Record<string, string>> | null
    }

/** The datasets an answer is made from; it is valid while their versions are the same. Null: it is never kept. */
export type Reads = readonly DatasetName[] | null

/** What a call is charged: `metered` costs 1 unit, `discover` counts on the discover window too, `free` costs nothing. */
export type CostRule = 'metered' | 'discover' | 'free'

/** Everything both transports need to know of a root field: in the field's extensions, and nowhere else. */
export interface EndpointSpec {
  readonly access: AccessRule
  /** Scopes that an argument or a part of the answer needs beside `access`. */
  readonly partScopes?: readonly Scope[]
  readonly cost: CostRule
  readonly rest: RestRoute | null
  /** One line for lists of endpoints; the field's description is the full text. */
  readonly summary: string
  /** Error codes of its own, beside those that every endpoint can raise. */
  readonly errors: readonly ErrorCode[]
  /** All datasets its answer is made from; null: made from something else too, so it is never kept. */
  readonly reads: Reads
  /** Without `reads`: it depends on the clock or on a third party, so it has no entity tag. */
  readonly isUnsteady?: true
  /** A client asks again before each use of the answer. */
  readonly isAlwaysRevalidated?: true
  /** Checks the arguments and what they ask for (422, 403, 404), and returns what `resolve` needs; before anything is charged. */
  readonly check: (args: Readonly<Record<string, unknown>>, context: RequestContext) => unknown
  /** Whether the request waits for what comes next: nothing else may wait for it. */
  readonly waits: (input: unknown) => boolean
  /** Rows of the answer for a checked input, at most; where left out, its `limit` says so. */
  readonly rows?: (input: unknown, context: RequestContext) => number
}

/** A nested edge that is an endpoint of its own in REST. */
export interface EdgeSpec {
  readonly access: AccessRule
  /** The datasets it is made from. */
  readonly reads: readonly DatasetName[]
  /** Checks the arguments, once for all parents, before anything runs. */
  readonly check: (args: Readonly<Record<string, unknown>>, context: RequestContext) => unknown
  /** Rows for one parent, at most; where left out, its `limit` says so. */
  readonly rows?: (input: unknown, context: RequestContext) => number
}

/** Bounds and examples of an argument, shown in the REST documentation; the checks themselves are the service's. */
export interface ArgumentHints {
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly example?: string | number | boolean | readonly string[]
  /** Default that is computed when asked, e.g. "30 days ago". */
  readonly defaultText?: string
  /** Of a path parameter: a text that is no value of its type is a 404 with this message, not a 422. */
  readonly notFoundText?: (text: string) => PublicText
}

/** What a JSON object of an answer has, under the name that OpenAPI gives it. */
export interface AnswerForm {
  readonly name: string
  /** A JSON Schema of draft 2020-12. */
  readonly schema: Readonly<Record<string, unknown>>
}

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the type parameters must repeat graphql's own declaration
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    endpoint?: EndpointSpec
    /** Charged per 20 parents. */
    edge?: EdgeSpec
    /** The members of a JSON object, for OpenAPI. */
    answerForm?: AnswerForm
  }
  interface GraphQLArgumentExtensions {
    hints?: ArgumentHints
  }
}

/** The endpoint of a root field; the builder refuses root fields without one. */
export function endpointOf(field: GraphQLField<unknown, unknown>): EndpointSpec {
  const endpoint = field.extensions.endpoint
  if (!endpoint) throw new Error(`root field ${field.name} has no endpoint`)
  return endpoint
}

export function hintsOf(argument: GraphQLArgument): ArgumentHints {
  return argument.extensions.hints ?? {}
}
