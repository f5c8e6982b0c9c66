import type { NameOperation } from '../../core/operation-names.js'
import type { Exchange } from '../../platform/request/exchange.js'
import { RECEIPT } from '../../platform/request/preference.js'
import { bodyText } from '../../platform/request/reply-body.js'
import { innerExchange } from '../http/inner-exchange.js'
import type { Handle } from '../http/node.js'
import { headerOf, RECEIPT_HEADER } from '../http/response/receipts.js'
import { toRouteAddress } from '../rest/routes/route-address.js'
import type { RouteTool } from './tools.js'

/** Headers of the agent's request that the REST request repeats. */
const FORWARDED = ['x-api-key', 'authorization', 'traceparent', 'user-agent'] as const

/** The response of a route: its body, or why it refused. */
export interface RouteAnswer {
  readonly isError: boolean
  /** JSON, or the message that a path argument is missing. */
  readonly text: string
  /** The receipt of the text, if one was asked for and the answer has data. */
  readonly receipt: string | null
}

/** The request of an agent, and what handles the REST requests of its calls. */
export interface AgentRequest {
  readonly exchange: Exchange
  readonly handle: Handle
  /** The largest body that the agent accepts. */
  readonly maxBytes: number
  /** How errors name an operation. */
  readonly nameOperation: NameOperation
  /** Whether the agent wants a receipt with the answer. */
  readonly wantsReceipt?: boolean
}

/** Calls the REST route of a tool. Authentication, limits, charge and cache are those of a REST request. */
export async function callRoute(
  tool: RouteTool,
  given: Readonly<Record<string, unknown>>,
  request: AgentRequest,
): Promise<RouteAnswer> {
  const missing = tool.route.inPath.filter((name) => !isGiven(given[name]))
  if (missing.length > 0) return { isError: true, text: `${missing.join(', ')}: is required`, receipt: null }
  const reply = await request.handle(createRestExchange(tool, given, request), null)
  // The routes of tools respond with text or bytes, never with streams.
  const receipt = headerOf(reply.headers, RECEIPT_HEADER)
  return { isError: reply.status >= 400, text: bodyText(reply) ?? 'null', receipt }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Creates the REST request of a tool call. */
function createRestExchange(
  { route }: RouteTool,
  given: Readonly<Record<string, unknown>>,
  { exchange, maxBytes, nameOperation, wantsReceipt = false }: AgentRequest,
): Exchange {
  const isBody = route.method === 'POST'
  const headers = new Map([['accept', 'application/json']])
  if (wantsReceipt) headers.set('prefer', RECEIPT)
  for (const name of FORWARDED) {
    const value = exchange.header(name)
    if (value !== null) headers.set(name, value)
  }
  if (isBody) headers.set('content-type', 'application/json')
  const { path, search } = toRouteAddress(route.path, given)
  return innerExchange(exchange, {
    method: route.method,
    path,
    search: isBody ? '' : search,
    headers,
    maxBytes,
    nameOperation,
    body: isBody ? Buffer.from(JSON.stringify(given)) : null,
  })
}
