import { Response } from '@whatwg-node/fetch'
import { ApiError } from '../core/errors.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import { answerRoute, type RestQuestion } from './answer-route.js'
import { type ErrorBodyOptions, errorResponse, type Failure, settleErrors } from './error-body.js'
import type { ArgumentValues } from './parameters.js'
import type { CompiledRoute } from './rest-route.js'
import type { RestRoutes } from './rest-routes.js'
import type { RouteTable } from './route-table.js'
import { createRouteRunner, type RunRoute } from './run-route.js'
import { exportSeries, exportTypeOf } from './series-export.js'

export interface RestOptions {
  readonly routes: RestRoutes
  /** Paths below these are REST's, known or not: ['/v1', '/auth']. */
  readonly prefixes: readonly string[]
  readonly errorBody: ErrorBodyOptions
}

/**
 * The REST door. Finds the route, reads its parameters strictly and runs it through SOFA within yoga's
 * envelope. Answers everything below the prefixes but OPTIONS, which belongs to CORS.
 */
export function useRest(options: RestOptions): DoorPlugin {
  const { routes } = options
  let run: RunRoute | null = null
  const isOurs = (path: string) =>
    options.prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  return {
    onYogaInit: ({ yoga }) => {
      run = createRouteRunner(routes, yoga.getEnveloped)
    },
    // Not async: a request that is not ours must not wait for a promise.
    onRequest: ({ request, url, serverContext, endResponse }) => {
      if (run === null || request.method === 'OPTIONS' || !isOurs(url.pathname)) return
      const question = { request, pathname: url.pathname, search: url.search, serverContext }
      return answer(question, request, routes.table, run, options).then(endResponse)
    },
  }
}

async function answer(
  question: RestQuestion,
  request: Request,
  table: RouteTable<CompiledRoute>,
  run: RunRoute,
  options: RestOptions,
): Promise<Response> {
  const answered = await answerRoute(question, table, run, request)
  if ('errors' in answered) return failed(answered, question, options)
  if (answered.price !== null) return Response.json({ cost: answered.price })
  try {
    const response = responseOf(answered.route, answered.data, question, answered.values)
    if (answered.link !== null) response.headers.set('link', answered.link)
    return response
  } catch (error) {
    return failed({ errors: [error], isExecuted: false }, question, options)
  }
}

function responseOf(
  route: CompiledRoute,
  data: unknown,
  question: RestQuestion,
  values: ArgumentValues,
): Response {
  if (route.rest.status === 204) return new Response(null, { status: 204 })
  // A service should have said what is missing; a bare null never leaves as a success.
  if (data === null || data === undefined) throw new ApiError('not_found')
  const response = inPreferredType(route, data, question, values)
  if (question.request.method !== 'HEAD') return response
  return new Response(null, { status: response.status, headers: response.headers })
}

function inPreferredType(
  { series, rest }: CompiledRoute,
  data: unknown,
  { request, serverContext }: RestQuestion,
  values: ArgumentValues,
): Response {
  const type = series && exportTypeOf(request.headers.get('accept'))
  const vary = series === null ? {} : { vary: 'accept' }
  if (series !== null && type !== null) {
    const file = exportSeries(series, type, data, values)
    file.headers.append('vary', 'accept')
    return file
  }
  const json = JSON.stringify(data)
  serverContext.json = json
  return new Response(json, { status: rest.status ?? 200, headers: { ...JSON_HEADERS, ...vary } })
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

function failed(failure: Failure, { request, serverContext }: RestQuestion, options: RestOptions): Response {
  const { requestId, now, log } = serverContext
  const error = settleErrors(failure, log)
  return errorResponse(error, { ...options.errorBody, request, requestId, now })
}
