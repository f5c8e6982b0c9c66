import { type GraphQLSchema, Kind, print, visit } from 'graphql'
import { sha256Hex } from '../../../core/canonical-json.js'
import { operationPath } from './operation-address.js'
import type { RestEndpoint } from './rest-route.js'
import { createRestRoutes } from './rest-routes.js'
import { buildRouteDocument, type SofaRoutes } from './sofa-routes.js'

/** The GraphQL operation that is equivalent to a route. Its variables are the parameters of the route. */
export interface PublishedOperation {
  /** Name of the operation, of its root field, and of the OpenAPI operation. */
  readonly name: string
  /** The path of its text. */
  readonly path: string
  readonly text: string
  /** Method and path of the equivalent REST route. */
  readonly method: string
  readonly route: string
}

/** The operation of each route, in schema order. */
export function publishedOperations(schema: GraphQLSchema): Promise<readonly PublishedOperation[]> {
  const { endpoints, sofa } = createRestRoutes(schema)
  return Promise.all(endpoints.map((endpoint) => publishedOperation(sofa, endpoint)))
}

/** The texts of the published operations by SHA-256. */
export async function publishedTexts(schema: GraphQLSchema): Promise<ReadonlyMap<string, string>> {
  const operations = await publishedOperations(schema)
  return new Map(operations.map(({ text }) => [sha256Hex(text), text]))
}

/** Creates the operation from the document that SOFA runs for the route, and names it after the field. */
async function publishedOperation(sofa: SofaRoutes, endpoint: RestEndpoint): Promise<PublishedOperation> {
  const { field, rest } = endpoint
  const named = visit(await buildRouteDocument(sofa, endpoint), {
    OperationDefinition: (node) => ({ ...node, name: { kind: Kind.NAME, value: field.name } }),
  })
  const { method, path: route } = rest
  return { name: field.name, path: operationPath(field.name), text: `${print(named)}\n`, method, route }
}
