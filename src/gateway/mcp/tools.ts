import type { Tool } from '@modelcontextprotocol/server'
import { DATA_PREFIX } from '../paths.js'

/** A tool that calls one REST route. */
export interface RouteTool {
  readonly tool: Tool
  readonly route: {
    readonly method: 'GET' | 'POST'
    /** Path template with parameter names in braces. */
    readonly path: string
    readonly inPath: readonly string[]
  }
  /** Description with scope and price. */
  readonly details: string
  /** Words that people use for the result. */
  readonly keywords: readonly string[]
  /** Arguments of a call that works. */
  readonly example: Readonly<Record<string, unknown>>
}

/** Whether the operation takes the argument `limit`. */
export function hasLimit({ tool }: RouteTool): boolean {
  return 'limit' in (tool.inputSchema.properties ?? {})
}

const RECEIPT_OPTION = {
  type: 'boolean',
  default: false,
  description: 'Whether you want a signed receipt with the answer, which then is a text.',
} as const

/** Whether an argument of the operation itself is named `receipt`. */
function hasOwnReceipt({ tool }: RouteTool): boolean {
  return 'receipt' in (tool.inputSchema.properties ?? {})
}

/** A tool as agents call it directly: beside the arguments of its route it takes `receipt`. */
export function withReceiptOption(routeTool: RouteTool): Tool {
  const { tool } = routeTool
  if (hasOwnReceipt(routeTool)) return tool
  const properties = { ...tool.inputSchema.properties, receipt: RECEIPT_OPTION }
  return { ...tool, inputSchema: { ...tool.inputSchema, properties } }
}

/** Parts the option `receipt` of a direct call from the arguments of the route. */
export function partReceiptOption(
  routeTool: RouteTool,
  given: Readonly<Record<string, unknown>>,
): { readonly args: Readonly<Record<string, unknown>>; readonly wantsReceipt: boolean } {
  const { receipt, ...args } = given
  return typeof receipt !== 'boolean' || hasOwnReceipt(routeTool)
    ? { args: given, wantsReceipt: false }
    : { args, wantsReceipt: receipt }
}

/** The parts of an OpenAPI document that tools are created from. */
interface OpenApiRoutes {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
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
  readonly 'x-keywords'?: readonly string[]
}

interface OpenApiParameter {
  /** Set for a header that many operations share. Without it, the members below are set. */
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

type JsonSchema = Readonly<Record<string, unknown>>

/** The tools of an OpenAPI document as JSON text. Both are made when they are first needed. */
export function toolsOf(openApi: () => Promise<string>): () => Promise<readonly RouteTool[]> {
  let tools: Promise<readonly RouteTool[]> | undefined
  return () => (tools ??= openApi().then((text) => createTools(JSON.parse(text) as OpenApiRoutes))) // our own document
}

/** Creates a tool for each read-only route below /v1, with the name, description and arguments of the route. */
function createTools({ paths, components }: OpenApiRoutes): readonly RouteTool[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      path.startsWith(`${DATA_PREFIX}/`) && isQuery(operation)
        ? [createTool(path, method, operation, components.schemas)]
        : [],
    ),
  )
}

/** Exports have no GraphQL operation, so they get no tool. */
function isQuery(operation: OpenApiOperation): boolean {
  return operation['x-graphql']?.document.startsWith('query') ?? false
}

function createTool(
  path: string,
  method: string,
  operation: OpenApiOperation,
  schemas: OpenApiRoutes['components']['schemas'],
): RouteTool {
  const { operationId, summary, description } = operation
  const parameters = (operation.parameters ?? []).filter(({ $ref }) => $ref === undefined)
  const body = operation.requestBody?.content['application/json'].schema
  const inputSchema = inlined(body ?? parametersSchema(parameters), schemas) as JsonSchema // an object stays one
  return {
    tool: {
      name: operationId,
      title: summary,
      description: description.split('\n\n')[0] ?? summary,
      inputSchema: { ...inputSchema, type: 'object' },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    route: {
      method: method === 'post' ? 'POST' : 'GET',
      path,
      inPath: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    },
    details: description,
    keywords: operation['x-keywords'] ?? [],
    example: body === undefined ? exampleOfParameters(parameters) : exampleOfBody(inputSchema),
  }
}

function parametersSchema(parameters: readonly OpenApiParameter[]): JsonSchema {
  const properties = parameters.map(({ name, description, schema }) => [name, { ...schema, description }])
  return {
    properties: Object.fromEntries(properties),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

function exampleOfParameters(parameters: readonly OpenApiParameter[]): RouteTool['example'] {
  const required = parameters.filter((parameter) => parameter.required)
  return Object.fromEntries(required.map(({ name, example }) => [name, example]))
}

/** The required members, or the first with an example where none is required. */
function exampleOfBody({ properties, required }: JsonSchema): RouteTool['example'] {
  const members = properties as Readonly<Record<string, { readonly examples?: readonly unknown[] }>> // our own schema
  const shown = Object.keys(members).filter((name) => members[name]?.examples !== undefined)
  const names = (required as readonly string[] | undefined) ?? shown.slice(0, 1)
  return Object.fromEntries(names.map((name) => [name, members[name]?.examples?.[0]]))
}

const SCHEMA_PREFIX = '#/components/schemas/'

/** Replaces references by the schemas they name, because a tool's schema must be complete. Schemas of inputs are not recursive. */
function inlined(value: unknown, schemas: OpenApiRoutes['components']['schemas']): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...own } = value as { readonly $ref?: unknown }
  const members = Object.entries(own).map(([name, member]) => [name, inlined(member, schemas)])
  if (typeof $ref !== 'string') return Object.fromEntries(members)
  const target = schemas[$ref.slice(SCHEMA_PREFIX.length)]
  if (target === undefined) throw new Error(`OpenAPI has no schema ${$ref}`)
  return { ...(inlined(target, schemas) as object), ...Object.fromEntries(members) }
}
