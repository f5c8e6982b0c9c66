import type { GraphQLArgument, GraphQLField, GraphQLInputField } from 'graphql'
import type { DatasetName } from '../core/datasets.js'
import type { ErrorCode } from '../core/errors.js'
import type { Slug } from '../core/identifiers.js'
import type { PublicText } from '../core/operation-names.js'
import { type DataPart, withGrains } from '../platform/database/versions/data-parts.js'
import type { RequestContext } from '../platform/request/request-context.js'
import type { AccessRule } from '../policy/decide.js'
import type { Scope } from '../policy/scopes.js'

/** The REST route of a root field. */
export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Full path with parameters in braces, named as the field's arguments: /v1/assets/{id}. */
  readonly path: string
  /** Section of the REST documentation. */
  readonly tag: string
  /** Status of a successful response; default 200. A 204 has no body. */
  readonly status?: 200 | 201 | 204
  /** Name of the request body's schema in OpenAPI, if the specification fixes it. */
  readonly bodyName?: string
  /** A request with a repeated Idempotency-Key is rejected instead of running again. */
  readonly idempotent?: true
  /** Present for a list or series, which has `Link`, `X-Total-Count` and exports as CSV and NDJSON. */
  readonly table?: TableSpec
}

/** Locates the rows in a response body. */
export interface TableSpec {
  /** Dotted path of the list, e.g. data.candles. */
  readonly rows: string
  /** Dotted path of the number of rows on all pages, e.g. meta.total. Omitted if the list has all rows. */
  readonly total?: string
  /** How to request other pages. Omitted without pages. */
  readonly paging?: Paging
}

/** A page is requested by offset or number, by the cursor in a member of the body, or by changed arguments (null on the last page). */
export type Paging =
  | { readonly by: 'offset' | 'page' }
  | { readonly by: 'cursor'; readonly member: string }
  | {
      readonly by: 'arguments'
      readonly next: (input: unknown) => Readonly<Record<string, string>> | null
    }

/** The datasets of a response. A cached response is valid until one of their versions changes. Null: never cached. */
export type Reads = readonly DatasetName[] | null

/** Price of a call: `metered` costs 1 unit, `discover` also counts against the discover window, `free` costs nothing. */
export type CostRule = 'metered' | 'discover' | 'free'

/** `followed`: the field reads `context.clock` itself. Otherwise: why it shows more than was known then, for the 422. */
export type ClockRule = 'followed' | { readonly refusedBecause: string }

/** Everything that both transports know about a root field. The field's extensions hold it. */
export interface EndpointSpec {
  readonly access: AccessRule
  /** Further scopes that an argument or a part of the response needs. */
  readonly partScopes?: readonly Scope[]
  readonly cost: CostRule
  readonly rest: RestRoute | null
  /** One line for lists of endpoints; the field's description is the full text. */
  readonly summary: string
  /** Searches in the REST reference (`x-keywords`) and by agents find the endpoint by these words too. */
  readonly keywords?: readonly string[]
  /** Error codes beyond those that every endpoint can raise. */
  readonly errors: readonly ErrorCode[]
  /** All datasets of the response; null if it depends on anything else, so that it is never cached. */
  readonly reads: Reads
  /** The grains that a checked input reads; each replaces its dataset in `reads`. Omitted: whole datasets. */
  readonly grains?: (input: unknown, context: RequestContext) => readonly DataPart[]
  /** The slug of the asset that the response is about, for the grains of its edges. Omitted: it is about none, or several. */
  readonly assetOf?: (input: unknown) => Slug
  /** The response depends on the clock or on a third party, so it has no ETag. Requires `reads` to be null. */
  readonly isVolatile?: true
  /** Clients must revalidate the response before each use. */
  readonly isAlwaysRevalidated?: true
  /** How the field answers as of the instant of `context.clock`; default: by its argument `release`, or not at all without one. */
  readonly clock?: ClockRule
  /** Checks the arguments before anything is charged; throws 422, 403 or 404 and returns the input of `resolve`. */
  readonly check: (args: Readonly<Record<string, unknown>>, context: RequestContext) => unknown
  /** Whether the request is a long poll, which no other request may wait for. */
  readonly waits: (input: unknown) => boolean
  /** Maximum number of rows for a checked input; default: the argument `limit`. */
  readonly rows?: (input: unknown, context: RequestContext) => number
  /** The call costs 1 unit per this many rows. Requires `rows`. Omitted: the rows do not matter. */
  readonly rowsPerUnit?: number
  /** The endpoint of a checked input, for a field that serves the answers of other endpoints. Omitted: this endpoint. */
  readonly forInput?: (input: unknown) => NarrowedEndpoint
}

