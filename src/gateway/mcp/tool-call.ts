import type { NameOperation } from '../../core/operation-names.js'
import type { Exchange } from '../../platform/request/exchange.js'
import { bodyText } from '../../platform/request/reply-body.js'
import { innerExchange } from '../http/inner-exchange.js'
import type { Handle } from '../http/node.js'
import type { RouteTool } from './tools.js'

/** Headers of the agent's request that the REST request repeats. */
const FORWARDED = ['x-api-key', 'authorization', 'traceparent', 'user-agent'] as const

/** The response of a route: its body, or why it refused. */
export interface RouteAnswer {
  readonly isError: boolean
  /** JSON, or the message that a path argument is missing. */
  readonly text: string
}

/** The request of an agent, and what handles the REST requests of its calls. */
export interface AgentRequest {
  readonly exchange: Exchange
  readonly handle: Handle
  /** The largest body that the agent accepts. */
  readonly maxBytes: number
  /** How errors name an operation. */
  readonly nameOperation: NameOperation
}

/** Calls the REST route of a tool. Authentication, limits, charge and cache are those of a REST request. */
export async function callRoute(
  tool: RouteTool,
  given: Readonly<Record<string, unknown>>,
  request: AgentRequest,
): Promise<RouteAnswer> {
  const missing = tool.route.inPath.filter((name) => !isGiven(given[name]))
  if (missing.length > 0) return { isError: true, text: `${missing.join(', ')}: is required` }
  const reply = await request.handle(createRestExchange(tool, given, request), null)
  // The routes of tools respond with text or bytes, never with streams.
  return { isError: reply.status >= 400, text: bodyText(reply) ?? 'null' }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Creates the REST request of a tool call. */
function createRestExchange(
  { route }: RouteTool,
  given: Readonly<Record<string, unknown>>,
  { exchange, maxBytes, nameOperation }: AgentRequest,
): Exchange {
  const isBody = route.method === 'POST'
  const headers = new Map([['accept', 'application/json']])
  for (const name of FORWARDED) {
    const value = exchange.header(name)
    if (value !== null) headers.set(name, value)
  }
  if (isBody) headers.set('content-type', 'application/json')
  return innerExchange(exchange, {
    method: route.method,
    path: route.path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(textOf(given[name]))),
    search: isBody ? '' : searchOf(route.inPath, given),
    headers,
    maxBytes,
    nameOperation,
    body: isBody ? Buffer.from(JSON.stringify(given)) : null,
  })
}

function searchOf(inPath: readonly string[], given: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    if (inPath.includes(name) || value === null) continue
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, textOf(one))
  }
  return search.size === 0 ? '' : `?${search}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
