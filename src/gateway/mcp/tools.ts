import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { DATA_PREFIX } from '../paths.js'

/** A tool and the REST route that it calls. */
export interface RouteTool extends Tool {
  readonly route: {
    readonly method: 'GET' | 'POST'
    /** Path template with parameter names in braces. */
    readonly path: string
    readonly inPath: readonly string[]
  }
}

/** The parts of an OpenAPI document that tools are created from. */
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
  /** Set for a header that many operations share. Without it, the members below are set. */
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
}

type JsonSchema = Readonly<Record<string, unknown>>

/** Creates a tool for each read-only route below /v1, with the name, description and arguments of the route. */
export function createTools({ paths }: OpenApiRoutes): readonly RouteTool[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      path.startsWith(`${DATA_PREFIX}/`) && isQuery(operation) ? [createTool(path, method, operation)] : [],
    ),
  )
}

/** Exports have no GraphQL operation, so they get no tool. */
function isQuery(operation: OpenApiOperation): boolean {
  return operation['x-graphql']?.document.startsWith('query') ?? false
}

function createTool(path: string, method: string, operation: OpenApiOperation): RouteTool {
  const { operationId, summary, description } = operation
  const parameters = (operation.parameters ?? []).filter(({ $ref }) => $ref === undefined)
  return {
    name: operationId,
    title: summary,
    description: description.split('\n\n')[0] ?? summary,
    inputSchema: createInputSchema(parameters, operation.requestBody?.content['application/json'].schema),
    annotations: { readOnlyHint: true, openWorldHint: false },
    route: {
      method: method === 'post' ? 'POST' : 'GET',
      path,
      inPath: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    },
  }
}

function createInputSchema(
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
