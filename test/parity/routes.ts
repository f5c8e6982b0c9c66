import { getNamedType, getNullableType, isLeafType, isListType } from 'graphql'
import { ApiError } from '../../src/core/errors.js'
import type { RestEndpoint } from '../../src/gateway/rest/routes/rest-route.js'
import { restEndpoints } from '../../src/gateway/rest/routes/rest-route.js'
import { createRestRoutes } from '../../src/gateway/rest/routes/rest-routes.js'
import { restSchema } from '../../src/schema.js'
import { hintsOf } from '../../src/schema-kit/endpoint.js'
import { textReader } from '../../src/schema-kit/values/leaf-values.js'
import { type Endpoint, endpointsOf, type OpenApi } from '../fuzz/openapi.js'
import { encoded, type FuzzRequest } from '../fuzz/requests.js'

/** A REST route and the operation that is published for it, as the OpenAPI document has both. */
export interface ParityRoute {
  readonly name: string
  readonly endpoint: Endpoint
  readonly spec: RestEndpoint
  /** Text of the operation. */
  readonly document: string
  /** Each request changes something, so it has accounts of its own. */
  readonly isChange: boolean
  /** The first of two equal questions may ask a third party, and is charged for it; the other one is answered without. */
  readonly mayAskOthers: boolean
}

/** What is given for the parameters: texts of path and query, JSON of a body. */
export type Given = Readonly<Record<string, unknown>>

/** Every operation of the document that has a twin in GraphQL. */
export function parityRoutes(document: OpenApi): readonly ParityRoute[] {
  const specs = new Map(restEndpoints(restSchema).map((spec) => [spec.field.name, spec]))
  return endpointsOf(document, () => false).flatMap((endpoint) => {
    const twin = endpoint.operation['x-graphql']
    const spec = specs.get(endpoint.operation.operationId)
    if (twin === undefined || spec === undefined) return []
    const isChange = spec.rootType === 'Mutation'
    const mayAskOthers = spec.endpoint.isVolatile === true && spec.endpoint.cost !== 'free'
    return [{ name: twin.operation, endpoint, spec, document: twin.document, isChange, mayAskOthers }]
  })
}

/** `.` and `..`, and what clients take for a slash: an address cannot say them. */
const NO_SEGMENT = /^\.{0,2}$|\\|^(?:\.|%2e){1,2}$/i

const table = createRestRoutes(restSchema).table

/** Whether the values of the path lead to the route: not to a neighbour, such as /v1/assets/search, or to an export. */
export function isReachable(route: ParityRoute, given: Given): boolean {
  const inPath = route.endpoint.parameters.filter((parameter) => parameter.in === 'path')
  if (inPath.some(({ name }) => NO_SEGMENT.test(String(given[name])))) return false
  const [pathname = ''] = pathOf(route, given).split('?')
  try {
    const { route: found } = table.match(route.endpoint.method, pathname)
    return found.field.name === route.name && found.exportType === null
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** The request to the route. */
export function restRequest(route: ParityRoute, given: Given, headers: FuzzRequest['headers']): FuzzRequest {
  const { method, operation } = route.endpoint
  if (operation.requestBody === undefined) return { method, path: pathOf(route, given), headers, body: null }
  const inPath = new Set(route.endpoint.parameters.map(({ name }) => name))
  const body = Object.fromEntries(Object.entries(given).filter(([name]) => !inPath.has(name)))
  return {
    method,
    path: pathOf(route, given),
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

function pathOf({ endpoint: { path, parameters } }: ParityRoute, given: Given): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(String(given[name])))
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && given[parameter.name] !== undefined)
    .map(({ name }) => `${name}=${encoded(String(given[name]))}`)
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

/** The same through the operation: a text that is a value of its type goes as that value, any other as it is. */
export function graphqlRequest(
  route: ParityRoute,
  given: Given,
  headers: FuzzRequest['headers'],
): FuzzRequest {
  const inAddress = new Set(route.endpoint.parameters.map(({ name }) => name))
  const variables = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      inAddress.has(name) ? variableOf(route, name, String(value)) : value,
    ]),
  )
  return {
    method: 'POST',
    path: '/graphql',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
    },
    body: JSON.stringify({ query: route.document, variables }),
  }
}

function variableOf({ spec }: ParityRoute, name: string, text: string): unknown {
  const argument = spec.field.args.find((one) => one.name === name)
  const type = argument && getNamedType(argument.type)
  if (argument === undefined || !isLeafType(type))
    throw new Error(`${name} is no argument of ${spec.field.name}`)
  const reading = textReader(type)(text)
  const value = 'value' in reading ? reading.value : numberOr(text, type.name)
  return isListType(getNullableType(argument.type)) ? [value] : value
}

/** A whole number stays one, beyond the range of Int too: else the error would speak of its type. */
function numberOr(text: string, type: string): unknown {
  return type === 'Int' && /^-?\d+$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text
}

/** Parameters of the path whose wrong texts name nothing, so that REST answers 404. */
export function namesNothing({ spec }: ParityRoute, field: string): boolean {
  const argument = spec.field.args.find(({ name }) => name === field)
  return argument !== undefined && hintsOf(argument).notFoundText !== undefined
}
