import type { ExecutionResult } from 'graphql'
import { ApiError } from '../../core/errors.js'
import { Problems } from '../../core/problems.js'
import { versionsText } from '../../platform/database/versions/data-version.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import { JSON_HEADERS, JSON_TYPE } from '../../platform/request/json-type.js'
import { prefersMinimal } from '../../platform/request/preference.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { PreparedOperation, RunResult, Target, Transport } from '../../platform/request/transport.js'
import { requireAccess } from '../../policy/decide.js'
import { readsOfCall } from '../../schema-kit/endpoint.js'
import type { EventLoopBudget } from '../../schema-kit/event-loop-budget.js'
import { atClock } from '../../schema-kit/pinned-release.js'
import type { GatewayYoga } from '../graphql/gateway-yoga.js'
import type { OperationContext } from '../graphql/operation-context.js'
import { answerText, boundedText } from '../graphql/run/answer-text.js'
import { DATASETS_PATH, STATUS_PATH } from '../paths.js'
import { DRY_RUN_TYPE } from './openapi/operation/request-headers.js'
import {
  type ArgumentValues,
  parsePathValues,
  parseQuery,
  parseQueryValues,
  unknownName,
} from './parameters/parameters.js'
import { readJsonBody } from './parameters/request-body.js'
import { releaseFiles } from './release-files/release-file.js'
import { isAcceptable } from './response/accept.js'
import { errorReply, mostSevereError, settleErrors } from './response/error-body.js'
import { type ExportMediaType, negotiateExportType } from './response/export-type.js'
import { takeFormat } from './response/format-parameter.js'
import { MINIMAL_HEADERS, withoutNulls } from './response/minimal.js'
import { pageHeaders } from './response/page-links.js'
import { leavesProvenanceToHeader, toProvenanceHeaders } from './response/provenance-headers.js'
import type { Table } from './response/table.js'
import { exportTable } from './response/table-export.js'
import { tooLargeText } from './response/too-large-text.js'
import type { CompiledRoute } from './routes/rest-route.js'
import type { RestRoutes } from './routes/rest-routes.js'
import {
  createRouteContext,
  routePriceOf,
  routeRowsOf,
  routeValuesOf,
  toFieldArguments,
} from './routes/route-operation.js'
import type { RouteMatch } from './routes/route-table.js'

export interface RestOptions {
  readonly routes: RestRoutes
  /** Runs the documents of the routes. */
  readonly yoga: Pick<GatewayYoga, 'execute'>
  /** URL where users can upgrade their tier; null if the operator names none. */
  readonly upgradeUrl: string | null
}

const NO_FRAME = { head: '', tail: '' }

/** A route and the values of its arguments, for one request. */
interface Call {
  readonly exchange: Exchange
  readonly route: CompiledRoute
  readonly values: ArgumentValues
  /** The arguments of the field, with its defaults. */
  readonly args: ArgumentValues
  /** The result of the field's `check`. */
  readonly input: unknown
  /** Units charged for the call. */
  readonly units: number
  /** Maximum number of values in the response. */
  readonly size: number
  /** The requested export; null for JSON. */
  readonly file: RequestedExport | null
}

interface RequestedExport {
  readonly table: Table
  readonly type: ExportMediaType
}

/** The REST transport. Each route is one root field, whose value is the response body. */
export function createRestTransport(options: RestOptions): Transport {
  const { routes, upgradeUrl } = options
  const releaseFile = releaseFiles(options)
  return {
    name: 'rest',
    identify: (exchange) => {
      const file = releaseFile(exchange)
      if (file !== null) return file
      const match = findRoute(routes, exchange)
      if (match instanceof ApiError) return rejectingTarget(match)
      return {
        route: match.route.path,
        operation: match.route.field.name,
        isOpen: match.route.endpoint.access === 'open',
        headers: match.route.headers,
        prepare: (context) => prepare(options, match, exchange, context),
      }
    },
    frame: () => NO_FRAME,
    refuse: (error, exchange) => errorReply(settleErrors([error], exchange.log), exchange, upgradeUrl),
  }
}

function rejectingTarget(error: ApiError): Target {
  return { route: null, isOpen: false, headers: [], prepare: () => Promise.reject(error) }
}

