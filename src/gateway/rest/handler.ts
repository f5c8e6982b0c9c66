import type { ExecutionResult } from 'graphql'
import { ApiError } from '../../core/errors.js'
import { Problems } from '../../core/problems.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import { JSON_HEADERS } from '../../platform/request/json-type.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { PreparedOperation, RunResult, Target, Transport } from '../../platform/request/transport.js'
import { requireAccess } from '../../policy/decide.js'
import type { GatewayYoga } from '../graphql/gateway-yoga.js'
import { boundedText } from '../graphql/run/answer-text.js'
import { DRY_RUN_TYPE } from './openapi/request-headers.js'
import {
  type ArgumentValues,
  parsePathValues,
  parseQuery,
  parseQueryValues,
  unknownName,
} from './parameters/parameters.js'
import { parseJsonBody } from './parameters/request-body.js'
import { isAcceptable } from './response/accept.js'
import { errorReply, mostSevereError, settleErrors } from './response/error-body.js'
import { pageHeaders } from './response/page-links.js'
import { leavesProvenanceToHeader, toProvenanceHeaders } from './response/provenance-headers.js'
import type { Table } from './response/table.js'
import { type ExportMediaType, exportTable, negotiateExportType } from './response/table-export.js'
import type { CompiledRoute } from './routes/rest-route.js'
import type { RestRoutes } from './routes/rest-routes.js'
import { createRouteContext, toFieldArguments } from './routes/route-operation.js'
import type { RouteMatch } from './routes/route-table.js'

export interface RestOptions {
  readonly routes: RestRoutes
  /** Runs the documents of the routes. */
  readonly yoga: Pick<GatewayYoga, 'execute'>
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
export function createRestTransport(options: RestOptions): Transport {
  const { routes, upgradeUrl } = options
  return {
    name: 'rest',
    identify: (exchange) => {
      const match = matchOf(routes, exchange)
      if (match instanceof ApiError) return refusing(match)
      return {
        route: match.route.path,
        isOpen: match.route.endpoint.access === 'open',
        headers: match.route.headers,
        prepare: (context) => prepare(options, match, exchange, context),
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
  options: RestOptions,
  match: RouteMatch<CompiledRoute>,
  exchange: Exchange,
  context: RequestContext,
): Promise<PreparedOperation> {
  const { route } = match
  const { endpoint, field } = route
  if (!isAcceptable(exchange.header('accept'), route.mediaTypes)) throw notAcceptable(route)
  // Access comes before arguments: without a key nobody learns how to ask rightly.
  requireAccess(context.principal, endpoint.access)
  const values = readArguments(match, exchange)
  const input: unknown = await endpoint.check(toFieldArguments(route, values), context)
  const call: Call = { exchange, route, values, input }
  return {
    operation: field.name,
    price: route.price,
    reads: endpoint.reads ?? [],
    isCacheable: endpoint.reads !== null && route.rootType === 'Query',
    isBodyTagged: isBodyTagged(route),
    isUnsteady: endpoint.isUnsteady === true,
    isAlwaysRevalidated: endpoint.isAlwaysRevalidated === true,
    isWaiting: endpoint.waits(input),
    dryRun: (cost) => ({
      status: 200,
      headers: ['content-type', DRY_RUN_TYPE],
      body: JSON.stringify({ cost }),
    }),
    run: (own) => run(options, call, own),
  }
}

function isBodyTagged({ endpoint, rootType }: CompiledRoute): boolean {
  return endpoint.reads === null && endpoint.isUnsteady !== true && rootType === 'Query'
}

/** Throws 422 with everything that is wrong in path, query string and body at once. */
function readArguments({ route, pathValues }: RouteMatch<CompiledRoute>, exchange: Exchange): ArgumentValues {
  const values: ArgumentValues = {}
  const problems = new Problems()
  const pairs = parseQuery(exchange.search)
  parsePathValues(route.pathParameters, pathValues, values, problems)
  parseQueryValues(route.queryParameters, pairs, values, problems, (name) => unknownParameter(route, name))
  if (route.body) parseJsonBody(route.body, exchange, values, problems)
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
    message: `None of the requested media types can be produced; these can: ${mediaTypes.join(', ')}.`,
  })
}

async function run({ routes, yoga }: RestOptions, call: Call, context: RequestContext): Promise<RunResult> {
  const { route, values, input } = call
  const { field, endpoint } = route
  const planned = { field: field.name, endpoint, units: route.price.units, input }
  const file = fileOf(call)
  let result: ExecutionResult = {}
  const answer = await routes.sofa(route, async (document, operationName) => {
    const contextValue = createRouteContext(context, planned)
    // The parameters were read before SOFA.
    const args = { schema: routes.schema, document, operationName, variableValues: values, contextValue }
    result = await yoga.execute(args)
    return file === null ? result : {} // a file is written from the data itself
  })
  if (result.errors?.length) throw mostSevereError(result.errors)
  const data: unknown = result.data?.[field.name]
  if (route.rest.status === 204) return made(204, [], null)
  // A service should have said what is missing; a bare null never leaves as a success.
  if (data === null || data === undefined) throw new ApiError('not_found')
  const paged = pagedHeaders(call, data)
  if (file !== null) return madeFile(call, file, data, paged)
  const origin = leavesProvenanceToHeader(data) ? toProvenanceHeaders(data) : []
  return made(
    route.rest.status ?? answer.status,
    [...JSON_HEADERS, ...origin, ...paged],
    boundedText(answer.text),
  )
}

/** What is asked for as a file, by path or `Accept`; null: JSON. */
function fileOf({ route, exchange }: Call): RequestedExport | null {
  const { table } = route
  if (table === null) return null
  const type = route.exportType ?? negotiateExportType(exchange.header('accept'))
  return type === null ? null : { table, type }
}

interface RequestedExport {
  readonly table: Table
  readonly type: ExportMediaType
}

function pagedHeaders({ exchange, route, values, input }: Call, data: unknown): readonly string[] {
  const { table, page } = route
  return table === null ? [] : pageHeaders({ table, page, exchange, values, input, data })
}

function madeFile(
  { route, values }: Call,
  { table, type }: RequestedExport,
  data: unknown,
  paged: readonly string[],
): RunResult {
  const file: Reply = exportTable(table, type, data, values)
  const tagText = isBodyTagged(route) ? { tagText: `${type} ${JSON.stringify(data)}` } : {}
  return { ...made(200, [...file.headers, ...paged], null), body: file.body, ...tagText }
}

function made(status: number, headers: readonly string[], json: string | null): RunResult {
  return { status, headers, isComplete: true, json, body: null, refund: null }
}
