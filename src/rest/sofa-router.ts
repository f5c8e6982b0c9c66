import { Request, Response } from '@whatwg-node/fetch'
import type { ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql'
import type { YogaServer } from 'graphql-yoga'
import { createSofa, createSofaRouter } from 'sofa-api'
import type { Failure } from './error-body.js'
import type { ArgumentValues } from './parameters.js'
import type { RestEndpoint } from './rest-route.js'

/** One request on its way through SOFA: what goes in, and what the execution gave. */
interface Ticket {
  readonly request: Request
  readonly serverContext: object
  readonly values: ArgumentValues
  outcome: SofaOutcome | null
}

/** What plugins add to a result beside its data. */
type Extensions = Readonly<Record<string, unknown>>

/** The answer SOFA made of the root field's value, or everything that failed. */
export type SofaAnswer =
  | { readonly response: Response; readonly data: unknown; readonly extensions: Extensions }
  | Failure

type SofaOutcome = { readonly data: unknown; readonly extensions: Extensions } | Failure

// Only the two members in use: the full type depends on the server and user contexts of the app.
type Enveloped = ReturnType<YogaServer<object, object>['getEnveloped']>
type GetEnveloped = (context: object) => Enveloped

/** Runs the prepared document of a route with values that are already checked. */
export type RunRoute = (
  route: RestEndpoint,
  request: Request,
  serverContext: object,
  values: ArgumentValues,
) => Promise<SofaAnswer>

/**
 * SOFA on the REST sub-graph: it prepares one document per root field and keeps the routes. Execution goes
 * through yoga's envelope, so that every plugin on context and execution serves REST too.
 *
 * SOFA sees each path as plain text (`/v1/assets/~id`) and no parameters: ours are read more strictly, one
 * look-up replaces its scan of patterns, and its webhook routes, which call any URL a caller names, stay out of reach.
 */
export function createSofaRunner(
  schema: GraphQLSchema,
  endpoints: readonly RestEndpoint[],
  getEnveloped: GetEnveloped,
): RunRoute {
  const router = createRouter(schema, endpoints, getEnveloped)
  return async (route, request, serverContext, values) => {
    const ticket: Ticket = { request, serverContext, values, outcome: null }
    const inner = new Request(`http://sofa${sofaPath(route.rest.path)}`, { method: route.rest.method })
    const response = await router.handle(inner, { ticket })
    const { outcome } = ticket
    if (outcome === null) throw new Error(`SOFA answered ${response.status} without executing`)
    if ('errors' in outcome) return outcome
    return { response, data: dataOf(outcome.data, route.field.name), extensions: outcome.extensions }
  }
}

function createRouter(schema: GraphQLSchema, endpoints: readonly RestEndpoint[], getEnveloped: GetEnveloped) {
  const running = new WeakMap<object, { readonly ticket: Ticket; readonly enveloped: Enveloped }>()
  const sofa = createSofa({
    basePath: '/',
    schema,
    routes: Object.fromEntries(endpoints.map(sofaRoute)),
    // Both types ask for text, but only a falsy value takes these endpoints away.
    openAPI: { endpoint: false as unknown as string },
    swaggerUI: { endpoint: false as unknown as string },
    // Never sent: the ticket holds the errors. The cast: feTS narrows the types of the same Response class.
    errorHandler: (() => Response.json(null, { status: 500 })) as never,
    context: async (sofaContext) => {
      const ticket = ticketOf(sofaContext)
      return await recorded(ticket, async () => {
        const initial = Object.assign(ticket.serverContext, { request: ticket.request })
        const enveloped = getEnveloped(initial)
        const context: object = await enveloped.contextFactory()
        running.set(context, { ticket, enveloped })
        return context
      })
    },
    // SOFA awaits the result, though its type is that of graphql's own execute.
    execute: ((args: ExecutionArgs) => execute(args, running.get(Object(args.contextValue)))) as never,
  })
  // With models SOFA would cut nested objects that have an id down to that id.
  return createSofaRouter({ ...sofa, models: [] })
}

async function execute(
  args: ExecutionArgs,
  call: { readonly ticket: Ticket; readonly enveloped: Enveloped } | undefined,
): Promise<ExecutionResult> {
  if (!call) throw new Error('SOFA executed with a context that is not ours')
  const { ticket, enveloped } = call
  return await recorded(ticket, async () => {
    const result: unknown = await enveloped.execute({ ...args, variableValues: ticket.values })
    if (!isResult(result)) throw new Error('a REST route can not stream')
    ticket.outcome = result.errors?.length
      ? { errors: result.errors, isExecuted: true }
      : { data: result.data, extensions: result.extensions ?? {} }
    return result
  })
}

/** Keeps what is thrown: SOFA hands its error handler the errors, but not the request they belong to. */
async function recorded<T>(ticket: Ticket, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    ticket.outcome = { errors: [error], isExecuted: false }
    throw error
  }
}

function sofaRoute({ rootType, field, rest }: RestEndpoint) {
  // The handler makes a 204 itself: SOFA writes a body whatever the status.
  const responseStatus = rest.status === 204 ? 200 : (rest.status ?? 200)
  return [
    `${rootType}.${field.name}`,
    { method: rest.method, path: sofaPath(rest.path), responseStatus },
  ] as const
}

/** A path without braces, colons and stars, which mean patterns to SOFA or are escaped in URLs. */
function sofaPath(template: string): string {
  return template.replaceAll('{', '~').replaceAll('}', '')
}

function ticketOf(sofaContext: object): Ticket {
  // The ticket was put there by the runner; SOFA hands its server context on untyped.
  return (sofaContext as { readonly ticket: Ticket }).ticket
}

function isResult(result: unknown): result is ExecutionResult {
  return typeof result === 'object' && result !== null && ('data' in result || 'errors' in result)
}

function dataOf(data: unknown, field: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>)[field] : null
}
