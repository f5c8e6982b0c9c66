import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { DATA_PREFIX } from '../paths.js'

/** A tool, and the REST route that it asks. */
export interface RouteTool extends Tool {
  readonly route: {
    readonly method: 'GET' | 'POST'
    /** With the names of its parameters in braces. */
    readonly path: string
    readonly inPath: readonly string[]
  }
}

/** What is read of an OpenAPI document. */
export interface OpenApiRoutes {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
}

interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } }
  }
  readonly 'x-graphql'?: { readonly document: string }
}

interface OpenApiParameter {
  /** A header that many operations take; left out: its own words follow. */
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
}

type JsonSchema = Readonly<Record<string, unknown>>

/** A tool for each route below /v1 that only reads: its name, description and arguments are those of the REST route. */
export function createTools({ paths }: OpenApiRoutes): readonly RouteTool[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      path.startsWith(`${DATA_PREFIX}/`) && isQuery(operation) ? [toolOf(path, method, operation)] : [],
    ),
  )
}

/** Exports have no operation of their own: they are another form of the answer. */
function isQuery(operation: OpenApiOperation): boolean {
  return operation['x-graphql']?.document.startsWith('query') ?? false
}

function toolOf(path: string, method: string, operation: OpenApiOperation): RouteTool {
  const { operationId, summary, description } = operation
  const parameters = (operation.parameters ?? []).filter(({ $ref }) => $ref === undefined)
  return {
    name: operationId,
    title: summary,
    description: description.split('\n\n')[0] ?? summary,
    inputSchema: inputSchemaOf(parameters, operation.requestBody?.content['application/json'].schema),
    annotations: { readOnlyHint: true, openWorldHint: false },
    route: {
      method: method === 'post' ? 'POST' : 'GET',
      path,
      inPath: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    },
  }
}

function inputSchemaOf(
  parameters: readonly OpenApiParameter[],
  body: JsonSchema | undefined,
): Tool['inputSchema'] {
  if (body !== undefined) return { ...body, type: 'object' }
  const properties = parameters.map(({ name, description, schema }) => [name, { ...schema, description }])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}
