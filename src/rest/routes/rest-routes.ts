import type { GraphQLSchema } from 'graphql'
import { type CompiledRoute, compileRoute, restEndpoints } from './rest-route.js'
import { compileDocument, type RunDocument } from './route-operation.js'
import { RouteTable } from './route-table.js'
import { createSofaDocuments } from './sofa-documents.js'

/** All that REST shows of a schema, made once. */
export interface RestRoutes {
  readonly table: RouteTable<CompiledRoute>
  /** SOFA's document of a route, compiled when it is first asked for. */
  documentOf(route: CompiledRoute): RunDocument | Promise<RunDocument>
}

/** The routes of the REST sub-graph, which holds only what REST may show. */
export function createRestRoutes(schema: GraphQLSchema): RestRoutes {
  const routes = restEndpoints(schema).map(compileRoute)
  const documentOf = createSofaDocuments(schema, routes)
  const compiled = new Map<CompiledRoute, RunDocument>()
  return {
    table: new RouteTable(routes),
    documentOf: (route) =>
      compiled.get(route) ??
      documentOf(route).then((prepared) => {
        const run = compiled.get(route) ?? compileDocument(schema, route.rootType, prepared)
        compiled.set(route, run)
        return run
      }),
  }
}
