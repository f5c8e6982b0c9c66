import type { GraphQLSchema } from 'graphql'
import { type CompiledRoute, compileRoute, restEndpoints } from './rest-route.js'
import { RouteTable } from './route-table.js'
import { createSofaDocuments, type PrepareOperation } from './sofa-documents.js'

/** All that REST shows of a schema: made once, whoever serves it. */
export interface RestRoutes {
  /** The REST sub-graph: only what REST may show. */
  readonly schema: GraphQLSchema
  readonly table: RouteTable<CompiledRoute>
  readonly prepare: PrepareOperation
}

export function createRestRoutes(schema: GraphQLSchema): RestRoutes {
  const routes = restEndpoints(schema).map(compileRoute)
  return { schema, table: new RouteTable(routes), prepare: createSofaDocuments(schema, routes) }
}
