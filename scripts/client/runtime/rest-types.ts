/** What an operation of the OpenAPI document says, as openapi-typescript writes it. */
interface DocumentedOperation {
  readonly responses: unknown
}

/** Paths that have an operation with this method. */
export type PathOf<Paths, Method extends string> = {
  [Path in keyof Paths]: Paths[Path] extends Record<Method, DocumentedOperation> ? Path : never
}[keyof Paths] &
  string

export type OperationOf<Paths, Path extends keyof Paths, Method extends string> =
  Paths[Path] extends Record<Method, infer Operation> ? Operation : never

type JsonOf<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : null

/** The body of a success; null where it has none. */
export type BodyOf<Operation> = Operation extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses & (200 | 201 | 204)]>
  : never

type Given<Part> = [NonNullable<Part>] extends [never] ? {} : NonNullable<Part>
type PathParameters<Operation> = Operation extends { parameters: { path?: infer Part } } ? Given<Part> : {}
type QueryParameters<Operation> = Operation extends { parameters: { query?: infer Part } } ? Given<Part> : {}
type RequestBody<Operation> = Operation extends {
  requestBody?: { content: { 'application/json': infer Body } }
}
  ? Given<Body>
  : {}

/** Parameters of path and query and the members of the body, by name: a name is used once in an operation. */
export type ParametersOf<Operation> = PathParameters<Operation> &
  QueryParameters<Operation> &
  RequestBody<Operation>

/** The parameters may be left out where none is required. */
export type Arguments<Parameters, Options> = {} extends Parameters
  ? [parameters?: Parameters, options?: Options]
  : [parameters: Parameters, options?: Options]

/** Members of bodies that are lists. */
type List = 'data' | 'items' | 'events' | 'sessions' | 'days' | 'cards' | 'keys' | 'webhooks'

/** One row of a list, series or feed. */
export type RowOf<Body> = Body extends { data: { candles: readonly (infer Row)[] } }
  ? Row
  : Body extends { data: { rates: readonly (infer Row)[] } }
    ? Row
    : { [Name in List]: Body extends Record<Name, readonly (infer Row)[]> ? Row : never }[List]

/** Paths whose answers have rows. */
export type RowsPathOf<Paths> = {
  [Path in PathOf<Paths, 'get'>]: [RowOf<BodyOf<OperationOf<Paths, Path, 'get'>>>] extends [never]
    ? never
    : Path
}[PathOf<Paths, 'get'>]
