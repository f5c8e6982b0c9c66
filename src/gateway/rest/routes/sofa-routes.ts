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

/** Runs the document that SOFA created for a route. The result becomes the body of SOFA's response. */
export type RunDocument = (document: DocumentNode, operationName: string | null) => Promise<ExecutionResult>

/** SOFA's response. */
export interface SofaAnswer {
  readonly status: number
  /** JSON of the root field. */
  readonly text: string
}

/** Runs the route of an endpoint through SOFA's handler. */
export type SofaRoutes = (endpoint: RestEndpoint, run: RunDocument) => Promise<SofaAnswer>

/** The context that SOFA passes from the call to the execution. */
interface SofaContext {
  readonly run: RunDocument
}

/**
 * Runs SOFA on the REST sub-graph. SOFA creates one document per root field, which selects all its fields in the sub-graph,
 * executes it and writes the field's value as the response.
 *
 * SOFA sees each path as plain text (`/v1/assets/~id`) without parameters, because the gateway parses them before and more
 * strictly. SOFA's webhook routes, which would call any URL of a caller, and its OpenAPI are not reachable.
 */
export function createSofaRoutes(schema: GraphQLSchema, endpoints: readonly RestEndpoint[]): SofaRoutes {
  const router = createRouter(schema, endpoints)
  // SOFA does not modify requests, so one request per route is enough.
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
    // To a bare request the router adds a listener for each call, and all calls of a route share the request.
    const response = await router.handle({ request, ...context })
    return { status: response.status, text: await response.text() }
  }
}

/** Returns the document that SOFA created for an endpoint. */
export async function buildRouteDocument(routes: SofaRoutes, endpoint: RestEndpoint): Promise<DocumentNode> {
  let built: DocumentNode | null = null
  await routes(endpoint, async (document) => {
    built = document
    return { data: null }
  })
  if (built === null) throw new Error(`SOFA did not execute ${endpoint.field.name}`)
  return built
}

function createRouter(schema: GraphQLSchema, endpoints: readonly RestEndpoint[]) {
  giveRootNodes(schema)
  const sofa = createSofa({
    basePath: '/',
    schema,
    routes: Object.fromEntries(endpoints.map(sofaRoute)),
    openAPI: { endpoint: false },
    swaggerUI: { endpoint: false },
    // The REST handler formats errors from the result. The cast is needed because feTS narrows the type of Response.
    errorHandler: (() => Response.json(null, { status: 500 })) as never,
    context: (sofaContext) => sofaContext,
    execute: (({ document, operationName, contextValue }: ExecutionArgs) =>
      contextIn(contextValue).run(document, operationName ?? null)) as never, // typed as graphql's own, which has two forms
  })
  // With models SOFA would replace nested objects that have an id by the id.
  return createSofaRouter({ ...sofa, models: [] })
}

/** Adds syntax nodes to the root types. Without them SOFA prints and parses a root type for every argument of every field. */
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

/** Replaces braces, because SOFA treats braces, colons and stars as patterns or escapes them in URLs. */
function sofaPath(template: string): string {
  return template.replaceAll('{', '~').replaceAll('}', '')
}

function contextIn(contextValue: unknown): SofaContext {
  // SOFA passes the context of `router.handle` untyped.
  return contextValue as SofaContext
}
