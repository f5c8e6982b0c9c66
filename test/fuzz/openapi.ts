/** The parts of an OpenAPI document that requests are made from. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

export interface Operation {
  readonly operationId: string
  /** The GraphQL operation with the same answer. */
  readonly 'x-graphql'?: { readonly operation: string; readonly document: string }
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Response | Reference>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required?: boolean
  readonly schema: Schema
  readonly example?: unknown
}

export interface Reference {
  readonly $ref: string
}

export interface Response {
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, unknown>>
}

export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly items?: Schema
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** One operation of the document, with its place. */
export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  readonly parameters: readonly Parameter[]
}

/** All operations but those that a predicate leaves out. */
export function endpointsOf(
  document: OpenApi,
  isLeftOut: (method: string, path: string) => boolean,
): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      if (isLeftOut(method, path)) return []
      const parameters = (operation.parameters ?? []).map((given) => parameterOf(document, given))
      return { method: method.toUpperCase(), path, operation, parameters }
    }),
  )
}

function parameterOf(document: OpenApi, given: Parameter | Reference): Parameter {
  if (!('$ref' in given)) return given
  const found = document.components.parameters[nameOf(given)]
  if (found === undefined) throw new Error(`${given.$ref} is not in the document`)
  return found
}

/** A response and where in the document it is. */
export interface Found {
  readonly response: Response
  readonly pointer: readonly string[]
}

/** The response of a status, and where in the document it is; null: the operation has none. */
export function responseOf(
  document: OpenApi,
  { path, method, operation }: Endpoint,
  status: number,
): Found | null {
  const given = operation.responses[status]
  if (given === undefined) return null
  if (!('$ref' in given)) {
    return { response: given, pointer: ['paths', path, method.toLowerCase(), 'responses', String(status)] }
  }
  const response = document.components.responses[nameOf(given)]
  if (response === undefined) throw new Error(`${given.$ref} is not in the document`)
  return { response, pointer: ['components', 'responses', nameOf(given)] }
}

function nameOf({ $ref }: Reference): string {
  return $ref.split('/').at(-1) ?? ''
}
