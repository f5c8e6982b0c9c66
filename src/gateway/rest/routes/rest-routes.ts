import type { GraphQLSchema } from 'graphql'
import { type CompiledRoute, compileRoutes, type RestEndpoint, restEndpoints } from './rest-route.js'
import { RouteTable } from './route-table.js'
import { createSofaRoutes, type SofaRoutes } from './sofa-routes.js'

/** The REST routes of a schema. */
export interface RestRoutes {
  readonly schema: GraphQLSchema
  /** In schema order. */
  readonly endpoints: readonly RestEndpoint[]
  readonly table: RouteTable<CompiledRoute>
  readonly sofa: SofaRoutes
}

const routesOf = new WeakMap<GraphQLSchema, RestRoutes>()

/** Creates the routes of the REST sub-graph, once per schema. */
export function createRestRoutes(schema: GraphQLSchema): RestRoutes {
  const known = routesOf.get(schema)
  if (known !== undefined) return known
  const endpoints = restEndpoints(schema)
  const table = new RouteTable(endpoints.flatMap(compileRoutes))
  const routes = { schema, endpoints, table, sofa: createSofaRoutes(schema, endpoints) }
  routesOf.set(schema, routes)
  return routes
}