/** An endpoint for one checked input. */
export interface NarrowedEndpoint extends EndpointSpec {
  /** The only object types that the response can have; absent: those of the field. */
  readonly types?: ReadonlySet<string>
}

/** A nested edge that REST serves as a separate endpoint. */
export interface EdgeSpec {
  readonly access: AccessRule
  /** The datasets of the edge. */
  readonly reads: readonly DatasetName[]
  /** The grains that it reads for one asset; each replaces its dataset in `reads`. Omitted: whole datasets. */
  readonly grains?: (slug: Slug, input: unknown, context: RequestContext) => readonly DataPart[]
  /** Checks the arguments once for all parents, before anything runs. */
  readonly check: (args: Readonly<Record<string, unknown>>, context: RequestContext) => unknown
  /** Maximum number of rows per parent; default: the argument `limit`. */
  readonly rows?: (input: unknown, context: RequestContext) => number
}

/** Bounds and examples of an argument for the documentation. Services do the checks. */
export interface ArgumentHints {
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly example?:
    | string
    | number
    | boolean
    | readonly string[]
    | Readonly<Record<string, string>>
    | readonly Readonly<Record<string, string>>[]
  /** Default that is computed per request, e.g. "30 days ago". */
  readonly defaultText?: string
  /** For a path parameter: text that does not parse as its type is a 404 with this message instead of a 422. */
  readonly notFoundText?: (text: string) => PublicText
}

/** The schema of a JSON object in a response, and its name in OpenAPI. */
export interface AnswerForm {
  readonly name: string
  /** A JSON Schema of draft 2020-12. */
  readonly schema: Readonly<Record<string, unknown>>
}

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the type parameters must repeat graphql's own declaration
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    endpoint?: EndpointSpec
    /** An edge is charged per 20 parents. */
    edge?: EdgeSpec
    /** Datasets that the field reads in addition to those of its endpoint or edge, or as a whole instead of grains. */
    reads?: readonly DatasetName[]
    /** The members of a JSON object, for OpenAPI. */
    answerForm?: AnswerForm
    /** Additional values that a row of this list counts as; default: ROW_VALUES. */
    rowValues?: number
  }
  interface GraphQLArgumentExtensions {
    hints?: ArgumentHints
  }
  interface GraphQLInputFieldExtensions {
    hints?: ArgumentHints
  }
}

/** Whether requests to the route have their arguments in a JSON body. */
export function hasBody({ method }: Pick<RestRoute, 'method'>): boolean {
  return method === 'POST' || method === 'PATCH'
}

/** Units of one call without its nested edges. */
export function unitsOf(
  { cost, rows, rowsPerUnit }: EndpointSpec,
  input: unknown,
  context: RequestContext,
): number {
  if (cost === 'free') return 0
  if (rows === undefined || rowsPerUnit === undefined) return 1
  return Math.max(1, Math.ceil(rows(input, context) / rowsPerUnit))
}

/** What a call with a checked input reads. */
export function readsOfCall(
  { reads, grains }: Pick<EndpointSpec, 'reads' | 'grains'>,
  input: unknown,
  context: RequestContext,
): readonly DataPart[] {
  return withGrains(reads ?? [], grains?.(input, context) ?? [])
}

/** Returns the endpoint of a root field; throws for a field without one. */
export function endpointOf(field: GraphQLField<unknown, unknown>): EndpointSpec {
  const endpoint = field.extensions.endpoint
  if (!endpoint)
    throw new Error(
      `Root field ${field.name} has no endpoint; declare it with queryEndpoint or mutationEndpoint.`,
    )
  return endpoint
}

export function hintsOf(argument: GraphQLArgument | GraphQLInputField): ArgumentHints {
  return argument.extensions.hints ?? {}
}