/** Returns the error instead of throwing it, because it is thrown after authentication. */
function findRoute(routes: RestRoutes, { method, path }: Exchange): RouteMatch<CompiledRoute> | ApiError {
  try {
    return routes.table.match(method, path === STATUS_PATH ? DATASETS_PATH : path)
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
  if (!isAcceptable(exchange.header('accept'), route.mediaTypes)) throw notAcceptable(route.mediaTypes)
  // Access is checked before arguments, so that callers without access learn nothing from argument errors.
  requireAccess(context.principal, endpoint.access)
  const values = readArguments(match, exchange)
  const file = requestedExport(route, takeFormat(values), exchange)
  const args = atClock(toFieldArguments(route, values), field, endpoint, context)
  const input: unknown = await endpoint.check(args, context)
  const price = routePriceOf(route, input, context)
  const rows = routeRowsOf(route, args, input, context)
  assertFits(route, rows, exchange.maxBytes)
  const size = routeValuesOf(route, rows)
  const call: Call = { exchange, route, values, args, input, units: price.units, size, file }
  return {
    operation: field.name,
    price,
    values: size,
    reads: readsOfCall(endpoint, input, context),
    isCacheable: endpoint.reads !== null && route.rootType === 'Query',
    isBodyTagged: isBodyTagged(route),
    isVolatile: endpoint.isVolatile === true,
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

/** Bytes of the members beside the rows, such as `meta`. */
const ENVELOPE_BYTES = 1_200

/** Throws a 422 before anything is charged or read if the rows would have more bytes than the client accepts. */
function assertFits({ field, table }: CompiledRoute, rows: number, maxBytes: number | undefined): void {
  if (maxBytes === undefined || table === null || rows * table.rowBytes <= maxBytes) return
  const fitting = Math.floor((maxBytes - ENVELOPE_BYTES) / table.rowBytes)
  const limit = field.args.some(({ name }) => name === 'limit') ? fitting : 0
  throw new ApiError('validation_error', {
    message: tooLargeText(
      `would have ${rows} rows and about ${rows * table.rowBytes} bytes`,
      maxBytes,
      limit,
    ),
  })
}

function isBodyTagged({ endpoint, rootType }: CompiledRoute): boolean {
  return endpoint.reads === null && endpoint.isVolatile !== true && rootType === 'Query'
}

/** Throws one 422 with all problems of path, query string and body. */
function readArguments({ route, pathValues }: RouteMatch<CompiledRoute>, exchange: Exchange): ArgumentValues {
  const values: ArgumentValues = {}
  const problems = new Problems()
  const pairs = parseQuery(exchange.search)
  parsePathValues(route.pathParameters, pathValues, values, problems)
  parseQueryValues(route.queryParameters, pairs, values, problems, (name) => unknownParameter(route, name))
  if (route.body) readJsonBody(route.body, exchange, values, problems)
  problems.refuse()
  return values
}

function unknownParameter(route: CompiledRoute, name: string): string {
  if (route.body?.fields.has(name)) return 'belongs in the JSON body'
  if (route.pathParameters.has(name)) return `is part of the path: ${route.path}`
  return unknownName('parameter', name, [...route.queryParameters.keys()])
}

function notAcceptable(mediaTypes: readonly string[]): ApiError {
  return new ApiError('not_acceptable', {
    message: `None of the requested media types can be produced; use one of: ${mediaTypes.join(', ')}.`,
  })
}

async function run({ routes, yoga }: RestOptions, call: Call, context: RequestContext): Promise<RunResult> {
  const { route, values, args: fieldArguments, input, units, size, file } = call
  const { field, endpoint } = route
  const planned = { field: field.name, endpoint, units, input }
  let result: ExecutionResult = {}
  let isMinimal = false
  let budget: EventLoopBudget | null = null
  const answer = await routes.sofa(route, async (document, operationName) => {
    const contextValue: OperationContext = createRouteContext(context, planned, fieldArguments, size)
    // SOFA does not see the parameters; they were parsed before.
    const args = { schema: routes.schema, document, operationName, variableValues: values, contextValue }
    result = await yoga.execute(args)
    if (file !== null) return {} // exports are written from the data, not from SOFA's text
    const minimal = prefersMinimal(call.exchange) ? withoutNulls(result.data?.[field.name]) : null
    isMinimal = minimal !== null
    if (minimal !== null) result = { ...result, data: { [field.name]: minimal } }
    budget = contextValue.budget ?? null
    return budget === null ? result : {} // large answers are written in slices
  })
  if (result.errors?.length) throw mostSevereError(result.errors)
  const data: unknown = result.data?.[field.name]
  if (route.rest.status === 204) return createResult(204, [], null)
  // Services throw a 404 with a message. A null without one must not become a successful response.
  if (data === null || data === undefined) throw new ApiError('not_found')
  const paged = pagedHeaders(call, data)
  if (file !== null) return createFileResult(call, file, data, paged, versionsOf(call, context))
  const provenance = leavesProvenanceToHeader(data) ? toProvenanceHeaders(data) : []
  return createResult(
    route.rest.status ?? (budget === null ? answer.status : 200),
    [...JSON_HEADERS, ...provenance, ...paged, ...(isMinimal ? MINIMAL_HEADERS : [])],
    budget === null ? boundedText(answer.text) : await answerText(data, budget),
  )
}

/** The export that the path, `format` or else `Accept` requests; null for JSON. Throws 406 if `Accept` excludes `format`. */
function requestedExport(
  { table, exportType }: CompiledRoute,
  format: ExportMediaType | typeof JSON_TYPE | undefined,
  exchange: Exchange,
): RequestedExport | null {
  if (table === null) return null
  const accept = exchange.header('accept')
  if (format !== undefined && !isAcceptable(accept, [format])) throw notAcceptable([format])
  if (format === JSON_TYPE) return null
  const type = exportType ?? format ?? negotiateExportType(accept)
  return type === null ? null : { table, type }
}

function pagedHeaders({ exchange, route, values, input }: Call, data: unknown): readonly string[] {
  const { table, page } = route
  return table === null ? [] : pageHeaders({ table, page, exchange, values, input, data })
}

/** A caller with a clock must not learn of later versions. */
function versionsOf({ route }: Call, { clock, datasets }: RequestContext): string {
  return clock === undefined ? versionsText(datasets, route.endpoint.reads ?? []) : ''
}

function createFileResult(
  { route, values }: Call,
  { table, type }: RequestedExport,
  data: unknown,
  paged: readonly string[],
  dataVersion: string,
): RunResult {
  const file: Reply = exportTable(type, { table, data, values, dataVersion })
  const tagText = isBodyTagged(route) ? { tagText: `${type} ${JSON.stringify(data)}` } : {}
  return { ...createResult(200, [...file.headers, ...paged], null), body: file.body, ...tagText }
}

function createResult(status: number, headers: readonly string[], json: string | null): RunResult {
  return { status, headers, isComplete: true, json, body: null, refund: null }
}
