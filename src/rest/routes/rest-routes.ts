import type { GraphQLSchema } from 'graphql'
import { type CompiledRoute, compileRoutes, restEndpoints } from './rest-route.js'
import { compileDocument, type RunDocument } from './route-operation.js'
import { RouteTable } from './route-table.js'
import { createSofaDocuments } from './sofa-documents.js'

/** All that REST shows of a schema. */
export interface RestRoutes {
  readonly table: RouteTable<CompiledRoute>
  /** SOFA's document of a route, compiled when it is first asked for. */
  documentOf(route: CompiledRoute): RunDocument | Promise<RunDocument>
}

const routesOf = new WeakMap<GraphQLSchema, RestRoutes>()

/** The routes of the REST sub-graph, which holds only what REST may show; made once for each schema. */
export function createRestRoutes(schema: GraphQLSchema): RestRoutes {
  const routes = routesOf.get(schema) ?? makeRoutes(schema)
  routesOf.set(schema, routes)
  return routes
}

function makeRoutes(schema: GraphQLSchema): RestRoutes {
  const endpoints = restEndpoints(schema)
  const routes = endpoints.flatMap(compileRoutes)
  const documentOf = createSofaDocuments(schema, endpoints)
  const compiled = new Map<CompiledRoute['field'], RunDocument>()
  return {
    table: new RouteTable(routes),
    documentOf: (route) =>
      compiled.get(route.field) ??
      documentOf(route).then((prepared) => {
        const run = compiled.get(route.field) ?? compileDocument(schema, route.rootType, prepared)
        compiled.set(route.field, run)
        return run
      }),
  }
}
