import { ApiError } from '../core/errors.js'
import { Problems } from '../core/problems.js'
import { boundedText } from '../graphql/run/answer-text.js'
import type { Exchange, Reply } from '../platform/request/exchange.js'
import { JSON_HEADERS } from '../platform/request/json-type.js'
import type { RequestContext } from '../platform/request/request-context.js'
import type { Made, Prepared, Target, Transport } from '../platform/request/transport.js'
import { requireAccess } from '../policy/decide.js'
import { DRY_RUN_TYPE } from './openapi/request-headers.js'
import {
  type ArgumentValues,
  parseQuery,
  readPathValues,
  readQueryValues,
  unknownName,
} from './parameters/parameters.js'
import { readJsonBody } from './parameters/request-body.js'
import { isAcceptable } from './response/accept.js'
import { errorReply, settleErrors } from './response/error-body.js'
import { leavesOriginToHeader, originHeaders } from './response/origin-headers.js'
import { pageHeaders } from './response/page-links.js'
import { exportTable, exportTypeOf } from './response/table-export.js'
import type { CompiledRoute } from './routes/rest-route.js'
import type { RestRoutes } from './routes/rest-routes.js'
import { argumentsOf, contextOf } from './routes/route-operation.js'
import type { RouteMatch } from './routes/route-table.js'

export interface RestOptions {
  readonly routes: RestRoutes
  /** Where a higher tier can be had. */
  readonly upgradeUrl: string
}

const NO_FRAME = { head: '', tail: '' }

/** A route and the values of its arguments, for one request. */
interface Call {
  readonly exchange: Exchange
  readonly route: CompiledRoute
  readonly values: ArgumentValues
  /** What the route's field made of them. */
  readonly input: unknown
}

/** REST: each route is one root field, whose value is the body. */
export function createRestTransport({ routes, upgradeUrl }: RestOptions): Transport {
  return {
    name: 'rest',
    identify: (exchange) => {
      const match = matchOf(routes, exchange)
      if (match instanceof ApiError) return refusing(match)
      return {
        route: match.route.path,
        isOpen: match.route.endpoint.access === 'open',
        headers: match.route.headers,
        prepare: (context) => prepare(routes, match, exchange, context),
      }
    },
    frame: () => NO_FRAME,
    refuse: (error, exchange) => errorReply(settleErrors([error], exchange.log), exchange, upgradeUrl),
  }
}

function refusing(error: ApiError): Target {
  return { route: null, isOpen: false, headers: [], prepare: () => Promise.reject(error) }
}

/** Routes are known in memory, so this is all there is to match; what is wrong is refused once the caller is known. */
function matchOf(routes: RestRoutes, { method, path }: Exchange): RouteMatch<CompiledRoute> | ApiError {
  try {
    return routes.table.match(method, path)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

async function prepare(
  routes: RestRoutes,
  match: RouteMatch<CompiledRoute>,
  exchange: Exchange,
  context: RequestContext,
): Promise<Prepared> {
  const { route } = match
  const { endpoint, field } = route
  if (!isAcceptable(exchange.header('accept'), route.mediaTypes)) throw notAcceptable(route)
  // Access comes before arguments: without a key nobody learns how to ask rightly.
  requireAccess(context.principal, endpoint.access)
  const values = readArguments(match, exchange)
  const input: unknown = await endpoint.check(argumentsOf(route, values), context)
  const call: Call = { exchange, route, values, input }
  return {
    operation: field.name,
    price: route.price,
    reads: endpoint.reads ?? [],
    isCacheable: endpoint.reads !== null && route.rootType === 'Query',
    isWaiting: endpoint.waits(input),
    dryRun: (cost) => ({
      status: 200,
      headers: ['content-type', DRY_RUN_TYPE],
      body: JSON.stringify({ cost }),
    }),
    run: (own) => run(routes, call, own),
  }
}

/** Throws 422 with everything that is wrong in path, query string and body at once. */
function readArguments({ route, pathValues }: RouteMatch<CompiledRoute>, exchange: Exchange): ArgumentValues {
  const values: ArgumentValues = {}
  const problems = new Problems()
  const pairs = parseQuery(exchange.search)
  readPathValues(route.pathParameters, pathValues, values, problems)
  readQueryValues(route.queryParameters, pairs, values, problems, (name) => unknownParameter(route, name))
  if (route.body) readJsonBody(route.body, exchange, values, problems)
  problems.refuse()
  return values
}

function unknownParameter(route: CompiledRoute, name: string): string {
  if (route.body?.fields.has(name)) return 'belongs into the JSON body'
  if (route.pathParameters.has(name)) return `is part of the path: ${route.path}`
  return unknownName('parameter', name, [...route.queryParameters.keys()])
}

function notAcceptable({ mediaTypes }: CompiledRoute): ApiError {
  return new ApiError('not_acceptable', {
    message: `None of the media types asked for can be produced; these can: ${mediaTypes.join(', ')}.`,
  })
}

async function run(routes: RestRoutes, call: Call, context: RequestContext): Promise<Made> {
  const { route, values, input, exchange } = call
  const { field, endpoint } = route
  const runDocument = await routes.documentOf(route)
  const planned = { field: field.name, endpoint, units: route.price.units, input }
  const result = await runDocument(contextOf(context, planned), values)
  if (result.errors?.length) throw settleErrors(result.errors, exchange.log)
  const data: unknown = result.data?.[field.name]
  if (route.rest.status === 204) return made(204, [], null)
  // A service should have said what is missing; a bare null never leaves as a success.
  if (data === null || data === undefined) throw new ApiError('not_found')
  return madeOf(call, data)
}

function madeOf({ exchange, route, values, input }: Call, data: unknown): Made {
  const { table, page, rest } = route
  const paged = table === null ? [] : pageHeaders({ table, page, exchange, values, input, data })
  const type = table === null ? null : (route.exportType ?? exportTypeOf(exchange.header('accept')))
  if (table !== null && type !== null) {
    const file: Reply = exportTable(table, type, data, values)
    return { ...made(200, [...file.headers, ...paged], null), body: file.body }
  }
  const origin = leavesOriginToHeader(data) ? originHeaders(data) : []
  return made(rest.status ?? 200, [...JSON_HEADERS, ...origin, ...paged], boundedText(JSON.stringify(data)))
}

function made(status: number, headers: readonly string[], json: string | null): Made {
  return { status, headers, isComplete: true, json, body: null, refund: null }
}
