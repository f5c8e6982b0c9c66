import { Request, Response } from '@whatwg-node/fetch'
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  Kind,
  parse,
  printType,
} from 'graphql'
import { createSofa, createSofaRouter } from 'sofa-api'
import type { RestEndpoint } from './rest-route.js'

/** Runs the document that SOFA has made of a route. What it gives becomes the body of SOFA's response. */
export type RunDocument = (document: DocumentNode, operationName: string | null) => Promise<ExecutionResult>

/** What SOFA answered. */
export interface SofaAnswer {
  readonly status: number
  /** JSON of the root field. */
  readonly text: string
}

/** Runs the route of an endpoint through SOFA's handler. */
export type SofaRoutes = (endpoint: RestEndpoint, run: RunDocument) => Promise<SofaAnswer>

/** What SOFA hands on from the call to the execution. */
interface SofaContext {
  readonly run: RunDocument
}

/**
 * SOFA on the REST sub-graph: it makes one document per root field, which selects everything that the sub-graph shows of
 * it, has it executed, and writes the value of the field as the response.
 *
 * SOFA sees each path as plain text (`/v1/assets/~id`) and no parameters: ours are read before it, more strictly. Its
 * webhook routes, which call any URL a caller names, and its OpenAPI stay out of reach.
 */
export function createSofaRoutes(schema: GraphQLSchema, endpoints: readonly RestEndpoint[]): SofaRoutes {
  const router = createRouter(schema, endpoints)
  // SOFA reads a request and changes nothing of it, so a route needs one.
  const requests = new Map(
    endpoints.map(({ field, rest }) => {
      const request = new Request(`http://sofa${sofaPath(rest.path)}`, { method: rest.method })
      return [field, request] as const
    }),
  )
  return async ({ field, rest }, run) => {
    const request = requests.get(field)
    if (request === undefined) throw new Error(`SOFA has no route ${rest.method} ${rest.path}`)
    const context: SofaContext = { run }
    const response = await router.handle(request, context)
    return { status: response.status, text: await response.text() }
  }
}

/** The document that SOFA has made of an endpoint. */
export async function buildRouteDocument(routes: SofaRoutes, endpoint: RestEndpoint): Promise<DocumentNode> {
  let made: DocumentNode | null = null
  await routes(endpoint, async (document) => {
    made = document
    return { data: null }
  })
  if (made === null) throw new Error(`SOFA did not execute ${endpoint.field.name}`)
  return made
}

function createRouter(schema: GraphQLSchema, endpoints: readonly RestEndpoint[]) {
  giveRootNodes(schema)
  const sofa = createSofa({
    basePath: '/',
    schema,
    routes: Object.fromEntries(endpoints.map(sofaRoute)),
    // Both types ask for text, but only a falsy value takes these endpoints away.
    openAPI: { endpoint: false as unknown as string },
    swaggerUI: { endpoint: false as unknown as string },
    // Errors get their form where the result is. The cast: feTS narrows the types of the same Response class.
    errorHandler: (() => Response.json(null, { status: 500 })) as never,
    context: (sofaContext) => sofaContext,
    execute: (({ document, operationName, contextValue }: ExecutionArgs) =>
      contextIn(contextValue).run(document, operationName ?? null)) as never, // typed as graphql's own, which has two forms
  })
  // With models SOFA would cut nested objects that have an id down to that id.
  return createSofaRouter({ ...sofa, models: [] })
}

/** Without its syntax node SOFA prints and parses a root type again for every argument of every field. */
function giveRootNodes(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    if (!type || type.astNode) continue
    const [node] = parse(printType(type), { noLocation: true }).definitions
    if (node?.kind === Kind.OBJECT_TYPE_DEFINITION) type.astNode = node
  }
}

function sofaRoute({ rootType, field, rest }: RestEndpoint) {
  return [`${rootType}.${field.name}`, { method: rest.method, path: sofaPath(rest.path) }] as const
}

/** A path without braces, colons and stars, which mean patterns to SOFA or are escaped in URLs. */
function sofaPath(template: string): string {
  return template.replaceAll('{', '~').replaceAll('}', '')
}

function contextIn(contextValue: unknown): SofaContext {
  // It was put there with the call; SOFA hands its server context on untyped.
  return contextValue as SofaContext
}
