import { type GraphQLSchema, Kind, print, visit } from 'graphql'
import { sha256Hex } from '../../../core/canonical-json.js'
import { operationPath } from './operation-address.js'
import type { RestEndpoint } from './rest-route.js'
import { createRestRoutes } from './rest-routes.js'
import { buildRouteDocument, type SofaRoutes } from './sofa-routes.js'

/** The GraphQL operation that gives what a route answers; the variables are the parameters of the route. */
export interface PublishedOperation {
  /** Name of the operation, of its root field, and of the OpenAPI operation. */
  readonly name: string
  /** Where its text is served. */
  readonly path: string
  readonly text: string
  /** The route that does the same in REST. */
  readonly method: string
  readonly route: string
}

/** The operation of each route, in the order of the schema. */
export function publishedOperations(schema: GraphQLSchema): Promise<readonly PublishedOperation[]> {
  const { endpoints, sofa } = createRestRoutes(schema)
  return Promise.all(endpoints.map((endpoint) => publishedOperation(sofa, endpoint)))
}

/** The texts of these operations by their SHA-256. */
export async function publishedTexts(schema: GraphQLSchema): Promise<ReadonlyMap<string, string>> {
  const operations = await publishedOperations(schema)
  return new Map(operations.map(({ text }) => [sha256Hex(text), text]))
}

/** The document that the route runs, which SOFA made, under the name of its field. */
async function publishedOperation(sofa: SofaRoutes, endpoint: RestEndpoint): Promise<PublishedOperation> {
  const { field, rest } = endpoint
  const named = visit(await buildRouteDocument(sofa, endpoint), {
    OperationDefinition: (node) => ({ ...node, name: { kind: Kind.NAME, value: field.name } }),
  })
  const { method, path: route } = rest
  return { name: field.name, path: operationPath(field.name), text: `${print(named)}\n`, method, route }
}
