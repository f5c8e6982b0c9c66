import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql'
import { OFFSET_LIMITS, type OffsetPage } from '../../../core/page.js'
import { FREE, type Price } from '../../../policy/price.js'
import { type EndpointSpec, endpointOf, type RestRoute } from '../../../schema-kit/endpoint.js'
import { compileTextParameter, type TextParameter } from '../parameters/parameters.js'
import { type BodyShape, compileBody } from '../parameters/request-body.js'
import { DEFAULT_MEDIA_TYPES } from '../response/accept.js'
import { compileTable, type Table } from '../response/table.js'
import { EXPORT_MEDIA_TYPES, EXTENSIONS, type ExportMediaType } from '../response/table-export.js'
import { operationLink } from './operation-address.js'
import { parameterName } from './route-table.js'

/** A root field with its REST face; everything a request needs of it is worked out once, at start. */
export interface RestEndpoint {
  readonly field: GraphQLField<unknown, unknown>
  /** Name of the root type: Query or Mutation. */
  readonly rootType: string
  readonly endpoint: EndpointSpec
  readonly rest: RestRoute
}

/** An endpoint with its parameters compiled. */
export interface CompiledRoute extends RestEndpoint {
  readonly method: RestRoute['method']
  readonly path: string
  readonly pathParameters: ReadonlyMap<string, TextParameter>
  readonly queryParameters: ReadonlyMap<string, TextParameter>
  /** Null where the method carries no body. */
  readonly body: BodyShape | null
  /** Limit and offset where the caller names none; null where the answer is not paged by them or by page. */
  readonly page: OffsetPage | null
  /** What can be exported as a file; null where the answer is no list or series. */
  readonly table: Table | null
  /** What the path asks for; null where `Accept` decides. */
  readonly exportType: ExportMediaType | null
  readonly mediaTypes: readonly string[]
  /** Headers of each success: the link to the GraphQL operation with the same answer. */
  readonly headers: readonly string[]
  readonly price: Price
}

/** Every root field that has a route, in the order of the schema. */
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

/** The arguments of an endpoint by the place they come from. */
export function argumentsByPlace({ field, rest }: RestEndpoint) {
  const inPath = new Set(rest.path.split('/').map(parameterName))
  const others = field.args.filter((argument) => !inPath.has(argument.name))
  return {
    path: field.args.filter((argument) => inPath.has(argument.name)),
    query: rest.method === 'POST' ? [] : others,
    body: rest.method === 'POST' ? others : [],
  }
}

/** The path of a table as a file: /v1/forex.csv. */
export function exportPath(path: string, type: ExportMediaType): string {
  return `${path}.${EXTENSIONS[type]}`
}

/** The route of an endpoint and those of its exports. Throws as `compileRoute`. */
export function compileRoutes(endpoint: RestEndpoint): readonly CompiledRoute[] {
  const route = compileRoute(endpoint)
  if (route.table === null) return [route]
  const files = EXPORT_MEDIA_TYPES.map((type): CompiledRoute => {
    return { ...route, path: exportPath(route.path, type), exportType: type, mediaTypes: [type] }
  })
  return [route, ...files]
}

/** Throws for a route whose path names no argument, that is paged without its arguments, or whose table is none. */
function compileRoute(endpoint: RestEndpoint): CompiledRoute {
  const { field, rest } = endpoint
  const { path, query, body } = argumentsByPlace(endpoint)
  const named = rest.path.split('/').filter((segment) => parameterName(segment) !== null)
  if (named.length !== path.length) throw new Error(`${rest.path} names what is no argument of ${field.name}`)
  return {
    ...endpoint,
    method: rest.method,
    path: rest.path,
    pathParameters: new Map(path.map((argument) => [argument.name, compileTextParameter(argument)])),
    queryParameters: new Map(query.map((argument) => [argument.name, compileTextParameter(argument)])),
    body: rest.method === 'POST' ? compileBody(body) : null,
    page: pageDefaults(field, rest),
    table: rest.table ? compileTable(field, rest.table) : null,
    exportType: null,
    mediaTypes: rest.table ? [...DEFAULT_MEDIA_TYPES, ...EXPORT_MEDIA_TYPES] : DEFAULT_MEDIA_TYPES,
    headers: operationLink(field.name),
    price: priceOf(endpoint),
  }
}

function priceOf({ endpoint, field }: RestEndpoint): Price {
  if (endpoint.cost === 'free') return FREE
  return {
    fields: [{ field: field.name, units: 1 }],
    units: 1,
    discovers: endpoint.cost === 'discover' ? 1 : 0,
  }
}

function pageDefaults(field: GraphQLField<unknown, unknown>, { table }: RestRoute): OffsetPage | null {
  const by = table?.paging?.by
  if (by !== 'offset' && by !== 'page') return null
  const limit = field.args.find((argument) => argument.name === 'limit')
  const place = field.args.find((argument) => argument.name === by)
  if (!limit || !place) throw new Error(`${field.name} is paged but has no limit and ${by}`)
  const offset = by === 'offset' ? place.defaultValue : 0 // the first page begins there
  return {
    limit: typeof limit.defaultValue === 'number' ? limit.defaultValue : OFFSET_LIMITS.default,
    offset: typeof offset === 'number' ? offset : 0,
  }
}
