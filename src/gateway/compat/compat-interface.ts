import type { ApiError } from '../../core/errors.js'
import type { RouteTool } from '../mcp/tools.js'

/** A request of an interface's client. */
export interface CompatRequest {
  /** Decoded values of the parameters in the route's path. */
  readonly path: Readonly<Record<string, string>>
  /** Parameters of the query without a key. */
  readonly query: URLSearchParams
  /** The header Accept; empty without it. */
  readonly accept: string
  readonly now: Date
}

/** A body in the form of the original. */
export interface CompatBody {
  readonly type: string
  readonly text: string
  /** Further headers: lower-case names and values alternate. */
  readonly headers?: readonly string[]
}

/** The call of a published operation, and how its answer becomes the body. */
export interface TranslatedCall {
  /** Root field of the operation, whose route is a GET. */
  readonly operation: string
  /** Arguments of the operation as texts; a list may be joined by commas. */
  readonly args: Readonly<Record<string, string | readonly string[]>>
  /** Pure. Throws an ApiError, which is free of charge, if the original has no such answer. */
  toBody(answer: unknown): CompatBody
  /** The body shows an age, so it must be computed for each request. */
  readonly isVolatile?: true
  /** From this instant on the same request has another body: a new day. */
  readonly endsAt?: Date
}

/** A body about the operations themselves. */
export interface OperationsBody {
  describe(operations: readonly RouteTool[]): CompatBody
}

export interface CompatRoute {
  /** Path below the interface, with parameters in braces: /v1/{days}. */
  readonly path: string
  /** Pure. Throws an ApiError for a request that the original refuses. A body without the call of an operation is open and free. */
  translate(request: CompatRequest): TranslatedCall | CompatBody | OperationsBody
}

/** An error in the words of the gateway. */
export interface CompatFailure {
  readonly error: ApiError
  /** The text for the caller. */
  readonly message: string
  /** Path below the interface. */
  readonly path: string
  /** Parameters of the query without a key. */
  readonly query: URLSearchParams
}

/** How a client of the original is used with the gateway. In its text `{base}` is the address of the interface, `{key}` a key. */
export interface CompatUse {
  readonly client: string
  readonly text: string
}

/**
 * The interface of another service: each route translates a request into the call of a published operation and its answer into
 * the body of the original. Access, price, limits and lifetime are those of the operation.
 */
export interface CompatInterface {
  /** Name of the original. */
  readonly title: string
  /** What it serves, in one sentence. */
  readonly summary: string
  readonly routes: readonly CompatRoute[]
  /** Body and status of an error as the original has them. */
  toError(failure: CompatFailure): CompatBody & { readonly status: number }
  readonly uses: readonly CompatUse[]
}
