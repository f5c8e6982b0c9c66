import { Request, Response } from '@whatwg-node/fetch'
import { type DocumentNode, type ExecutionArgs, type GraphQLSchema, Kind, parse, printType } from 'graphql'
import { createSofa, createSofaRouter } from 'sofa-api'
import type { RestEndpoint } from './rest-route.js'

/** What runs when a route is called. */
export interface PreparedOperation {
  readonly document: DocumentNode
  readonly operationName: string | null
}

export type PrepareOperation = (endpoint: RestEndpoint) => Promise<PreparedOperation>

interface Ticket {
  prepared: PreparedOperation | null
}

/**
 * SOFA on the REST sub-graph: it makes one document per root field, which selects everything the sub-graph shows of it.
 * A document is asked of SOFA by calling its route once, with an execution that only notes what would run; from then on
 * the route runs it without SOFA's request, router and response, which cost more than the execution.
 *
 * SOFA sees each path as plain text (`/v1/assets/~id`) and no parameters: ours are read more strictly, and its webhook
 * routes, which call any URL a caller names, stay out of reach.
 */
export function createSofaDocuments(
  schema: GraphQLSchema,
  endpoints: readonly RestEndpoint[],
): PrepareOperation {
  const router = createRouter(schema, endpoints)
  const prepared = new Map<RestEndpoint['field'], Promise<PreparedOperation>>()
  const prepare = async ({ rest }: RestEndpoint): Promise<PreparedOperation> => {
    const ticket: Ticket = { prepared: null }
    const call = new Request(`http://sofa${sofaPath(rest.path)}`, { method: rest.method })
    const response = await router.handle(call, { ticket })
    if (ticket.prepared === null) throw new Error(`SOFA answered ${response.status} without executing`)
    return ticket.prepared
  }
  return (endpoint) => {
    const known = prepared.get(endpoint.field) ?? prepare(endpoint)
    prepared.set(endpoint.field, known)
    return known
  }
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
    // The cast: feTS narrows the types of the same Response class.
    errorHandler: (() => Response.json(null, { status: 500 })) as never,
    context: (sofaContext) => sofaContext,
    execute: (({ document, operationName, contextValue }: ExecutionArgs) => {
      ticketOf(contextValue).prepared = { document, operationName: operationName ?? null }
      return { data: null }
    }) as never, // its type is that of graphql's own execute, which takes its arguments otherwise too
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

function ticketOf(contextValue: unknown): Ticket {
  // The ticket was put there with the call; SOFA hands its server context on untyped.
  return (contextValue as { readonly ticket: Ticket }).ticket
}
