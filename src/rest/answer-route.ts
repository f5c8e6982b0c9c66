import { ApiError, invalid } from '../core/errors.js'
import type { DoorContext } from '../platform/door-context.js'
import type { RequestFacts } from '../platform/request-facts.js'
import { requireAccess } from '../policy/decide.js'
import { isAcceptable } from './accept.js'
import { linkHeader, pageOf } from './envelope-headers.js'
import type { Failure } from './error-body.js'
import {
  type ArgumentValues,
  parseQuery,
  type QueryPairs,
  readPathValues,
  readQueryValues,
  unknownName,
} from './parameters.js'
import { Problems } from './problems.js'
import { readBody } from './request-body.js'
import type { CompiledRoute } from './rest-route.js'
import type { RouteMatch, RouteTable } from './route-table.js'
import type { RunRoute } from './run-route.js'

/** What this door needs of the context that travels with a request. */
export type RestContext = Pick<DoorContext, 'requestId' | 'now' | 'log' | 'principal'> &
  Partial<Pick<DoorContext, 'json'>>

/** A question to this door. */
export interface RestQuestion {
  readonly request: RequestFacts
  readonly pathname: string
  /** With its question mark; empty where there is none. */
  readonly search: string
  readonly serverContext: RestContext
}

/** What a route gave: the root field's value, or why there is none. */
export type RouteAnswer =
  | {
      readonly route: CompiledRoute
      readonly values: ArgumentValues
      readonly data: unknown
      /** Header of a paged list; null elsewhere. */
      readonly link: string | null
      /** What a dry run was told instead of data; null when the operation ran. */
      readonly price: object | null
    }
  | Failure

/**
 * Finds the route of a question, reads its parameters strictly and runs it. `body` is the request whose JSON body is
 * read where the route takes one; null for requests without.
 */
export async function answerRoute(
  { request, pathname, search, serverContext }: RestQuestion,
  table: RouteTable<CompiledRoute>,
  run: RunRoute,
  body: Request | null,
): Promise<RouteAnswer> {
  try {
    const match = table.match(request.method, pathname)
    const { route } = match
    if (!isAcceptable(request.headers.get('accept'), route.mediaTypes)) throw new ApiError('not_acceptable')
    // Who asks comes before what is asked: without a key nobody learns how to ask rightly.
    requireAccess(serverContext.principal, route.endpoint.access)
    const pairs = parseQuery(search)
    const values = await readArguments(match, pairs, body)
    const result = await run(route, request, serverContext, values)
    if ('errors' in result) return result
    const { data } = result
    const link = route.page ? linkHeader(pathname, pairs, pageOf(values, route.page), data) : null
    return { route, values, data, link, price: priceOf(result.extensions) }
  } catch (error) {
    return { errors: [error], isExecuted: false }
  }
}

/** Throws 422 with everything that is wrong in path, query string and body at once. */
async function readArguments(
  { route, pathValues }: RouteMatch<CompiledRoute>,
  pairs: QueryPairs,
  body: Request | null,
): Promise<ArgumentValues> {
  const values: ArgumentValues = {}
  const problems = new Problems()
  readPathValues(route.pathParameters, pathValues, values, problems)
  readQueryValues(route.queryParameters, pairs, values, problems, (name) => unknownParameter(route, name))
  if (route.body && body) await readBody(route.body, body, values, problems)
  const [first, ...rest] = problems.list
  if (first) throw invalid(first, ...rest)
  return values
}

function unknownParameter(route: CompiledRoute, name: string): string {
  if (route.body?.fields.has(name)) return 'belongs into the JSON body'
  if (route.pathParameters.has(name)) return `is part of the path: ${route.path}`
  return unknownName('parameter', name, [...route.queryParameters.keys()])
}

/** What a dry run was told instead of data; null when the operation ran. */
function priceOf({ cost }: Readonly<Record<string, unknown>>): object | null {
  return typeof cost === 'object' && cost !== null && 'price' in cost ? cost : null
}
