import type { ExecutionResult } from 'graphql'
import type { GetEnveloped } from '../graphql/door-plugin.js'
import type { RequestFacts } from '../platform/request-facts.js'
import type { Failure } from './error-body.js'
import type { ArgumentValues } from './parameters.js'
import type { RestEndpoint } from './rest-route.js'
import type { RestRoutes } from './rest-routes.js'

/** What plugins add to a result beside its data. */
type Extensions = Readonly<Record<string, unknown>>

/** The root field's value, or everything that failed. */
export type RouteResult = { readonly data: unknown; readonly extensions: Extensions } | Failure

/** Runs the prepared document of a route with values that are already checked. */
export type RunRoute = (
  route: RestEndpoint,
  request: RequestFacts,
  serverContext: object,
  values: ArgumentValues,
) => Promise<RouteResult>

/**
 * Runs the documents that SOFA prepared, within yoga's envelope: every plugin on context and execution serves REST too,
 * so both doors share authentication, limits, masking and resolvers.
 */
export function createRouteRunner(
  { schema, prepare }: Pick<RestRoutes, 'schema' | 'prepare'>,
  getEnveloped: GetEnveloped,
): RunRoute {
  return async (route, request, serverContext, values) => {
    const { document, operationName } = await prepare(route)
    try {
      const enveloped = getEnveloped(Object.assign(serverContext, { request }))
      const contextValue: object = await enveloped.contextFactory()
      const result: unknown = await enveloped.execute({
        schema,
        document,
        operationName,
        contextValue,
        variableValues: values,
      })
      if (!isResult(result)) throw new Error('a REST route can not stream')
      if (result.errors?.length) return { errors: result.errors, isExecuted: true }
      return { data: dataOf(result.data, route.field.name), extensions: result.extensions ?? {} }
    } catch (error) {
      return { errors: [error], isExecuted: false }
    }
  }
}

function isResult(result: unknown): result is ExecutionResult {
  return typeof result === 'object' && result !== null && ('data' in result || 'errors' in result)
}

function dataOf(data: unknown, field: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>)[field] : null
}
