import { Response } from '@whatwg-node/fetch'
import type { GraphQLSchema } from 'graphql'
import { ApiError, invalid } from '../core/errors.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import type { DoorContext } from '../platform/door-context.js'
import { requireAccess } from '../policy/decide.js'
import { isAcceptable } from './accept.js'
import { linkHeader, pageOf } from './envelope-headers.js'
import { type ErrorBodyOptions, errorResponse, type Failure, settleErrors } from './error-body.js'
import {
  type ArgumentValues,
  parseQuery,
  type QueryPairs,
  readPathValues,
  readQueryValues,
  unknownName,
} from './parameters.js'
import { Problems } from './problems.js'
import { readBody } from './request-body.js'
import { type CompiledRoute, compileRoute, restEndpoints } from './rest-route.js'
import { type RouteMatch, RouteTable } from './route-table.js'
import { exportSeries, exportTypeOf } from './series-export.js'
import { createSofaRunner, type RunRoute } from './sofa-router.js'

/** What this door needs of the context that travels with a request. */
export type RestContext = Pick<DoorContext, 'requestId' | 'now' | 'log' | 'principal'>

export interface RestOptions {
  /** The REST sub-graph: only what REST may show. */
  readonly schema: GraphQLSchema
  /** Paths below these are REST's, known or not: ['/v1', '/auth']. */
  readonly prefixes: readonly string[]
  readonly errorBody: ErrorBodyOptions
}

/**
 * The REST door. Finds the route, reads its parameters strictly and runs it through SOFA within yoga's
 * envelope. Answers everything below the prefixes but OPTIONS, which belongs to CORS.
 */
export function useRest(options: RestOptions): DoorPlugin {
  const routes = restEndpoints(options.schema).map(compileRoute)
  const table = new RouteTable(routes)
  let run: RunRoute | null = null
  const isOurs = (path: string) =>
    options.prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  return {
    onYogaInit: ({ yoga }) => {
      run = createSofaRunner(options.schema, routes, yoga.getEnveloped)
    },
    // Not async: a request that is not ours must not wait for a promise.
    onRequest: ({ request, url, serverContext, endResponse }) => {
      if (run === null || request.method === 'OPTIONS' || !isOurs(url.pathname)) return
      return answer({ request, url, serverContext, table, run, options }).then(endResponse)
    },
  }
}

interface Exchange {
  readonly request: Request
  readonly url: URL
  readonly serverContext: RestContext
  readonly table: RouteTable<CompiledRoute>
  readonly run: RunRoute
  readonly options: RestOptions
}

async function answer(exchange: Exchange): Promise<Response> {
  const { request, url, serverContext, table, run } = exchange
  try {
    const match = table.match(request.method, url.pathname)
    const { route } = match
    if (!isAcceptable(request.headers.get('accept'), route.mediaTypes)) throw new ApiError('not_acceptable')
    // Who asks comes before what is asked: without a key nobody learns how to ask rightly.
    requireAccess(serverContext.principal, route.endpoint.access)
    const pairs = parseQuery(url.search)
    const values = await readArguments(match, pairs, request)
    const result = await run(route, request, serverContext, values)
    if ('errors' in result) return failed(result, exchange)
    const price = priceOf(result.extensions)
    if (price !== null) return Response.json({ cost: price })
    const response = responseOf(route, result, request, values)
    const link = linkOf(route, url, pairs, values, result.data)
    if (link !== null) response.headers.set('link', link)
    return response
  } catch (error) {
    return failed({ errors: [error], isExecuted: false }, exchange)
  }
}

interface Success {
  readonly response: Response
  readonly data: unknown
}

/** Throws 422 with everything that is wrong in path, query string and body at once. */
async function readArguments(
  { route, pathValues }: RouteMatch<CompiledRoute>,
  pairs: QueryPairs,
  request: Request,
): Promise<ArgumentValues> {
  const values: ArgumentValues = {}
  const problems = new Problems()
  readPathValues(route.pathParameters, pathValues, values, problems)
  readQueryValues(route.queryParameters, pairs, values, problems, (name) => unknownParameter(route, name))
  if (route.body) await readBody(route.body, request, values, problems)
  const [first, ...rest] = problems.list
  if (first) throw invalid(first, ...rest)
  return values
}

function unknownParameter(route: CompiledRoute, name: string): string {
  if (route.body?.fields.has(name)) return 'belongs into the JSON body'
  if (route.pathParameters.has(name)) return `is part of the path: ${route.path}`
  return unknownName('parameter', name, [...route.queryParameters.keys()])
}

function linkOf(
  route: CompiledRoute,
  url: URL,
  pairs: QueryPairs,
  values: ArgumentValues,
  data: unknown,
): string | null {
  return route.page ? linkHeader(url.pathname, pairs, pageOf(values, route.page), data) : null
}

function responseOf(
  route: CompiledRoute,
  result: Success,
  request: Request,
  values: ArgumentValues,
): Response {
  if (route.rest.status === 204) return new Response(null, { status: 204 })
  // A service should have said what is missing; a bare null never leaves as a success.
  if (result.data === null || result.data === undefined) throw new ApiError('not_found')
  const response = inPreferredType(route, result, request, values)
  if (request.method !== 'HEAD') return response
  return new Response(null, { status: response.status, headers: response.headers })
}

function inPreferredType(
  { series }: CompiledRoute,
  { response, data }: Success,
  request: Request,
  values: ArgumentValues,
): Response {
  if (series === null) return response
  const type = exportTypeOf(request.headers.get('accept'))
  const chosen = type === null ? response : exportSeries(series, type, data, values)
  chosen.headers.append('vary', 'accept')
  return chosen
}

/** What a dry run was told instead of data; null when the operation ran. */
function priceOf({ cost }: Readonly<Record<string, unknown>>): object | null {
  return typeof cost === 'object' && cost !== null && 'price' in cost ? cost : null
}

function failed(failure: Failure, { request, serverContext, options }: Exchange): Response {
  const { requestId, now, log } = serverContext
  const error = settleErrors(failure, log)
  return errorResponse(error, { ...options.errorBody, request, requestId, now })
}
