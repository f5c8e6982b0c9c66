import { buildOperationNodeForField } from '@graphql-tools/utils'
import { type GraphQLSchema, Kind, type OperationDefinitionNode, OperationTypeNode, print } from 'graphql'
import { operationPath } from './operation-address.js'
import { type RestEndpoint, restEndpoints } from './rest-route.js'

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
export function publishedOperations(schema: GraphQLSchema): readonly PublishedOperation[] {
  return restEndpoints(schema).map((endpoint) => publishedOperation(schema, endpoint))
}

/**
 * The operation that SOFA makes for the route, which is what the route runs, under the name of its field: it selects all
 * that the REST sub-graph shows.
 */
export function publishedOperation(
  schema: GraphQLSchema,
  { field, rootType, rest }: RestEndpoint,
): PublishedOperation {
  const kind = rootType === 'Query' ? OperationTypeNode.QUERY : OperationTypeNode.MUTATION
  const made = buildOperationNodeForField({ schema, kind, field: field.name, models: [] })
  const operation: OperationDefinitionNode = { ...made, name: { kind: Kind.NAME, value: field.name } }
  const { method, path: route } = rest
  return { name: field.name, path: operationPath(field.name), text: `${print(operation)}\n`, method, route }
}
