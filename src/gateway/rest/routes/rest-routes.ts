import type { GraphQLSchema } from 'graphql'
import { type CompiledRoute, compileRoutes, type RestEndpoint, restEndpoints } from './rest-route.js'
import { RouteTable } from './route-table.js'
import { createSofaRoutes, type SofaRoutes } from './sofa-routes.js'

/** All that REST shows of a schema. */
export interface RestRoutes {
  readonly schema: GraphQLSchema
  /** In the order of the schema. */
  readonly endpoints: readonly RestEndpoint[]
  readonly table: RouteTable<CompiledRoute>
  readonly sofa: SofaRoutes
}

const routesOf = new WeakMap<GraphQLSchema, RestRoutes>()

/** The routes of the REST sub-graph, which holds only what REST may show; made once for each schema. */
export function createRestRoutes(schema: GraphQLSchema): RestRoutes {
  const known = routesOf.get(schema)
  if (known !== undefined) return known
  const endpoints = restEndpoints(schema)
  const table = new RouteTable(endpoints.flatMap(compileRoutes))
  const made = { schema, endpoints, table, sofa: createSofaRoutes(schema, endpoints) }
  routesOf.set(schema, made)
  return made
}
