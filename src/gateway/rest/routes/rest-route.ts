import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql'
import { OFFSET_LIMITS, type OffsetPage } from '../../../core/page.js'
import { type EndpointSpec, endpointOf, hasBody, type RestRoute } from '../../../schema-kit/endpoint.js'
import { compileTextParameter, type TextParameter } from '../parameters/parameters.js'
import { type BodyShape, compileBody } from '../parameters/request-body.js'
import { DEFAULT_MEDIA_TYPES } from '../response/accept.js'
import { EXPORT_MEDIA_TYPES, EXTENSIONS, type ExportMediaType } from '../response/export-type.js'
import { FORMAT, FORMAT_PARAMETER } from '../response/format-parameter.js'
import { compileTable, type Table } from '../response/table.js'
import { operationLink } from './operation-address.js'
import { parameterName } from './route-table.js'

/** A root field with a REST route. */
export interface RestEndpoint {
  readonly field: GraphQLField<unknown, unknown>
  /** Name of the root type: Query or Mutation. */
  readonly rootType: string
  readonly endpoint: EndpointSpec
  readonly rest: RestRoute
}

/** A route with compiled parameters. Compiled once at start. */
export interface CompiledRoute extends RestEndpoint {
  readonly method: RestRoute['method']
  readonly path: string
  readonly pathParameters: ReadonlyMap<string, TextParameter>
  readonly queryParameters: ReadonlyMap<string, TextParameter>
  /** Null if the method has no body. */
  readonly body: BodyShape | null
  /** Default limit and offset; null if the route has no pages by offset or number. */
  readonly page: OffsetPage | null
  /** The table that can be exported; null if the response is no list or series. */
  readonly table: Table | null
  /** The export format of the path; null if `format` or `Accept` decides. */
  readonly exportType: ExportMediaType | null
  readonly mediaTypes: readonly string[]
  /** Headers of each successful response: the link to the equivalent GraphQL operation. */
  readonly headers: readonly string[]
}

/** Every root field that has a route, in schema order. */
export function restEndpoints(schema: GraphQLSchema): readonly RestEndpoint[] {
  return [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    type ? endpointsOfType(type) : [],
  )
}

function endpointsOfType(type: GraphQLObjectType): readonly RestEndpoint[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const endpoint = endpointOf(field)
    return endpoint.rest ? [{ field, rootType: type.name, endpoint, rest: endpoint.rest }] : []
  })
}

/** Groups the arguments of an endpoint by location: path, query string or body. */
export function argumentsByPlace({ field, rest }: RestEndpoint) {
  const inPath = new Set(rest.path.split('/').map(parameterName))
  const others = field.args.filter((argument) => !inPath.has(argument.name))
  return {
    path: field.args.filter((argument) => inPath.has(argument.name)),
    query: hasBody(rest) ? [] : others,
    body: hasBody(rest) ? others : [],
  }
}

/** The path of an export, e.g. /v1/forex.csv. */
export function exportPath(path: string, type: ExportMediaType): string {
  return `${path}.${EXTENSIONS[type]}`
}

/** Compiles the route of an endpoint and those of its exports. Throws like `compileRoute`. */
export function compileRoutes(endpoint: RestEndpoint): readonly CompiledRoute[] {
  const route = compileRoute(endpoint)
  if (route.table === null) return [route]
  const files = EXPORT_MEDIA_TYPES.map((type): CompiledRoute => {
    return { ...route, path: exportPath(route.path, type), exportType: type, mediaTypes: [type] }
  })
  if (route.queryParameters.has(FORMAT)) throw new Error(`${route.field.name} has an argument ${FORMAT}.`)
  const queryParameters = new Map([...route.queryParameters, [FORMAT, FORMAT_PARAMETER]])
  return [{ ...route, queryParameters }, ...files]
}

/** Throws if the path has a parameter that is no argument, if paging arguments are missing, or if the table is invalid. */
function compileRoute(endpoint: RestEndpoint): CompiledRoute {
  const { field, rest } = endpoint
  const { path, query, body } = argumentsByPlace(endpoint)
  const named = rest.path.split('/').filter((segment) => parameterName(segment) !== null)
  if (named.length !== path.length)
    throw new Error(`${rest.path} has a parameter that is not an argument of ${field.name}.`)
  return {
    ...endpoint,
    method: rest.method,
    path: rest.path,
    pathParameters: new Map(path.map((argument) => [argument.name, compileTextParameter(argument)])),
    queryParameters: new Map(query.map((argument) => [argument.name, compileTextParameter(argument)])),
    body: hasBody(rest) ? compileBody(body) : null,
    page: pageDefaults(field, rest),
    table: rest.table ? compileTable(field, rest.table) : null,
    exportType: null,
    mediaTypes: rest.table ? [...DEFAULT_MEDIA_TYPES, ...EXPORT_MEDIA_TYPES] : DEFAULT_MEDIA_TYPES,
    headers: operationLink(field.name),
  }
}

function pageDefaults(field: GraphQLField<unknown, unknown>, { table }: RestRoute): OffsetPage | null {
  const by = table?.paging?.by
  if (by !== 'offset' && by !== 'page') return null
  const limit = field.args.find((argument) => argument.name === 'limit')
  const start = field.args.find((argument) => argument.name === by)
  if (!limit || !start) throw new Error(`${field.name} has pages, but lacks the argument limit or ${by}.`)
  const offset = by === 'offset' ? start.defaultValue : 0 // the first page has offset 0
  return {
    limit: typeof limit.defaultValue === 'number' ? limit.defaultValue : OFFSET_LIMITS.default,
    offset: typeof offset === 'number' ? offset : 0,
  }
}
